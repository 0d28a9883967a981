/*
 * self.h - the state of this process as a client; internal to client/ and wire/. There is one state
 * per process; several threads use it.
 */
#ifndef SG_SELF_H
#define SG_SELF_H

#include "../region/attach.h"
#include "../wire/link_state.h"
#include "ordinals.h"
#include "reader_slots.h"
#include <pthread.h>

struct sg_operations;

/**
 * The state is in a page that the kernel wipes in a forked child (MADV_WIPEONFORK). The child finds
 * an unlocked mutex and a detached client, whether or not its fork ran handlers. All zero =
 * detached.
 */
struct sg_self {
  pthread_mutex_t
      mutex; /**< held by the one thread that works in the region; never while it waits */
  /** for threads that enter a device's context at the same time: only the first is charged */
  pthread_mutex_t context_mutex[SCHEDGPU_MAX_DEVICES];
  struct sg_handle h; /**< stays mapped after a detach, because other threads may read it */
  _Atomic(struct sg_client *) record; /**< the record of this process; NULL = detached */
  /** how it reaches the region, since it attached: sg_operations_of() */
  _Atomic(const struct sg_operations *) operations;
  _Atomic uint32_t paused; /**< no thread may enter, because the record is being restored */
  _Atomic bool whole;      /**< the job reserves its whole budget: modes peak and gate */
  _Atomic uint32_t thread; /**< the thread that may wait in the region: client_thread.c */
  _Atomic bool watched;    /**< another thread looks for dead clients meanwhile: death_watch.c */
  uint32_t job;
  struct sg_ordinals ordinals;
  uint32_t context_depth[SCHEDGPU_MAX_DEVICES];
  /** What this process holds, even if its record is damaged; of the job only its name. */
  struct sg_backup backup;
  uint64_t repairs;    /**< the region's count of repairs when the record was last checked */
  struct sg_link link; /**< connection to the agent; only wire/ uses it */
  struct sg_reader_slots
      readers; /**< threads that use `record` without the mutex: sg_self_enter() */
};

/**
 * Copies the use of a device from the record into the backup, after every change: one load and one
 * store of cached lines. With two concurrent threads the older value may stay until the next
 * change.
 */
static inline void sg_self_note(struct sg_self *self, const struct sg_client *record, uint32_t d) {
  uint64_t in_use = sg_in_use(atomic_load_explicit(&record->lease[d], memory_order_relaxed));
  *(volatile uint64_t *)&self->backup.lease[d] = sg_lease_word(in_use, in_use);
}

/** The state of this process; NULL only if the kernel gives no memory. */
struct sg_self *sg_self(void);

/**
 * Returns the record for use without mutex and lock until sg_self_exit(); NULL if detached (call
 * sg_self_exit() anyway). A detach waits for threads inside, because the slot may then belong to
 * another process. Nothing may block in between.
 */
void sg_self_wait_while_paused(struct sg_self *self);
static inline struct sg_client *sg_self_enter(struct sg_self *self) {
  sg_readers_enter(&self->readers);
  if (__builtin_expect(atomic_load_explicit(&self->paused, memory_order_acquire) != 0, 0))
    sg_self_wait_while_paused(self);
  return atomic_load_explicit(&self->record, memory_order_acquire);
}
static inline void sg_self_exit(struct sg_self *self) {
  sg_readers_exit(&self->readers);
}

/** Units that have so many bytes; unlike sg_round_up(), of any number. */
static inline uint64_t sg_units_of(uint64_t bytes) {
  return bytes / SG_UNIT_BYTES + (bytes % SG_UNIT_BYTES != 0);
}

/** Region device of an ordinal, SG_NONE if the job has none. */
static inline uint32_t sg_self_device(const struct sg_self *self, int ordinal) {
  if (ordinal < 0 || (uint32_t)ordinal >= self->ordinals.count)
    return SG_NONE;
  return self->ordinals.device[ordinal];
}

/** How long a call tries to get the lock, and whether it has reported the holder. */
struct sg_lock_timeout {
  uint64_t give_up_ns; /**< not before the holder was reported, which takes seconds */
  bool reported;
};
#define SG_NO_LOCK_TIMEOUT ((struct sg_lock_timeout){.give_up_ns = SG_NO_DEADLINE})

/**
 * A transition that runs with mutex and lock. It begins only when both are held, so waiting for the
 * lock can be reported and repeated without the mutex.
 */
typedef int (*sg_transition)(struct sg_self *self, void *argument, struct sg_wakes *wakes);

/** Runs a transition of an attached process. ENOJOB if it is detached, ELOCK, or its result. */
int sg_self_do(struct sg_self *self, struct sg_lock_timeout *timeout, sg_transition transition,
               void *argument);
/** Attaches if necessary. OK or an error. Call without the mutex. */
int sg_self_attach(struct sg_self *self, struct sg_lock_timeout *timeout);
/**
 * Reaps dead clients. True if there were any. If the next scan is not due yet, `job_at_least` scans
 * the processes of the own job. Call without the mutex.
 */
bool sg_self_reap(struct sg_self *self, bool job_at_least, struct sg_lock_timeout *timeout);
/**
 * True if the record's job still runs: what the record says otherwise was lost by damage. Call
 * without the mutex.
 */
bool sg_self_has_job(struct sg_self *self, struct sg_lock_timeout *timeout);

/** A queued request. After a detach and a new setup its region is not that of `self`. */
struct sg_wait {
  struct sg_region *region;
  int ordinal;
  uint32_t waiter; /**< the slot; SG_NONE: not queued */
  uint64_t ticket;
  uint64_t deadline_ns;
  struct schedgpu_wait_notice notice;
  uint32_t subject; /**< this and the following fields: only of a broker client */
  uint32_t device;
  uint64_t bytes;
  bool lost; /**< it was lost with an agent that ended, and must be asked for again */
};

/* --- client.c --- */
/** Asks for the lane of the job and its turn, as schedgpu_gate() does for a budget. */
int sg_request_turn(struct sg_self *self, int ordinal, int64_t timeout_ns);

/* --- turn_wait.c --- */
/** Waits until the process has the turn of its lane: after ETURN. Call without the mutex. OK,
 * ETIMEDOUT, ENOREGION, or ENOJOB if the wait was lost. */
#define SG_TELL_TURN_NS UINT64_C(10000000000) /* after which it is told whose turn it is */
int sg_self_wait_for_turn(struct sg_self *self, const struct sg_wait *wait,
                          struct sg_lock_timeout *timeout);

/* --- client_wait.c --- */
/** Waits in the region for a queued request and settles it. Call without the mutex. */
int sg_queue_wait(struct sg_self *self, struct sg_wait *wait, struct sg_lock_timeout *timeout);
/** Looks for dead clients and damage, at most every 100 ms. False if the region is gone. */
bool sg_self_check_others(struct sg_self *self, struct sg_region *r,
                          struct sg_lock_timeout *timeout);

/* --- client_thread.c --- */
/** Waits until no other thread waits in the region. False at the deadline. */
bool sg_thread_enter(struct sg_self *self, uint64_t deadline_ns);
/** Does so only if none waits now. */
bool sg_thread_try_enter(struct sg_self *self);
void sg_thread_leave(struct sg_self *self);
/** True while one does: it waits, or asks for what it may have to wait for. */
bool sg_thread_waits(struct sg_self *self);

/* --- death_watch.c --- */
/** As many waiters of a node watch, the oldest: whoever reaps serves all that wait. */
#define SG_WATCHERS 4u
/** From now on a thread reaps dead clients, until no thread of this process waits in the region. It
 * may be called again at any time. Takes no lock. */
void sg_watch_deaths(struct sg_self *self);

/* --- holders.c --- */
/** Describes who holds memory of the device, as schedgpu_holders(). Takes no lock. */
void sg_holders_describe(const struct sg_self *self, uint32_t device, char *text, size_t size);

/* --- client_budget.c --- */
/**
 * Takes memory from the lease of the process within the job's budget. False if that needs the lock.
 */
bool sg_budget_take(struct sg_self *self, int ordinal, uint64_t bytes);
/** Returns memory to the lease. */
int sg_budget_give(struct sg_self *self, uint32_t device, uint64_t bytes);
/** True if the process uses nothing of the device, and somebody waits: the job's budget may be idle
 * once the process is in no iteration. */
bool sg_budget_is_wanted(const struct sg_self *self, const struct sg_client *record,
                         uint32_t device);

/**
 * Forbids cancellation during a call: a cancelled thread would keep mutex, lock or memory forever.
 */
static inline int sg_forbid_cancel(void) {
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  return state;
}
static inline void sg_allow_cancel(int state) {
  pthread_setcancelstate(state, NULL);
}

#endif
