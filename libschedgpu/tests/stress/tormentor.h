/* tormentor.h - the root side of the test: starts processes, kills, stops and watches them. */
#ifndef STRESS_TORMENTOR_H
#define STRESS_TORMENTOR_H

#include "page.h"
#include "../../core/region.h"

struct tormentor {
  struct page *page;
  schedgpu_admin *admin;
  struct sg_region *snapshot; /**< the last one */
  struct sg_region *later;    /**< another one, to compare with */
  bool snapshot_tells;        /**< it shows what is wrong; what is there now does not */
  struct dice dice;
  int namespace_fd; /**< the PID namespace to come back to */
  uint64_t start_ns;
  uint64_t stopped_until_ns[SEATS]; /**< 0 = runs */
  uint64_t ending[PLACES];          /**< jobs taken off the board that have yet to be ended */
  bool grace;                       /**< budgets become idle by time alone */
  uint64_t progress;                /**< as it was when it moved for the last time */
  uint64_t progress_ns;
  uint64_t unsteady; /**< looks that found everything in motion */
};

/* --- processes.c --- */
/** Whether this user may make PID namespaces; why not in `why`. */
bool processes_may_have_namespaces(const char **why);
bool processes_start(struct tormentor *t, uint32_t worker);
void processes_start_missing(struct tormentor *t);
/** Takes note of whoever ended. */
void processes_bury(struct tormentor *t);
void processes_kill(struct tormentor *t, uint32_t seat);
void processes_stop(struct tormentor *t, uint32_t seat, uint64_t ns);
/** Lets go on whoever was stopped for long enough, or everybody. */
void processes_continue(struct tormentor *t, bool all);
/** Kills until nobody is left at all; false if somebody will not go. */
bool processes_end_all(struct tormentor *t);
/** Whether a signal may be sent to the process of this seat: it cannot be another one's pid. */
bool processes_may_signal(const struct tormentor *t, uint32_t seat);

/* --- board.c: the jobs --- */
void board_churn(struct tormentor *t, uint32_t place);
void board_update(struct tormentor *t, uint32_t place);
/** Ends what could not be ended at once; true if nothing is left to do. */
bool board_settle(struct tormentor *t);
bool board_clear(struct tormentor *t);

/* --- torment.c --- */
/** One cruelty, or a few. */
void torment(struct tormentor *t);
/** A job ends or changes, or the policy does. */
void torment_jobs(struct tormentor *t);

/* --- quiet.c --- */
enum quiet { QUIET_RELEASE, QUIET_DEATH, QUIET_LONELY, QUIETS };
/** Stops tormenting and demands that everybody who waits is served. False on failure. */
bool quiet_phase(struct tormentor *t, enum quiet kind);

/* --- watch.c --- */
/** The invariants, and what is held against what is accounted. */
void watch_region(struct tormentor *t);
/** No device is overcommitted, no budget exceeded, by what the living say. */
void watch_devices(struct tormentor *t);
/** Fails the run if nobody has got anything done for a long time. */
void watch_progress(struct tormentor *t, const char *where);
/** True if nobody holds anything and nobody waits; else what is left in `text`. */
bool watch_nothing_held(struct tormentor *t, char *text, size_t size);
/** When all processes are dead and all jobs ended: nothing is used, nobody is left. */
void watch_end(struct tormentor *t);

/* --- report.c --- */
void report_head(const struct tormentor *t, const char *goal, const char *no_namespaces);
void report_progress(struct tormentor *t, bool at_once);
void report_table(struct tormentor *t);
/** Writes all that is known into a file of `folder`. */
void report_failure(struct tormentor *t, const char *folder);

/** Nothing got done for so long: a hang. No limit on how slow a machine may be. */
#define HANG_NS UINT64_C(60000000000)

#endif
