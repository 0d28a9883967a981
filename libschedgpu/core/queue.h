/*
 * queue.h - what a policy sees: the waiters of one queue of one device, and whether they fit.
 */
#ifndef SG_QUEUE_H
#define SG_QUEUE_H

#include "core.h"

struct sg_queue {
  const struct sg_region *region;
  uint32_t device;
  uint32_t class; /**< enum sg_queue_class */
};

/** True if waiter `w` waits in this queue. */
bool sg_queue_has(const struct sg_queue *q, uint32_t w);
bool sg_queue_fits(const struct sg_queue *q, uint32_t w);
/** The waiter with the lowest sequence number, SG_NONE if the queue is empty. */
uint32_t sg_queue_oldest(const struct sg_queue *q);
uint32_t sg_queue_oldest_fitting(const struct sg_queue *q);
/** Highest priority that waits; INT32_MIN if nobody does. */
int32_t sg_queue_top_priority(const struct sg_queue *q);
uint32_t sg_queue_oldest_fitting_of(const struct sg_queue *q, int32_t priority);
/** Of those that fit, the highest priority, then the oldest. */
uint32_t sg_queue_highest_fitting(const struct sg_queue *q);

/** Oldest ondemand waiter that fits and whose client holds memory already. */
uint32_t sg_queue_oldest_holder_fitting(const struct sg_queue *q);

/** The waiter to be served next, SG_NONE if nobody can be: the policy within the overtaking limit.
 */
uint32_t sg_policy_next(const struct sg_queue *q);

#endif
