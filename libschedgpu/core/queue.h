/*
 * queue.h - the waiters of one queue of one device, and who of them is next.
 */
#ifndef SG_QUEUE_H
#define SG_QUEUE_H

#include "overflow.h"
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
/** The waiter with the lowest ticket, SG_NONE if the queue is empty. */
uint32_t sg_queue_oldest(const struct sg_queue *q);
/**
 * True for who comes first: an ondemand request of a process that holds memory (of a job, if it has
 * a claim), one for more than a held budget, and one of an admitted job for one more context.
 */
bool sg_is_holder(const struct sg_region *r, const struct sg_waiter *w);

/** What a policy does when the waiter that it looks at does not fit, and blocks the queue. */
enum sg_on_no_fit { SG_NO_FIT_STOPS, SG_NO_FIT_STOPS_LOWER_PRIORITIES, SG_NO_FIT_IS_SKIPPED };

/** What is available when all that do not wait have given back: the same for each queue, until
 * somebody is granted. Large, so who looks at several queues has one. */
struct sg_running {
  bool reduced; /**< it is filled in */
  struct sg_reduction red;
};

/** One pass over a queue: each of its waiters is looked at in turn, and not again. */
struct sg_scan {
  struct sg_queue q;
  struct sg_running *running;
  uint32_t from;        /**< position in `order` where the next look begins */
  uint32_t at;          /**< where the last one ended */
  uint32_t bound_end;   /**< before it: those at the bound on overtaking, oldest first */
  uint32_t holders_end; /**< from there to before it: holders, oldest first */
  uint32_t end;         /**< from there to before it: all, in the policy's order */
  uint32_t blocker;     /**< does not fit, and blocks those behind it; SG_NONE if nobody does */
  enum sg_on_no_fit on_no_fit; /**< of the policy */
  uint16_t line[SG_SLOTS];     /**< the waiters of the queue, oldest first */
  uint16_t order[3 * SG_SLOTS];
};
/** With a `running` that is not reduced, or of the region as it is. */
void sg_scan_start(struct sg_scan *scan, const struct sg_queue *q, struct sg_running *running);
/** The next that fits and that nobody blocks, SG_NONE at the end. It is granted before the next
 * call, or that is never made. */
uint32_t sg_scan_next(struct sg_scan *scan);
/** Whether the one looked at last is at the bound on overtaking. */
bool sg_scan_is_at_bound(const struct sg_scan *scan);
/** Who is next, SG_NONE if nobody is. */
uint32_t sg_next_in(const struct sg_queue *q, struct sg_running *running);

/* --- policies.c --- */
/** The order in which the region's policy looks at `line`, and what it does where one does not fit.
 */
enum sg_on_no_fit sg_policy_order(const struct sg_region *r, const uint16_t *line, uint32_t count,
                                  uint16_t *order);

#endif
