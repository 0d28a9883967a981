/*
 * full_node.h - a full node: 16 devices, 1,024 processes of which 256 wait, jobs that begin and end
 * through the hooks at a fixed rate, the agent, and a status command every second. The GPUs are
 * emulated: only memory is counted, and no device is used.
 *
 * It is in C because the generator shares two CPUs with what it measures: it starts 1,000 programs
 * a second by vfork (0.1 ms each, a tenth of a CPU). A JVM would need a helper and 1 ms for each.
 * The Java part only draws the picture from the figures.
 */
#ifndef FULL_NODE_H
#define FULL_NODE_H

#include "../support/agent.h"
#include "../support/clock.h"
#include "../support/processes.h"
#include "histogram.h"
#include <limits.h>

#define DEVICES 16u
#define JOBS_PER_DEVICE 28u
#define STANDING_JOBS (DEVICES * JOBS_PER_DEVICE)
#define PASSING_JOBS (SCHEDGPU_MAX_JOBS - STANDING_JOBS) /* the most at one time */
#define MEMBERS SCHEDGPU_MAX_CLIENTS
#define WAITING 256u
#define HOLDING (MEMBERS - WAITING)
#define SHARE_BYTES (256 * MIB) /* the memory of each; WAITING processes do not fit */
#define DEVICE_BYTES (HOLDING / DEVICES * SHARE_BYTES)
#define FIRST_STANDING_JOB 1u
#define FIRST_PASSING_JOB 100001u
#define NODE_NAME "gpu1"

struct settings {
  int64_t time_ns;
  char time_text[32];
  uint32_t rate; /**< begins per second, and as many ends */
  uint64_t status_every_ns;
  uint64_t turn_ns; /**< mean time for which a process holds its memory before it releases it */
  uint64_t death_every_ns;
  uint64_t idle_ns;           /**< idle time before the processes start */
  bool soak;                  /**< judge memory only; else everything */
  bool functional;            /**< judge only that nothing is lost, and no times */
  bool nvml;                  /**< with the emulated libnvidia-ml.so.1 */
  char folder[PATH_MAX - 64]; /**< folder of configuration, logs and results */
};

/* --- crowd.c: the processes --- */
struct crowd_page {
  _Atomic uint32_t attached; /**< number of attaches, replaced processes included */
  _Atomic uint32_t ending;   /**< futex: the processes must end */
  _Atomic uint32_t failed;
  _Atomic uint64_t turns;  /**< requests that were served */
  _Atomic uint64_t waited; /**< of those, requests that waited */
  _Atomic uint64_t deaths;
  _Atomic uint64_t locked_out; /**< how often the lock did not come in time */
};
struct crowd {
  pid_t pid; /**< pid of the keeper process */
  struct crowd_page *page;
};
/** Returns when all processes are attached and as many wait as should. */
struct crowd crowd_start(const struct settings *settings, struct node *node);
/** Serves all waiters and ends all processes. True if each released its memory and ended. */
bool crowd_end(struct crowd *crowd);

/* --- hooks.c: prolog and epilog, started as slurmd does, at fixed times --- */
enum hook { HOOK_BEGIN, HOOK_END, HOOKS };
struct hook_figures {
  uint64_t done;
  uint64_t failed;
  uint64_t cpu_ns;       /**< of all hooks, from the kernel */
  struct histogram late; /**< from the planned start to the start */
  struct histogram took; /**< from the planned start to the end, so that a late start counts */
};
struct hooks;
/** Jobs begin at fixed times, `rate` a second from now on, and end a fixed time later, however long
 * the hooks take. */
struct hooks *hooks_new(const struct settings *settings);
void hooks_free(struct hooks *hooks);
/** Starts the hooks that are due. Returns the time of the next one. */
uint64_t hooks_start_due(struct hooks *hooks, uint64_t now);
/** Begins no more jobs; the begun ones still end. */
void hooks_stop_begins(struct hooks *hooks);
/** Handles the end of a hook. False if the process is not a hook. */
bool hooks_ended(struct hooks *hooks, pid_t pid, int status, uint64_t cpu_ns, uint64_t now);
bool hooks_done(const struct hooks *hooks);
uint64_t hooks_asked(const struct hooks *hooks);
/** How long the next hook has been due, in ns. */
uint64_t hooks_behind_ns(const struct hooks *hooks, uint64_t now);
const struct hook_figures *hooks_figures(const struct hooks *hooks, enum hook hook);
/** Starts a program: in its own group, as slurmd starts hooks, or in its own session, as from
 * another terminal. The kernel shares the CPUs fairly among sessions (sched(7), autogroup). */
pid_t spawn(const char *program, char *const arguments[], char *const environment[], int output,
            bool in_session);

/* --- watch.c: samples taken every second --- */
struct watch {
  const struct settings *settings;
  struct node *node;
  struct agent *agent;
  struct crowd *crowd;
  struct hooks *hooks;
  struct sg_region *region; /**< the last snapshot */
  FILE *csv;
  uint64_t start_ns;
  uint64_t next_ns;
  uint64_t next_status_ns;
  uint64_t next_progress_ns;
  uint64_t status_began_ns;
  uint64_t agent_cpu_ns;   /**< at the last sample */
  uint64_t agent_first_ns; /**< at the first sample */
  uint64_t first_sample_ns;
  uint64_t last_sample_ns;
  pid_t status_pid;
  uint64_t status_count, status_failed;
  double last_status_ms;
  struct histogram status;   /**< from the planned start to the end of the command */
  struct histogram snapshot; /**< the time of a snapshot in this process */
  uint32_t waiting_least, waiting_most;
  double *rss_mib, *at_s; /**< of the agent, one sample a second */
  size_t count, capacity;
  double idle_percent; /**< share of a CPU in percent; negative: not measured */
};
void watch_start(struct watch *watch);
/** Takes the samples that are due. Returns the time of the next one. */
uint64_t watch_run(struct watch *watch, uint64_t now);
bool watch_ended(struct watch *watch, pid_t pid, int status, uint64_t now);
void watch_end(struct watch *watch);
/** CPU time in ns of a process, its ended threads included. */
uint64_t cpu_ns_of(pid_t pid);
void take_snapshot(struct watch *watch);

/* --- verdict.c --- */
/** Prints and writes the table. True if every judged value is within its limit. */
bool verdict(const struct watch *watch, const char *wrong, bool interrupted);

#endif
