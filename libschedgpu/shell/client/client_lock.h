/* client_lock.h - how a client waits for the lock; internal to client*.c. */
#ifndef SG_CLIENT_LOCK_H
#define SG_CLIENT_LOCK_H

#include "self.h"

/** How long the next attempt to get the lock may take, in ns. */
int64_t sg_lock_timeout_left(const struct sg_lock_timeout *timeout);
/**
 * After a failed attempt: reports the holder of the lock once. False if the call must give up now.
 * Call without the mutex, because an observer may use the library.
 */
bool sg_lock_timeout_continues(struct sg_lock_timeout *timeout, int32_t holder);

/** A transition that reaps dead clients and serves waiters. */
int sg_self_reap_locked(struct sg_self *self, void *unused, struct sg_wakes *wakes);

#endif
