/*
 * queue.h - the waiters of one queue of one device, and whose turn it is.
 */
#ifndef SG_QUEUE_H
#define SG_QUEUE_H

#include "reduction.h"

struct sg_queue {
  const struct sg_region *region;
  uint32_t device;
  uint32_t class; /**< enum sg_queue_class */
};

/** True if waiter `w` waits in this queue. */
bool sg_queue_has(const struct sg_queue *q, uint32_t w);
/** The waiter with the lowest ticket, SG_NONE if the queue is empty. */
uint32_t sg_queue_oldest(const struct sg_queue *q);
/**
 * True for who comes first: an ondemand request of a process that holds memory (of a job, if it has
 * a claim), one for more than a held budget, and one of an admitted job for one more context.
 */
bool sg_is_holder(const struct sg_region *r, const struct sg_waiter *w);

/** What a policy does when the waiter that it looks at does not fit and keeps others back. */
enum sg_misfit { SG_MISFIT_STOPS, SG_MISFIT_STOPS_LOWER_PRIORITIES, SG_MISFIT_IS_PASSED };

/** What is available when all that do not wait have given back: the same for each queue, until
 * somebody is granted. Large, so who looks at several queues has one. */
struct sg_running {
  bool reduced; /**< it is filled in */
  struct sg_reduction red;
};

/**
 * Whose turn it is, one after the other, while nothing but the grants of these turns changes the
 * region: then memory only becomes less, and who did not fit need not be looked at again. So all
 * turns together cost one pass over the queue.
 */
struct sg_turns {
  struct sg_queue q;
  struct sg_running *running;
  uint32_t count;
  uint32_t oldest;   /**< position in `line` of the oldest that still waits */
  uint32_t bound;    /**< who was overtaken as often as may be, SG_NONE if nobody */
  uint32_t holder;   /**< position in `line`: no holder before it fits */
  uint32_t at;       /**< position in `order`: nobody before it fits */
  uint32_t roomless; /**< position in `line`: for nobody before it there is room */
  bool passed;       /**< somebody before `at` keeps nobody back: that may change with each grant */
  uint32_t last;     /**< whose turn it was, SG_NONE at first */
  bool ordered;      /**< `order` and `misfit` are filled in */
  enum sg_misfit misfit;
  bool missed; /**< somebody of `missed_priority` does not fit */
  int32_t missed_priority;
  uint16_t line[SG_SLOTS];  /**< oldest first */
  uint16_t order[SG_SLOTS]; /**< as the policy looks at them */
};
/** With a `running` that is not reduced, or of the region as it is. */
void sg_turns_start(struct sg_turns *turns, const struct sg_queue *q, struct sg_running *running);
/** SG_NONE if it is nobody's. The one named is granted before the next call, or never asked for. */
uint32_t sg_turns_next(struct sg_turns *turns);
/** Who at the bound on overtaking decides whose turn it is: the oldest that fits or keeps others
 * back, SG_NONE if nobody does. */
uint32_t sg_turns_at_bound(struct sg_turns *turns);
/** Whether `waiter`, which does not fit, keeps others back (docs/reference/rules.md). */
bool sg_turns_keeps_back(struct sg_turns *turns, uint32_t waiter);
/** Whose turn it is first. */
uint32_t sg_policy_next(const struct sg_queue *q, struct sg_running *running);

/* --- policies.c --- */
/** The order in which the region's policy looks at `line`, and what it does on a misfit. */
enum sg_misfit sg_policy_order(const struct sg_region *r, const uint16_t *line, uint32_t count,
                               uint16_t *order);

#endif
