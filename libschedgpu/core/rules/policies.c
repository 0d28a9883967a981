/*
 * policies.c - the table of policies: the order in which each examines the waiters, and what it
 * does when one does not fit.
 *
 * The first four are from the schedGPU paper (IEEE TPDS 29(5), 2018), section 5. Where the paper
 * leaves a choice, docs/explanation/policies.md gives the reason for ours. FIFO serves only the
 * oldest, and none if that does not fit. MMU serves the oldest that fits. Priority FIFO serves the
 * oldest that fits among the waiters of the highest waiting priority ("a following client with the
 * same priority is served"); a lower priority never overtakes a higher one. Priority MMU serves, of
 * all that fit, the highest priority, then the oldest: it uses memory rather than keep it free for
 * a request that needs more.
 *
 * RBDM paper (docs/reference/glossary.md), sections 4.2 and 4.3: HPFW serves the highest priority,
 * then the oldest; SM-HPFW the highest priority, then the smallest. RBDM serves the request whose
 * reservation is complete first (order.h); with HPFW or SM-HPFW among those that are ready. All of
 * them serve none if that request does not fit.
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
    [SCHEDGPU_POLICY_RBDM] = {"rbdm", sg_first_ready_first, SG_NO_FIT_STOPS},
    [SCHEDGPU_POLICY_RBDM_HPFW] = {"rbdm-hpfw", sg_highest_of_ready_first, SG_NO_FIT_STOPS},
    [SCHEDGPU_POLICY_RBDM_SM_HPFW] = {"rbdm-sm-hpfw", sg_smallest_of_ready_first, SG_NO_FIT_STOPS},
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

enum sg_on_no_fit sg_policy_order(const struct sg_region *r, const uint16_t *waiters,
                                  uint32_t count, uint16_t *order) {
  uint32_t policy = r->h.policy < POLICIES ? r->h.policy : SCHEDGPU_POLICY_FIFO;
  policies[policy].order(r, waiters, count, order);
  return policies[policy].on_no_fit;
}
