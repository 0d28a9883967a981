/* queue.h - the waiters of one queue of one device, and the choice of the next one. */
#ifndef SG_QUEUE_H
#define SG_QUEUE_H

#include "reduction.h"

struct sg_queue {
  const struct sg_region *region;
  uint32_t device;
  uint32_t class; /**< enum sg_queue_class */
};

/** True if waiter `w` waits in this queue. */
static inline bool sg_queue_has(const struct sg_queue *q, uint32_t w) {
  const struct sg_waiter *waiter = &q->region->waiter[w];
  return waiter->state == SG_WAITING && (sg_waiter_mask(q->region, waiter) & 1u << q->device) &&
         sg_queue_of(q->region, waiter) == q->class;
}
/** True if a request waits for memory of the device, or a job for its admission there. */
bool sg_device_is_needed(const struct sg_region *r, uint32_t device);
/** The waiter with the lowest ticket, SG_NONE if the queue is empty. */
uint32_t sg_queue_oldest(const struct sg_queue *q);
/**
 * True for a waiter that is served first: an ondemand request of a process that holds memory (of a
 * job that does, if the job has a claim), a request beyond a held budget, and a request of an
 * admitted job for one more context.
 */
bool sg_is_holder(const struct sg_region *r, const struct sg_waiter *w);

/** What a policy does when a waiter does not fit and blocks the queue. */
enum sg_on_no_fit { SG_NO_FIT_STOPS, SG_NO_FIT_STOPS_LOWER_PRIORITIES, SG_NO_FIT_IS_SKIPPED };

/** The memory that is available once every process that does not wait has released its memory. It
 * is the same for each queue until a grant. Large, so a caller with several queues uses one. */
struct sg_running {
  bool valid; /**< `red` is computed */
  struct sg_reduction red;
};

/** One pass over a queue: each waiter is a candidate once. */
struct sg_scan {
  struct sg_queue q;
  struct sg_running *running;
  uint32_t from;        /**< position in `order` of the next candidate */
  uint32_t at;          /**< position of the last candidate */
  uint32_t bound_end;   /**< before it: waiters that reached the overtake limit, oldest first */
  uint32_t holders_end; /**< up to it: holders, oldest first */
  uint32_t end;         /**< up to it: all waiters, in the policy's order */
  uint32_t blocker;     /**< does not fit, and blocks those behind it; SG_NONE if there is none */
  enum sg_on_no_fit on_no_fit; /**< of the policy */
  uint16_t waiters[SG_SLOTS];  /**< the waiters of the queue, oldest first */
  uint16_t order[3 * SG_SLOTS];
};
/** Starts a scan with a `running` that is not valid yet, or valid for the current region. */
void sg_scan_start(struct sg_scan *scan, const struct sg_queue *q, struct sg_running *running);
/** The next waiter that fits and is not blocked, SG_NONE at the end. The caller grants it before
 * the next call. */
uint32_t sg_scan_next(struct sg_scan *scan);
/** True if the last candidate has reached the overtake limit. */
bool sg_scan_is_at_bound(const struct sg_scan *scan);
/** The next waiter to grant, SG_NONE if there is none. */
uint32_t sg_next_in(const struct sg_queue *q, struct sg_running *running);

/* --- policies.c --- */
/** Writes `waiters`, `count` of them, in the policy's order; returns what it does on no fit. */
enum sg_on_no_fit sg_policy_order(const struct sg_region *r, const uint16_t *waiters,
                                  uint32_t count, uint16_t *order);

#endif
