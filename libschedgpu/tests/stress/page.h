/*
 * page.h - the account of the test, separate from the region: a shared page in which every process
 * writes what it holds. The region is compared with this page, so nothing in it comes from the
 * region.
 *
 * A entry is one process. Its `mem` and `ctx` words count what it holds: raised after the library
 * has granted, lowered before the library frees. So at every instant the bytes of an entry that
 * counts are at most what the region must account for it, and the sum over all entries that count
 * is at most what the device has.
 *
 * A entry counts only while nothing that ends its reservations has begun. A killer raises
 * `will_die` first; a process that ends a job first removes its id from the board; a process that
 * exits, execs or detaches first lowers `state`. (A process that is still in the process table may
 * be dead: the kernel drops its liveness lock long before the parent can see the death.)
 */
#ifndef STRESS_PAGE_H
#define STRESS_PAGE_H

#include "schedgpu/admin.h"
#include "dice.h"
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#define DEVICES 3u
#define WORKERS                                                                                    \
  40u /* in the controller's namespace; every other worker has its own PID namespace               \
       */
#define CHILDREN 40u /* for their forked children that use the library */
#define ENTRIES (WORKERS + CHILDREN)
#define PLACES 8u /* jobs that run at once */
#define UNIT_BYTES UINT64_C(512)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define DEVICE_BYTES (10 * GIB)

enum phase {
  PHASE_RUN = 0,
  PHASE_CALM = 1,   /**< as before, but no process is killed */
  PHASE_FREEZE = 2, /**< begin nothing, keep what is held */
  PHASE_QUIET = 3,  /**< begin nothing, release everything */
  PHASE_OVER = 4,   /**< exit */
};

enum entry_state {
  ENTRY_NOT_COUNTED = 0, /**< not counted: starting, detaching, in an exec */
  ENTRY_LIVE = 1,
  ENTRY_GONE = 2, /**< will not use the library again; in a namespace its children die with it */
};

enum tally {
  TALLY_LIVES,
  TALLY_KILLS,
  TALLY_STORE_DEATHS,
  TALLY_STOPS,
  TALLY_SIGNALS,
  TALLY_FORKS,
  TALLY_EXECS,
  TALLY_THREADS,
  TALLY_JOBS,
  TALLY_POLICIES,
  TALLY_WAITS,
  TALLY_TIMEOUTS,
  TALLY_DEADLOCKS,
  TALLY_BUSY,
  TALLY_QUIETS,
  TALLY_CHECKS,
  TALLIES
};

struct entry {
  /* what a sample of the entry copies (watch.c) */
  _Alignas(128) _Atomic uint64_t who; /**< 0 = free; else pid, leader and namespace, below */
  _Atomic uint64_t state;
  _Atomic uint64_t job; /**< id of the job it is attached to, below */
  _Atomic uint64_t mem[DEVICES];
  _Atomic uint64_t ctx[DEVICES];
  /* the rest */
  _Alignas(64) _Atomic uint32_t will_die; /**< written by the controller alone */
  _Atomic uint32_t parked;                /**< number of the phase in which it came to rest */
  _Atomic uint32_t calls;                 /**< threads inside the library: a good moment to kill */
  _Atomic uint32_t asleep;                /**< of these, how many wait in a queue */
  _Atomic uint32_t endless;               /**< threads in a wait without a limit */
  _Atomic int32_t own_pid;                /**< as the process and the region see it */
  _Atomic uint64_t pid_namespace;
};

/** A job that runs now; the controller writes it. */
struct place {
  _Atomic uint64_t job;                   /**< 0 = none; taken off before the job is ended */
  _Atomic uint64_t budget_bytes[DEVICES]; /**< of this job; 0 = none */
};

struct page {
  uint64_t seed;
  char run_dir[64];
  char path[64]; /**< of this page: an exec finds it again */
  uint32_t user;
  bool single;     /**< every job has one device, so no wait depends on two queues (quiet.c) */
  bool namespaces; /**< every other worker has its own PID namespace */
  _Atomic uint32_t phase;
  /** so that a process that rested in an earlier phase does not count as parked */
  _Atomic uint32_t phase_number;
  _Atomic uint64_t progress; /**< increases when any process completes something */
  _Atomic uint64_t job_serial;
  _Atomic uint64_t tally[TALLIES];
  _Atomic uint32_t failed; /**< 1: a process writes `failure`; 2: it can be read */
  char failure[400];
  struct place place[PLACES];
  struct entry entry[ENTRIES];
};

/* --- the page itself --- */
struct page *page_new(uint64_t seed);
struct page *page_open(const char *path);
void page_free(struct page *p);
/** Records the first failure of the run; the controller then ends the run. */
void page_fail(struct page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool page_failed(const struct page *p);
static inline void page_count(struct page *p, enum tally which) {
  atomic_fetch_add_explicit(&p->tally[which], 1, memory_order_relaxed);
}
static inline uint64_t page_tally(const struct page *p, enum tally which) {
  return atomic_load(&p->tally[which]);
}

/* --- holding words: a count of changes (high half) and units; a reader that finds the same word
 * twice knows that nothing changed in between --- */
static inline uint64_t units_of(uint64_t bytes) {
  return (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
}
static inline void hold(_Atomic uint64_t *word, uint64_t bytes) {
  atomic_fetch_add(word, (UINT64_C(1) << 32) + units_of(bytes));
}
static inline void let_go(_Atomic uint64_t *word, uint64_t bytes) {
  atomic_fetch_add(word, (UINT64_C(1) << 32) - units_of(bytes));
}
static inline uint64_t held_bytes(uint64_t word) {
  return (word & UINT32_MAX) * UNIT_BYTES;
}
/** Clears what the entry holds. For an entry that does not count, or that has one thread. */
void entry_clear(struct entry *s);

/* --- who: one word, so that a process that takes an entry and dies at once is known --- */
static inline uint64_t who_is(pid_t pid, uint32_t leader, bool in_namespace) {
  return (uint64_t)(uint32_t)pid | (uint64_t)leader << 32 | (uint64_t)in_namespace << 63;
}
static inline pid_t who_pid(uint64_t who) {
  return (pid_t)(uint32_t)who;
}
static inline uint32_t who_leader(uint64_t who) {
  return (uint32_t)(who >> 32) & 0xffff;
}
static inline bool who_in_namespace(uint64_t who) {
  return who >> 63;
}
static inline bool entry_has_namespace(const struct page *p, uint32_t worker) {
  return p->namespaces && worker % 2 == 1;
}

/* --- job ids contain the properties of the job, so that one word describes it; never used twice
 * --- */
#define OWN_PLACE 15u /* not on the board: a worker's own (`schedgpu run`), ends with it */
#define JOB_PEAK 8u
#define JOB_BUDGET 16u
static inline uint64_t job_id(uint64_t serial, uint32_t place, uint32_t flags, uint32_t mask) {
  return serial << 16 | place << 8 | flags | mask;
}
static inline uint32_t job_place(uint64_t job) {
  return (uint32_t)(job >> 8) & 15;
}
static inline uint32_t job_mask(uint64_t job) {
  return (uint32_t)job & 7;
}
static inline bool job_is_peak(uint64_t job) {
  return job & JOB_PEAK;
}
static inline bool job_has_budget(uint64_t job) {
  return job & JOB_BUDGET;
}
static inline bool job_is_own(uint64_t job) {
  return job_place(job) == OWN_PLACE;
}
/** False as soon as a process has begun to end it. */
static inline bool job_runs(const struct page *p, uint64_t job) {
  return job_is_own(job) ||
         (job != 0 && atomic_load(&p->place[job_place(job) % PLACES].job) == job);
}

/* --- devices --- */
uint64_t context_bytes(uint32_t device);
/** The largest request of a worker: it leaves room for four contexts. */
uint64_t largest_request(uint32_t device);
/** The devices of a new job. */
uint32_t random_mask(const struct page *p, struct dice *dice);
/** A spec of the job with this id, with random budgets. */
struct schedgpu_job_spec job_spec_of(const struct page *p, uint64_t job, struct dice *dice);

/* --- time --- */
uint64_t now_ns(void);
void nap_us(uint64_t us);

#endif
