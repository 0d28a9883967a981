/* tormentor.h - the root side of the test: starts processes, kills, stops and watches them. */
#ifndef STRESS_TORMENTOR_H
#define STRESS_TORMENTOR_H

#include "page.h"
#include "../../core/region.h"

struct tormentor {
  struct page *page;
  schedgpu_admin *admin;
  struct sg_region *snapshot; /**< the last snapshot */
  struct sg_region *later;    /**< a later one, for comparison */
  bool snapshot_tells;        /**< the snapshot shows the failure; the present region does not */
  struct dice dice;
  int namespace_fd; /**< the PID namespace to which it returns */
  uint64_t start_ns;
  uint64_t stopped_until_ns[SEATS]; /**< 0 = runs */
  uint64_t ending[PLACES];          /**< jobs taken off the board that have yet to be ended */
  bool grace;                       /**< budgets become idle by time alone */
  uint64_t progress;                /**< the page's progress when it last increased */
  uint64_t progress_ns;
  uint64_t unsteady; /**< samples that found every seat changing */
};

/* --- processes.c --- */
/** True if this user may create PID namespaces; else `why` has the reason. */
bool processes_may_have_namespaces(const char **why);
bool processes_start(struct tormentor *t, uint32_t worker);
void processes_start_missing(struct tormentor *t);
/** Handles the ends of processes. */
void processes_bury(struct tormentor *t);
void processes_kill(struct tormentor *t, uint32_t seat);
void processes_stop(struct tormentor *t, uint32_t seat, uint64_t ns);
/** Continues processes that were stopped for long enough, or all. */
void processes_continue(struct tormentor *t, bool all);
/** Kills until no process is left. False if one does not end. */
bool processes_end_all(struct tormentor *t);
/** True if the pid of this seat certainly belongs to its process, so that a signal may be sent. */
bool processes_may_signal(const struct tormentor *t, uint32_t seat);

/* --- board.c: the jobs --- */
void board_churn(struct tormentor *t, uint32_t place);
void board_update(struct tormentor *t, uint32_t place);
/** Ends jobs that could not be ended at once. True if none is left. */
bool board_settle(struct tormentor *t);
bool board_clear(struct tormentor *t);

/* --- torment.c --- */
/** Disturbs one process, or a few. */
void torment(struct tormentor *t);
/** Ends or changes a job, or changes the policy. */
void torment_jobs(struct tormentor *t);

/* --- quiet.c --- */
enum quiet { QUIET_RELEASE, QUIET_DEATH, QUIET_LONELY, QUIETS };
/** Stops the disturbances, and expects that every waiter is served. False on failure. */
bool quiet_phase(struct tormentor *t, enum quiet kind);

/* --- watch.c --- */
/** Checks the invariants, and compares what is held with what is accounted. */
void watch_region(struct tormentor *t);
/** Expects that live processes exceed no device and no budget. */
void watch_devices(struct tormentor *t);
/** Fails the run if no process has completed anything for a long time. */
void watch_progress(struct tormentor *t, const char *where);
/** True if no process holds memory or waits; else `text` has what is left. */
bool watch_nothing_held(struct tormentor *t, char *text, size_t size);
/** After all processes are dead and all jobs ended: expects that nothing is in use and no client is
 * left. */
void watch_end(struct tormentor *t);

/* --- report.c --- */
void report_head(const struct tormentor *t, const char *goal, const char *no_namespaces);
void report_progress(struct tormentor *t, bool at_once);
void report_table(struct tormentor *t);
/** Writes all evidence into a file of `folder`. */
void report_failure(struct tormentor *t, const char *folder);

/** No progress for so long is a hang. It is not a limit on how slow a machine may be. */
#define HANG_NS UINT64_C(60000000000)

#endif
