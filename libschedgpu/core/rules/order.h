/*
 * order.h - the orders in which policies examine the waiters of a queue (policies.c).
 *
 * Each is an order of requests, not of places in one queue: two requests that are in several queues
 * have the same order in all of them. Otherwise each would wait for the other.
 */
#ifndef SG_ORDER_H
#define SG_ORDER_H

#include "queue.h"

/** Copies `waiters`, `count` of them, the oldest first, to `order` in the order of the policy. */
typedef void sg_order(const struct sg_region *r, const uint16_t *waiters, uint32_t count,
                      uint16_t *order);

sg_order sg_oldest_first;
sg_order sg_highest_priority_first;     /**< then the oldest */
sg_order sg_smallest_of_priority_first; /**< the highest priority, the smallest, the oldest */

/*
 * RBDM paper, equations 1 and 2: in each cycle a request reserves a part of its bytes; a higher
 * priority reserves more. It is ready after RO = (sum of the priorities) / (its priority) cycles. A
 * cycle lasts until as many requests were queued as the region has devices; no clock is read. A
 * request is never delayed: readiness only orders the waiting requests.
 */
sg_order sg_first_ready_first; /**< then the highest priority, the oldest */
/** First the ready requests as sg_highest_priority_first, then the others as
 * sg_first_ready_first. */
sg_order sg_highest_of_ready_first;
/** First the ready requests as sg_smallest_of_priority_first, then the others. */
sg_order sg_smallest_of_ready_first;

#endif
