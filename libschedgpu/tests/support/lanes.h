/* lanes.h - short names for the transitions of lane jobs. */
#ifndef SG_TEST_LANES_H
#define SG_TEST_LANES_H

#include "../../core/lanes/lanes.h"
#include "fixture.h"

enum { PACK = SCHEDGPU_LANE_PACK, SRTF = SCHEDGPU_LANE_SRTF, FAIR = SCHEDGPU_LANE_FAIR };

static inline struct schedgpu_job_spec lane_spec(uint64_t id, uint32_t policy,
                                                 uint64_t budget_bytes, uint64_t persistent_bytes) {
  struct schedgpu_job_spec s = job_spec(id, SCHEDGPU_MODE_PEAK, budget_bytes, 50);
  s.lane = policy;
  s.persistent_bytes = persistent_bytes;
  return s;
}

/** A lane job on `device` and its one process in slot `slot`; its record is the slot's number if
 * the jobs are begun in order. */
static inline void lane_job_on(struct sg_region *r, uint32_t slot, uint32_t device, uint32_t policy,
                               uint64_t budget_bytes, uint64_t persistent_bytes) {
  struct schedgpu_job_spec s = lane_spec(slot + 1, policy, 0, persistent_bytes);
  s.device_mask = 1u << device;
  s.budget_bytes[device] = budget_bytes;
  join_as(r, slot, &s);
}

static inline void lane_job(struct sg_region *r, uint32_t slot, uint32_t policy,
                            uint64_t budget_bytes, uint64_t persistent_bytes) {
  lane_job_on(r, slot, 0, policy, budget_bytes, persistent_bytes);
}

/** Of root, who may have all lanes. */
static inline void lane_job_of_root(struct sg_region *r, uint32_t slot, uint32_t policy,
                                    uint64_t budget_bytes, uint64_t persistent_bytes) {
  struct schedgpu_job_spec s = lane_spec(slot + 1, policy, budget_bytes, persistent_bytes);
  s.uid = 0;
  join_as(r, slot, &s);
}

static inline int ask_gate(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t now_ns,
                           uint32_t *waiter) {
  struct sg_wakes wakes = {0};
  struct sg_request q = {.client = slot,
                         .device = device,
                         .gate = true,
                         .may_wait = true,
                         .deadline_ns = SG_NO_DEADLINE};
  int rc = sg_ask(r, &q, now_ns, waiter, &wakes);
  fixture_check(r);
  return rc;
}

static inline void begin_iteration_on(struct sg_region *r, uint32_t slot, uint32_t device,
                                      int expected) {
  uint32_t waiter;
  assert_int_equal(ask_gate(r, slot, device, 1, &waiter), expected);
  assert_int_equal(waiter, SG_NONE);
}

static inline void begin_iteration_at(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                                      int expected) {
  uint32_t waiter;
  assert_int_equal(ask_gate(r, slot, 0, now_ns, &waiter), expected);
}

static inline void begin_iteration(struct sg_region *r, uint32_t slot, int expected) {
  begin_iteration_on(r, slot, 0, expected);
}

static inline void end_iteration_at(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                                    int expected) {
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_turn_end(r, slot, now_ns, &wakes), expected);
  fixture_check(r);
}

static inline void end_iteration(struct sg_region *r, uint32_t slot, int expected) {
  end_iteration_at(r, slot, 1, expected);
}

static inline void look(struct sg_region *r, uint64_t now_ns) {
  struct sg_wakes wakes = {0};
  sg_serve(r, now_ns, &wakes);
  fixture_check(r);
}

static inline int settle_turn(struct sg_region *r, uint32_t slot) {
  int rc = sg_turn_settle(r, slot, 1);
  fixture_check(r);
  return rc;
}

static inline uint32_t lane_of_slot(const struct sg_region *r, uint32_t slot) {
  return sg_lane_of(r, slot);
}

static inline bool has_turn(const struct sg_region *r, uint32_t slot) {
  return sg_lane_of(r, slot) != SG_NONE && sg_turn_holder(r, sg_lane_of(r, slot)) == slot;
}

static inline void end_job(struct sg_region *r, uint32_t job) {
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_job_end(r, job, 1, &wakes), SCHEDGPU_OK);
  fixture_check(r);
}

#endif
