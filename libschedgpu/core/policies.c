/*
 * policies.c - in which order the waiters are looked at, and what happens where one does not fit:
 * one table.
 *
 * schedGPU paper (IEEE TPDS 29(5), 2018), section 5. Where its sentences leave a choice, this is
 * how we read them (docs/explanation/policies.md says why):
 *  - FIFO: only the oldest; if it does not fit, nobody is served.
 *  - MMU: the oldest that fits.
 *  - Priority FIFO: among the waiters of the highest priority that waits, the oldest that fits ("a
 *    following client with the same priority is served"); lower priorities never pass a higher one.
 *  - Priority MMU: among all that fit, the highest priority, then the oldest: memory is used before
 *    it is kept free for somebody it does not suffice for.
 *
 * RBDM paper (docs/reference/glossary.md), section 4.3:
 *  - HPFW: the highest priority, then the oldest; if it does not fit, nobody is served.
 *  - SM-HPFW: the highest priority, then the smallest; if it does not fit, nobody is served.
 */
#include "order.h"

static const struct {
  const char *name;
  sg_order *order;
  enum sg_on_no_fit on_no_fit;
} policies[] = {
    [SCHEDGPU_POLICY_FIFO] = {"fifo", sg_oldest_first, SG_NO_FIT_STOPS},
    [SCHEDGPU_POLICY_MMU] = {"mmu", sg_oldest_first, SG_NO_FIT_IS_SKIPPED},
    [SCHEDGPU_POLICY_PRIORITY_FIFO] = {"priority-fifo", sg_highest_priority_first,
                                       SG_NO_FIT_STOPS_LOWER_PRIORITIES},
    [SCHEDGPU_POLICY_PRIORITY_MMU] = {"priority-mmu", sg_highest_priority_first,
                                      SG_NO_FIT_IS_SKIPPED},
    [SCHEDGPU_POLICY_HPFW] = {"hpfw", sg_highest_priority_first, SG_NO_FIT_STOPS},
    [SCHEDGPU_POLICY_SM_HPFW] = {"sm-hpfw", sg_smallest_of_priority_first, SG_NO_FIT_STOPS},
};
#define POLICIES (sizeof policies / sizeof *policies)
_Static_assert(POLICIES == SCHEDGPU_POLICIES, "admin.h counts the policies");

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

enum sg_on_no_fit sg_policy_order(const struct sg_region *r, const uint16_t *line, uint32_t count,
                                  uint16_t *order) {
  uint32_t policy = r->h.policy < POLICIES ? r->h.policy : SCHEDGPU_POLICY_FIFO;
  policies[policy].order(r, line, count, order);
  return policies[policy].on_no_fit;
}
