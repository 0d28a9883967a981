/*
 * full_node.h - one node as full as it can be: 16 devices, 1,024 processes of which 256 wait, jobs
 * that begin and end through the hooks at a fixed rate, the agent, and somebody who asks for the
 * status all the time. The GPUs are emulated: only memory is counted, and no device is used.
 *
 * In C, as the generator shares two CPUs with what it measures: it starts 1,000 programs a second
 * by vfork (0.1 ms each, a tenth of a CPU); a JVM needs a helper and 1 ms for each. What becomes of
 * the figures afterwards (the picture) is Java.
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
#define PASSING_JOBS (SCHEDGPU_MAX_JOBS - STANDING_JOBS) /* at once, at most */
#define MEMBERS SCHEDGPU_MAX_CLIENTS
#define WAITING 256u
#define HOLDING (MEMBERS - WAITING)
#define SHARE_BYTES (256 * MIB) /* what each holds; so many fit that WAITING are left */
#define DEVICE_BYTES (HOLDING / DEVICES * SHARE_BYTES)
#define FIRST_STANDING_JOB 1u
#define FIRST_PASSING_JOB 100001u
#define NODE_NAME "gpu1"

struct settings {
  int64_t time_ns;
  char time_text[32];
  uint32_t rate; /**< starts a second, and as many ends */
  uint64_t status_every_ns;
  uint64_t turn_ns; /**< mean time a process holds its memory before somebody else's turn */
  uint64_t death_every_ns;
  uint64_t idle_ns;           /**< with nothing to do, before the processes come */
  bool soak;                  /**< judged: memory; else: all of it */
  bool functional;            /**< judged: that nothing is lost; no time is */
  bool nvml;                  /**< with the emulated libnvidia-ml.so.1 */
  char folder[PATH_MAX - 64]; /**< of configuration, logs and results */
};

/* --- crowd.c: the processes --- */
struct crowd_page {
  _Atomic uint32_t attached; /**< so often, replaced ones included */
  _Atomic uint32_t ending;   /**< futex: no more turns */
  _Atomic uint32_t failed;
  _Atomic uint64_t turns;  /**< requests that were served */
  _Atomic uint64_t waited; /**< of them, after a wait */
  _Atomic uint64_t deaths;
  _Atomic uint64_t locked_out; /**< times that the lock did not come in time */
};
struct crowd {
  pid_t pid; /**< of the process that keeps them */
  struct crowd_page *page;
};
/** Returns when all are attached and so many wait. */
struct crowd crowd_start(const struct settings *settings, struct node *node);
/** Everybody is served, gives back and ends; true if all did. */
bool crowd_end(struct crowd *crowd);

/* --- hooks.c: prolog and epilog as slurmd starts them, open loop --- */
enum hook { HOOK_BEGIN, HOOK_END, HOOKS };
struct hook_figures {
  uint64_t done;
  uint64_t failed;
  uint64_t cpu_ns;       /**< of all, as the kernel counts it */
  struct histogram late; /**< its start after its time */
  struct histogram took; /**< its end after its time: who is late has to wait, too */
};
struct hooks;
/**
 * Jobs begin at fixed times, `rate` a second from now on, and end a fixed time later, however long
 * the hooks take.
 */
struct hooks *hooks_new(const struct settings *settings);
void hooks_free(struct hooks *hooks);
/** Starts what is due; when the next one will be. */
uint64_t hooks_start_due(struct hooks *hooks, uint64_t now);
/** No begin more; what has begun ends. */
void hooks_no_more(struct hooks *hooks);
/** False if the process is not one of them. */
bool hooks_ended(struct hooks *hooks, pid_t pid, int status, uint64_t cpu_ns, uint64_t now);
bool hooks_done(const struct hooks *hooks);
uint64_t hooks_asked(const struct hooks *hooks);
/** How long what should be started next has been due. */
uint64_t hooks_behind_ns(const struct hooks *hooks, uint64_t now);
const struct hook_figures *hooks_figures(const struct hooks *hooks, enum hook hook);
/**
 * Starts a program in a group of its own, as hooks are slurmd's, or in a session of its own, as
 * from another terminal: the kernel shares the CPUs fairly among sessions (sched(7), autogroup).
 */
pid_t spawn(const char *program, char *const arguments[], char *const environment[], int output,
            bool in_session);

/* --- watch.c: what is looked at every second --- */
struct watch {
  const struct settings *settings;
  struct node *node;
  struct agent *agent;
  struct crowd *crowd;
  struct hooks *hooks;
  struct sg_region *region; /**< the last look */
  FILE *csv;
  uint64_t start_ns;
  uint64_t next_ns;
  uint64_t next_status_ns;
  uint64_t next_progress_ns;
  uint64_t status_began_ns;
  uint64_t agent_cpu_ns;   /**< at the last look */
  uint64_t agent_first_ns; /**< at the first */
  uint64_t first_look_ns;
  uint64_t last_look_ns;
  pid_t status_pid;
  uint64_t status_count, status_failed;
  double last_status_ms;
  struct histogram status; /**< from its time to the end of the command */
  struct histogram look;   /**< a consistent copy of the region, in this process */
  uint32_t waiting_least, waiting_most;
  double *rss_mib, *at_s; /**< of the agent, one each second */
  size_t count, capacity;
  double idle_percent; /**< of a CPU; negative: not measured */
};
void watch_start(struct watch *watch);
/** Does what is due; when the next is. */
uint64_t watch_run(struct watch *watch, uint64_t now);
bool watch_ended(struct watch *watch, pid_t pid, int status, uint64_t now);
void watch_end(struct watch *watch);
/** CPU time of a process and its threads that ended. */
uint64_t cpu_ns_of(pid_t pid);
void look_at_region(struct watch *watch);

/* --- verdict.c --- */
/** Prints the table and writes it; true if all that is judged is met. */
bool verdict(const struct watch *watch, const char *wrong, bool interrupted);

#endif
