/*
 * policies.c - which waiter is next: one small function per policy, one table.
 *
 * schedGPU paper (IEEE TPDS 29(5), 2018), section 5. Where its sentences leave a choice, this is
 * how we read them (docs/explanation/policies.md says why):
 *  - FIFO: only the oldest; if it does not fit, nobody is served.
 *  - MMU: the oldest that fits.
 *  - Priority FIFO: among the waiters of the highest priority that waits, the oldest that fits ("a
 *    following client with the same priority is served"); lower priorities never pass a higher one.
 *  - Priority MMU: among all that fit, the highest priority, then the oldest: memory is used before
 *    it is kept free for somebody it does not suffice for.
 */
#include "queue.h"

static uint32_t fifo(const struct sg_queue *q) {
  uint32_t oldest = sg_queue_oldest(q);
  return oldest != SG_NONE && sg_queue_fits(q, oldest) ? oldest : SG_NONE;
}

static uint32_t mmu(const struct sg_queue *q) {
  return sg_queue_oldest_fitting(q);
}

static uint32_t priority_fifo(const struct sg_queue *q) {
  return sg_queue_oldest_fitting_of(q, sg_queue_top_priority(q));
}

static uint32_t priority_mmu(const struct sg_queue *q) {
  return sg_queue_highest_fitting(q);
}

static const struct {
  const char *name;
  uint32_t (*next)(const struct sg_queue *q);
} policies[] = {
    [SCHEDGPU_POLICY_FIFO] = {"fifo", fifo},
    [SCHEDGPU_POLICY_MMU] = {"mmu", mmu},
    [SCHEDGPU_POLICY_PRIORITY_FIFO] = {"priority-fifo", priority_fifo},
    [SCHEDGPU_POLICY_PRIORITY_MMU] = {"priority-mmu", priority_mmu},
};
#define POLICIES (sizeof policies / sizeof *policies)

const char *schedgpu_policy_name(uint32_t policy) {
  return policy < POLICIES ? policies[policy].name : NULL;
}

int schedgpu_policy_of_name(const char *name) {
  for (uint32_t i = 0; name && i < POLICIES; i++) {
    const char *a = policies[i].name, *b = name;
    while (*a && *a == *b) {
      a++;
      b++;
    }
    if (*a == *b)
      return (int)i;
  }
  return -1;
}

uint32_t sg_policy_next(const struct sg_queue *q) {
  uint32_t oldest = sg_queue_oldest(q);
  if (oldest == SG_NONE)
    return SG_NONE;
  /* Who waits, waits for those who hold: stopping a holder for their sake would be a deadlock. */
  uint32_t holder = q->class == SG_QUEUE_MEMORY ? sg_queue_oldest_holder_fitting(q) : SG_NONE;
  if (holder != SG_NONE)
    return holder;
  uint32_t limit = q->region->h.overtake_limit;
  if (limit != 0 && q->region->waiter[oldest].overtaken >= limit)
    return sg_queue_fits(q, oldest) ? oldest : SG_NONE;
  uint32_t policy = q->region->h.policy;
  return policies[policy < POLICIES ? policy : SCHEDGPU_POLICY_FIFO].next(q);
}
