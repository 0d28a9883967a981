/* worker.h - a process that uses the library as programs do, and in unusual ways. */
#ifndef STRESS_WORKER_H
#define STRESS_WORKER_H

#include "page.h"

#define BLOCKS 12u

struct block {
  uint32_t ordinal;
  uint64_t bytes;
};

struct worker {
  struct page *page;
  struct entry *entry;
  uint32_t index; /**< index of the entry */
  struct dice dice;
  uint64_t job;      /**< 0: none yet */
  _Atomic bool lost; /**< a call said that the job is gone */
  uint32_t devices;
  uint32_t device[DEVICES]; /**< by ordinal */
  uint32_t depth[DEVICES];  /**< contexts entered, by ordinal */
  struct block block[BLOCKS];
  uint32_t blocks;
  schedgpu_admin *admin; /**< owner of its own job, else NULL */
};

/* --- worker.c --- */
/** The life of a worker's process; never returns. */
_Noreturn void worker_run(struct page *page, uint32_t entry);
/** Continues its life after an exec. */
_Noreturn void worker_run_again(const char *page_path, uint32_t entry);
/** Lives `steps` steps in the given state; children use it too. */
void worker_live(struct worker *w, uint32_t steps, bool may_fork);
_Noreturn void worker_end(struct worker *w);
/** Writes into its entry who this process is; it counts from here on. */
void worker_take_entry(struct worker *w);
static inline enum phase phase_of(const struct worker *w) {
  return (enum phase)atomic_load(&w->page->phase);
}
static inline bool may_begin(const struct worker *w) {
  return phase_of(w) <= PHASE_CALM;
}

/* --- stores.c --- */
/** From here on the process may die at any store, in a build with SG_CRASH_POINTS. */
void worker_make_mortal(struct worker *w);

/* --- calls.c: the calls, each with its allowed answers --- */
bool call_reserve(struct worker *w, struct dice *dice, uint32_t ordinal, uint64_t bytes,
                  int64_t timeout_ns);
void call_release(struct worker *w, uint32_t ordinal, uint64_t bytes);
bool call_enter(struct worker *w, uint32_t ordinal, int64_t timeout_ns);
/** One of `depth` users of the context leaves. */
void call_leave(struct worker *w, uint32_t ordinal);
void call_query(struct worker *w, uint32_t ordinal);
void call_attach(struct worker *w);
/** Detaches, which releases everything. */
void call_detach(struct worker *w);
bool worker_holds_memory(const struct worker *w);
bool worker_holds_contexts(const struct worker *w);
void worker_release_memory(struct worker *w);
void worker_release_all(struct worker *w);
/** A random time-out: none, a short one, the job's, or forever. */
int64_t random_timeout(struct dice *dice);
uint64_t random_request(struct dice *dice, const struct worker *w, uint32_t ordinal);

/* --- membership.c: which job --- */
/** Detaches and has no job any more. */
void worker_quit_job(struct worker *w);
/** Joins another job. False if none runs now. */
bool worker_join_job(struct worker *w);
/** Begins its own job, as `schedgpu run` does, and joins it. */
void worker_begin_own_job(struct worker *w);

/* --- threads.c --- */
/** Two to four threads reserve, wait and release at once; the caller may fork meanwhile. */
void act_threads(struct worker *w, bool may_fork);
/** The process detaches while its threads wait. */
void act_detach_under_threads(struct worker *w);

/* --- family.c --- */
void act_fork(struct worker *w, bool threads_run);
_Noreturn void act_exec(struct worker *w);
void act_close_descriptors(void);

#endif
