/* controller.h - the root side of the test: starts processes, kills, stops and watches them. */
#ifndef STRESS_CONTROLLER_H
#define STRESS_CONTROLLER_H

#include "page.h"
#include "../../core/layout/region.h"

struct controller {
  struct page *page;
  schedgpu_admin *admin;
  struct sg_region *snapshot; /**< the last snapshot */
  struct sg_region *later;    /**< a later one, for comparison */
  bool snapshot_tells;        /**< the snapshot shows the failure; the present region does not */
  struct dice dice;
  int namespace_fd; /**< the PID namespace to which it returns */
  uint64_t start_ns;
  uint64_t stopped_until_ns[ENTRIES]; /**< 0 = runs */
  uint64_t ending[PLACES];            /**< jobs taken off the board that have yet to be ended */
  bool grace;                         /**< budgets become idle by time alone */
  uint64_t progress;                  /**< the page's progress when it last increased */
  uint64_t progress_ns;
  uint64_t unsteady; /**< samples that found every entry changing */
};

/* --- processes.c --- */
/** True if this user may create PID namespaces; else `why` has the reason. */
bool processes_may_have_namespaces(const char **why);
bool processes_start(struct controller *t, uint32_t worker);
void processes_start_missing(struct controller *t);
/** Handles the ends of processes. */
void processes_reap(struct controller *t);
void processes_kill(struct controller *t, uint32_t entry);
void processes_stop(struct controller *t, uint32_t entry, uint64_t ns);
/** Continues processes that were stopped for long enough, or all. */
void processes_continue(struct controller *t, bool all);
/** Kills until no process is left. False if one does not end. */
bool processes_end_all(struct controller *t);
/** True if the pid of this entry certainly belongs to its process, so that a signal may be sent. */
bool processes_may_signal(const struct controller *t, uint32_t entry);

/* --- board.c: the jobs --- */
void board_churn(struct controller *t, uint32_t place);
void board_update(struct controller *t, uint32_t place);
/** Ends jobs that could not be ended at once. True if none is left. */
bool board_settle(struct controller *t);
bool board_clear(struct controller *t);

/* --- disturb.c --- */
/** Disturbs one process, or a few. */
void disturb(struct controller *t);
/** Ends or changes a job, or changes the policy. */
void disturb_jobs(struct controller *t);

/* --- quiet.c --- */
enum quiet { QUIET_RELEASE, QUIET_DEATH, QUIET_LONELY, QUIETS };
/** Stops the disturbances, and expects that every waiter is served. False on failure. */
bool quiet_phase(struct controller *t, enum quiet kind);

/* --- watch.c --- */
/** Checks the invariants, and compares what is held with what is accounted. */
void watch_region(struct controller *t);
/** Expects that live processes exceed no device and no budget. */
void watch_devices(struct controller *t);
/** Fails the run if no process has completed anything for a long time. */
void watch_progress(struct controller *t, const char *where);
/** True if no process holds memory or waits; else `text` has what is left. */
bool watch_nothing_held(struct controller *t, char *text, size_t size);
/** After all processes are dead and all jobs ended: expects that nothing is in use and no client is
 * left. */
void watch_end(struct controller *t);

/* --- report.c --- */
void report_head(const struct controller *t, const char *goal, const char *no_namespaces);
void report_progress(struct controller *t, bool at_once);
void report_table(struct controller *t);
/** Writes all evidence into a file of `folder`. */
void report_failure(struct controller *t, const char *folder);

/** No progress for so long is a hang. It is not a limit on how slow a machine may be. */
#define HANG_NS UINT64_C(60000000000)

#endif
