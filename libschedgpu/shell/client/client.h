/* client.h - the state of this process as a client; internal to client*.c. */
#ifndef SG_CLIENT_STATE_H
#define SG_CLIENT_STATE_H

#include "../region/attach.h"
#include "../wire/link.h"
#include "ordinals.h"
#include "reader_slots.h"
#include <pthread.h>

/**
 * Lives in a page that the kernel wipes in a forked child (MADV_WIPEONFORK): the child finds an
 * unlocked mutex and a detached client, whether or not its fork ran handlers. All zero = detached.
 */
struct sg_self {
  pthread_mutex_t mutex; /**< one thread at a time in the region; never held while waiting */
  /** threads that enter a device's context at once: only the first is charged */
  pthread_mutex_t context_mutex[SCHEDGPU_MAX_DEVICES];
  struct sg_handle h; /**< stays mapped after a detach: other threads may be looking at it */
  _Atomic(struct sg_client *) record; /**< this process's record; NULL = detached */
  _Atomic uint32_t paused;            /**< nobody enters: the record is being put right */
  _Atomic bool whole;                 /**< the job reserves its whole budget: modes peak and gate */
  _Atomic uint32_t turn;              /**< which thread may wait in the region: client_turn.c */
  uint32_t job;
  struct sg_ordinals ordinals;
  uint32_t context_depth[SCHEDGPU_MAX_DEVICES];
  /** What this process holds, whatever becomes of its record; of the job only its name. */
  struct sg_claim claim;
  uint64_t repairs;    /**< of the region, when the record was last looked at */
  struct sg_link link; /**< to the agent, where that alone writes the region */
  struct sg_reader_slots
      readers; /**< threads that use `record` without the mutex: sg_self_enter() */
};

/**
 * Notes what the record says of a device, after every change of it: one load and one store of
 * lines that are in the cache. Two threads at once may leave the older word until the next change.
 */
static inline void sg_self_note(struct sg_self *self, const struct sg_client *record, uint32_t d) {
  uint64_t in_use = sg_in_use(atomic_load_explicit(&record->lease[d], memory_order_relaxed));
  *(volatile uint64_t *)&self->claim.lease[d] = in_use << 32 | in_use;
}

/** The state of this process; NULL only if the kernel gives no memory at all. */
struct sg_self *sg_self(void);

/**
 * The record, for use without mutex and lock, until sg_self_exit(); NULL if detached (exit all the
 * same). A detach waits for those inside: afterwards the slot may be another process's. Nothing may
 * block in between.
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

/** Region device of an ordinal, SG_NONE if the job has none. */
static inline uint32_t sg_self_device(const struct sg_self *self, int ordinal) {
  if (ordinal < 0 || (uint32_t)ordinal >= self->ordinals.count)
    return SG_NONE;
  return self->ordinals.device[ordinal];
}

/** How long a call goes on trying to get the lock, and whether it has reported who is in the way.
 */
struct sg_lock_timeout {
  uint64_t give_up_ns; /**< not before the holder was reported, which is after seconds */
  bool reported;
};
#define SG_NO_LOCK_TIMEOUT ((struct sg_lock_timeout){.give_up_ns = SG_NO_DEADLINE})

/**
 * What one call does under mutex and lock. It begins only once both are held, so that a lock that
 * could not be had can be reported of without the mutex, and tried again.
 */
typedef int (*sg_transition)(struct sg_self *self, void *argument, struct sg_wakes *wakes);

/** Runs a transition of an attached process. ENOJOB if it is detached, ELOCK, or its result. */
int sg_self_do(struct sg_self *self, struct sg_lock_timeout *timeout, sg_transition transition,
               void *argument);
/** Attaches if needed; OK or why not. Call without the mutex. */
int sg_self_attach(struct sg_self *self, struct sg_lock_timeout *timeout);
/**
 * Removes the dead if there are any; whether there were. Where it is too early for another look at
 * all, `job_at_least` looks at the processes of its own job. Call without the mutex.
 */
bool sg_self_reap(struct sg_self *self, bool job_at_least, struct sg_lock_timeout *timeout);

/** A queued request. Its region is not the one of `self` any more after a detach and a new setup.
 */
struct sg_wait {
  struct sg_region *region;
  int ordinal;
  uint32_t waiter; /**< the slot; SG_NONE: it is not queued */
  uint64_t ticket;
  uint64_t deadline_ns;
  uint32_t subject; /**< from here on: of a served client (link.h) */
  uint32_t device;
  uint64_t bytes;
};
/** Waits for a queued request and settles it. Call without the mutex. `served`: what a served
 * client was reported of it. */
int sg_self_wait(struct sg_self *self, const struct sg_wait *wait,
                 struct schedgpu_wait_notice *agent_notice, struct sg_lock_timeout *timeout);

/** A transition that tells whether the record's job still runs: OK or ENOJOB. */
int sg_self_has_job(struct sg_self *self, void *unused, struct sg_wakes *wakes);

/* --- client_turn.c --- */
/** Until no other thread waits in the region; false if that took until the deadline. */
bool sg_turn_take(struct sg_self *self, uint64_t deadline_ns);
void sg_turn_leave(struct sg_self *self);

/* --- client_budget.c --- */
/** Takes from what the process has leased of its job's budget; false if that needs the lock. */
bool sg_budget_take(struct sg_self *self, int ordinal, uint64_t bytes);
/** Gives back what was taken of a budget. */
int sg_budget_give(struct sg_self *self, uint32_t device, uint64_t bytes);

/** No thread is cancelled inside of a call: it would keep mutex, lock or memory for ever. */
static inline int sg_forbid_cancel(void) {
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  return state;
}
static inline void sg_allow_cancel(int state) {
  pthread_setcancelstate(state, NULL);
}

#endif
