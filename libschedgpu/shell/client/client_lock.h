/* client_lock.h - how a client waits for the lock; internal to client*.c. */
#ifndef SG_CLIENT_LOCK_H
#define SG_CLIENT_LOCK_H

#include "client.h"

/** How long the next try to get the lock may take. */
int64_t sg_lock_timeout_left(const struct sg_lock_timeout *timeout);
/**
 * After a try that failed: tells once who holds the lock; false if the call must give up now. Call
 * without the mutex: an observer may use the library.
 */
bool sg_lock_timeout_goes_on(struct sg_lock_timeout *timeout, int32_t holder);

/** The transition that removes the dead and serves the waiters. */
int sg_self_reap_locked(struct sg_self *self, void *unused, struct sg_wakes *wakes);

#endif
