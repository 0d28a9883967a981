/* client.h - the state of this process as a client; internal to client*.c. */
#ifndef SG_CLIENT_STATE_H
#define SG_CLIENT_STATE_H

#include "attach.h"
#include "ordinals.h"
#include <pthread.h>

/**
 * Lives in a page that the kernel wipes in a forked child (MADV_WIPEONFORK): the child finds an
 * unlocked mutex and a detached client, whether or not its fork ran handlers. All zero = detached.
 */
struct sg_self {
  pthread_mutex_t mutex; /**< one thread at a time in the region; never held while waiting */
  pthread_mutex_t
      context_mutex; /**< threads that enter a context at once: only the first is charged */
  struct sg_handle h;
  _Atomic(struct sg_client *) record; /**< this process's record; NULL = detached */
  bool peak;
  uint32_t job;
  struct sg_ordinals ordinals;
  uint32_t context_depth[SCHEDGPU_MAX_DEVICES];
};

/** The state of this process; NULL only if the kernel gives no memory at all. */
struct sg_self *sg_self(void);
/** Takes the lock however long it lasts; says who is in the way after seconds. Never robs the
 * living. */
int sg_lock_patiently(struct sg_handle *h);
/** Attaches if needed; OK or why not. Call with the mutex held. */
int sg_self_attach(struct sg_self *self);
/** Waits for a queued request and settles it. Call without the mutex. */
int sg_self_wait(struct sg_self *self, int ordinal, uint32_t waiter, uint64_t ticket,
                 uint64_t deadline_ns);

#endif
