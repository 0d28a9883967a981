/*
 * policies_test.c - the choice of each policy in cases where the others choose differently
 * (schedGPU paper, section 5; RBDM paper, sections 4.2 and 4.3).
 */
#include "../support/fixture.h"

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

/**
 * A device of 10 GiB. Slot 0 holds 8; then 1 wants 6 (low), 2 wants 2.5 (low), 3 wants 7 (high) and
 * 4 wants 3 (high), in this order. Each policy then serves other requests when memory is freed.
 */
struct scene {
  struct sg_region *r;
  uint32_t w[5];
};

static struct scene build(uint32_t policy) {
  struct scene s = {.r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO)};
  const uint64_t want[5] = {8 * GIB, 6 * GIB, 2 * GIB + GIB / 2, 7 * GIB, 3 * GIB};
  const int32_t priority[5] = {50, 10, 10, 90, 90};
  for (uint32_t i = 0; i < 5; i++)
    join(s.r, i, ONDEMAND, 0, priority[i]);
  take_now(s.r, 0, want[0]);
  for (uint32_t i = 1; i < 5; i++)
    s.w[i] = queue_up(s.r, i, want[i]);
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_policy_set(s.r, policy, 1, &wakes), SCHEDGPU_OK);
  return s;
}

static void fifo_allows_no_overtaking(void **state) {
  (void)state;
  struct scene s = build(SCHEDGPU_POLICY_FIFO);
  give(s.r, 0, 3 * GIB); /* 5 free: the oldest wants 6 */
  for (int i = 1; i < 5; i++)
    assert_false(granted(s.r, s.w[i]));
  give(s.r, 0, 1 * GIB); /* 6 free */
  assert_true(granted(s.r, s.w[1]));
  assert_false(granted(s.r, s.w[2]));
  fixture_free(s.r);
}

static void fifo_goes_on_with_what_is_left(void **state) {
  (void)state;
  struct scene s = build(SCHEDGPU_POLICY_FIFO);
  give(s.r, 0, 8 * GIB); /* 10 free: 6, then 2.5; 7 does not fit and blocks the rest */
  assert_true(granted(s.r, s.w[1]));
  assert_true(granted(s.r, s.w[2]));
  assert_false(granted(s.r, s.w[3]));
  assert_false(granted(s.r, s.w[4]));
  fixture_free(s.r);
}

static void mmu_serves_the_oldest_that_fits(void **state) {
  (void)state;
  struct scene s = build(SCHEDGPU_POLICY_MMU);
  give(s.r, 0, 3 * GIB); /* 5 free: 6 does not fit, 2.5 does; then 2.5 are left */
  assert_false(granted(s.r, s.w[1]));
  assert_true(granted(s.r, s.w[2]));
  assert_false(granted(s.r, s.w[3]));
  assert_false(granted(s.r, s.w[4]));
  fixture_free(s.r);
}

static void priority_fifo_serves_only_the_highest_priority(void **state) {
  (void)state;
  struct scene s = build(SCHEDGPU_POLICY_PRIORITY_FIFO);
  give(s.r, 0, GIB); /* 3 free: high wants 7 and 3: "a following client with the same priority" */
  assert_true(granted(s.r, s.w[4]));
  give(s.r, 0, 3 * GIB); /* 3 free: 2.5 (low) would fit, but high waits */
  assert_false(granted(s.r, s.w[2]));
  assert_false(granted(s.r, s.w[3]));
  fixture_free(s.r);
}

static void priority_mmu_prefers_high_but_uses_the_memory(void **state) {
  (void)state;
  struct scene s = build(SCHEDGPU_POLICY_PRIORITY_MMU);
  give(s.r, 0, GIB); /* 3 free: both 2.5 (low, older) and 3 (high) fit: high */
  assert_true(granted(s.r, s.w[4]));
  assert_false(granted(s.r, s.w[2]));
  give(s.r, 0, 3 * GIB); /* 3 free: high wants 7: low gets it, as otherwise no request would */
  assert_true(granted(s.r, s.w[2]));
  assert_false(granted(s.r, s.w[3]));
  fixture_free(s.r);
}

static void hpfw_lets_nobody_pass_the_highest(void **state) {
  (void)state;
  struct scene s = build(SCHEDGPU_POLICY_HPFW);
  give(s.r, 0, GIB); /* 3 free: high wants 7, and 3 behind it: no request overtakes */
  for (int i = 1; i < 5; i++)
    assert_false(granted(s.r, s.w[i]));
  give(s.r, 0, 4 * GIB); /* 7 free: the oldest high one; low ones, older, come after it */
  assert_true(granted(s.r, s.w[3]));
  assert_false(granted(s.r, s.w[2]));
  fixture_free(s.r);
}

static void sm_hpfw_prefers_the_smallest_of_a_priority(void **state) {
  (void)state;
  struct scene s = build(SCHEDGPU_POLICY_SM_HPFW);
  give(s.r, 0, GIB); /* 3 free: of the high ones the smaller, although it is younger */
  assert_true(granted(s.r, s.w[4]));
  give(s.r, 0, 3 * GIB); /* 3 free: 2.5 (low) would fit, but high waits */
  assert_false(granted(s.r, s.w[2]));
  give(s.r, 0, 4 * GIB); /* 7 free */
  assert_true(granted(s.r, s.w[3]));
  assert_int_equal(settle(s.r, s.w[3]), SCHEDGPU_OK);
  give(s.r, 3, 4 * GIB); /* 4 free: of the low ones the smaller */
  assert_true(granted(s.r, s.w[2]));
  assert_false(granted(s.r, s.w[1]));
  fixture_free(s.r);
}

static void sm_hpfw_the_oldest_of_equal_requests_is_first(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_SM_HPFW);
  uint32_t w[20];
  join(r, 0, ONDEMAND, 0, 50);
  take_now(r, 0, 10 * GIB);
  for (uint32_t slot = 1; slot < 20; slot++) {
    join(r, slot, ONDEMAND, 0, 50);
    w[slot] = queue_up(r, slot, slot % 3 == 0 ? GIB : 2 * GIB);
  }
  give(r, 0, 8 * GIB); /* six of 1, the oldest of 2 */
  for (uint32_t slot = 1; slot < 20; slot++)
    assert_int_equal(granted(r, w[slot]), slot % 3 == 0 || slot == 1);
  fixture_free(r);
}

/** Two devices of 10 GiB, both full. The job in `slot` needs `first` and `second` GiB. */
static uint32_t queue_up_on_both(struct sg_region *r, uint32_t slot, uint64_t first,
                                 uint64_t second) {
  struct schedgpu_job_spec s = job_spec(slot + 1, SCHEDGPU_MODE_PEAK, first * GIB, 50);
  s.device_mask = 3;
  s.budget_bytes[1] = second * GIB;
  join_as(r, slot, &s);
  return queue_up(r, slot, GIB);
}

/** If each device had its own order, each job would be first on one of them and none on both. */
static void sm_hpfw_the_size_is_the_same_on_all_devices(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_SM_HPFW);
  struct schedgpu_job_spec all = job_spec(1, SCHEDGPU_MODE_PEAK, 10 * GIB, 50);
  all.device_mask = 3;
  all.budget_bytes[1] = 10 * GIB;
  join_as(r, 0, &all);
  take_now(r, 0, GIB);
  uint32_t larger = queue_up_on_both(r, 1, 2, 8), smaller = queue_up_on_both(r, 2, 6, 3);
  die(r, 0);
  assert_true(granted(r, smaller));
  assert_false(granted(r, larger)); /* 8 beside 3 */
  fixture_free(r);
}

struct wanted {
  int32_t priority;
  uint64_t gib;
};

/** A full device 0 of 10 GiB, and requests of slots 1, 2, ... in this order. */
static struct sg_region *line_up(uint32_t policy, uint32_t devices, const struct wanted *wanted,
                                 uint32_t count) {
  struct sg_region *r = fixture_new(devices, 0, policy);
  join(r, 0, ONDEMAND, 0, 50);
  take_now(r, 0, 10 * GIB);
  for (uint32_t slot = 1; slot <= count; slot++) {
    join(r, slot, ONDEMAND, 0, wanted[slot - 1].priority);
    queue_up(r, slot, wanted[slot - 1].gib * GIB);
  }
  return r;
}

/** Frees the bytes of each slot in this order: its request must be the next one that is served. */
static void expect_served(struct sg_region *r, const uint32_t *slot, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    give(r, 0, r->waiter[slot[i]].bytes);
    if (!granted(r, slot[i]))
      fail_msg("slot %u is not served when %u others were", slot[i], i);
  }
  fixture_free(r);
}

/* RO is 6 for priority 25, 3 for 50 and 2 for 75: table 1 of the RBDM paper. */

static void rbdm_serves_in_the_order_of_complete_reservations(void **state) {
  (void)state;
  const struct wanted wanted[] = {{25, 1}, {25, 1}, {75, 1}, {50, 1}, {75, 1}, {75, 1}};
  const uint32_t order[] = {3, 5, 4, 1, 6, 2}; /* complete after cycles 5, 7, 7, 7, 8, 8 */
  expect_served(line_up(SCHEDGPU_POLICY_RBDM, 1, wanted, 6), order, 6);
}

/** A cycle lasts for two requests: the third comes one cycle after the first. */
static void rbdm_a_cycle_lasts_for_as_many_requests_as_devices(void **state) {
  (void)state;
  const struct wanted wanted[] = {{50, 1}, {50, 1}, {75, 1}};
  const uint32_t one[] = {1, 3, 2}, two[] = {3, 1, 2}; /* after 4, 5, 5; after 3, 3, 4 */
  expect_served(line_up(SCHEDGPU_POLICY_RBDM, 1, wanted, 3), one, 3);
  expect_served(line_up(SCHEDGPU_POLICY_RBDM, 2, wanted, 3), two, 3);
}

static void rbdm_a_part_of_a_cycle_counts_as_one(void **state) {
  (void)state;
  const struct wanted wanted[] = {{75, 1}, {90, 1}};
  const uint32_t order[] = {1, 2}; /* complete after cycles 3 and 4, not 3 and 3.7 */
  expect_served(line_up(SCHEDGPU_POLICY_RBDM, 1, wanted, 2), order, 2);
}

static void rbdm_lets_nobody_pass_the_first(void **state) {
  (void)state;
  const struct wanted wanted[] = {{75, 3}, {75, 1}};
  for (uint32_t policy = SCHEDGPU_POLICY_RBDM; policy <= SCHEDGPU_POLICY_RBDM_SM_HPFW; policy++) {
    struct sg_region *r = line_up(policy, 1, wanted, 2);
    give(r, 0, GIB);
    assert_false(granted(r, 1));
    assert_false(granted(r, 2));
    fixture_free(r);
  }
}

static void rbdm_priority_0_counts_as_1(void **state) {
  (void)state;
  const struct wanted wanted[] = {{0, 1}, {1, 1}, {2, 1}};
  const uint32_t order[] = {3, 1, 2}; /* complete after cycles 78, 151, 152 */
  expect_served(line_up(SCHEDGPU_POLICY_RBDM, 1, wanted, 3), order, 3);
}

/** Its clock counts requests that wait or are served: a refused try brings nobody closer. */
static void rbdm_counts_no_refused_try(void **state) {
  (void)state;
  const struct wanted low = {25, 1};
  const uint32_t order[] = {3, 1}; /* complete after cycles 4 and 7 */
  struct sg_region *r = line_up(SCHEDGPU_POLICY_RBDM, 1, &low, 1);
  join(r, 2, ONDEMAND, 0, 50);
  for (int i = 0; i < 10; i++) {
    struct sg_wakes wakes = {0};
    uint32_t none;
    struct sg_request q = {.client = 2, .bytes = GIB, .deadline_ns = SG_NO_DEADLINE};
    assert_int_equal(sg_ask(r, &q, 1, &none, &wakes), SCHEDGPU_EWOULDBLOCK);
  }
  join(r, 3, ONDEMAND, 0, 75);
  queue_up(r, 3, GIB);
  expect_served(r, order, 2);
}

static void rbdm_delays_nobody_while_memory_is_free(void **state) {
  (void)state;
  for (uint32_t policy = SCHEDGPU_POLICY_RBDM; policy <= SCHEDGPU_POLICY_RBDM_SM_HPFW; policy++) {
    const struct wanted low = {1, 8};
    struct sg_region *r = line_up(policy, 1, &low, 1);
    give(r, 0, 10 * GIB);
    assert_true(granted(r, 1)); /* its reservation takes 150 cycles, and no request comes */
    join(r, 2, ONDEMAND, 0, 1);
    take_now(r, 2, GIB);
    fixture_free(r);
  }
}

static void rbdm_hpfw_serves_the_ready_by_priority(void **state) {
  (void)state;
  const struct wanted wanted[] = {{50, 1}, {25, 1}, {75, 1}, {75, 1}, {50, 1}, {75, 1}};
  const uint32_t order[] = {3, 4, 1, 6, 5, 2}; /* 3, 4 and 1 are ready; the others after cycle 8 */
  expect_served(line_up(SCHEDGPU_POLICY_RBDM_HPFW, 1, wanted, 6), order, 6);
}

static void rbdm_sm_hpfw_serves_the_smallest_of_the_ready(void **state) {
  (void)state;
  const struct wanted wanted[] = {{75, 3}, {75, 2}, {75, 1}, {75, 1}, {50, 1}};
  const uint32_t order[] = {3, 2, 1, 4, 5}; /* 1, 2 and 3 are ready */
  expect_served(line_up(SCHEDGPU_POLICY_RBDM_SM_HPFW, 1, wanted, 5), order, 5);
}

static void policy_change_serves_at_once(void **state) {
  (void)state;
  struct scene s = build(SCHEDGPU_POLICY_FIFO);
  give(s.r, 0, GIB); /* 3 free; fifo: no request */
  assert_false(granted(s.r, s.w[2]));
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_policy_set(s.r, SCHEDGPU_POLICY_MMU, 1, &wakes), SCHEDGPU_OK);
  assert_true(granted(s.r, s.w[2]));
  assert_int_equal(wakes.count, 1);
  assert_int_equal(sg_policy_set(s.r, 99, 1, &wakes), SCHEDGPU_EINVAL);
  assert_int_equal(s.r->h.policy, SCHEDGPU_POLICY_MMU);
  fixture_free(s.r);
}

/** 6 GiB are freed at once: enough for each request behind the head, but two may overtake it. */
static void one_pass_respects_the_overtake_limit(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_MMU);
  uint32_t passed = 0;
  r->h.overtake_limit = 2;
  for (uint32_t slot = 0; slot < 8; slot++)
    join(r, slot, SCHEDGPU_MODE_ONDEMAND, 0, 50);
  take_now(r, 0, 10 * GIB);
  queue_up(r, 1, 9 * GIB);
  for (uint32_t slot = 2; slot < 8; slot++)
    queue_up(r, slot, GIB);
  give(r, 0, 6 * GIB);
  for (uint32_t slot = 2; slot < 8; slot++)
    passed += granted(r, slot);
  assert_int_equal(passed, 2);
  fixture_free(r);
}

static void names_go_both_ways(void **state) {
  (void)state;
  for (uint32_t p = 0; p < SCHEDGPU_POLICIES; p++)
    assert_int_equal(schedgpu_policy_of_name(schedgpu_policy_name(p)), p);
  assert_null(schedgpu_policy_name(SCHEDGPU_POLICIES));
  assert_int_equal(schedgpu_policy_of_name("FIFO"), -1);
  assert_int_equal(schedgpu_policy_of_name("fif"), -1);
  assert_int_equal(schedgpu_policy_of_name("fifo2"), -1);
  assert_int_equal(schedgpu_policy_of_name(NULL), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fifo_allows_no_overtaking),
      cmocka_unit_test(fifo_goes_on_with_what_is_left),
      cmocka_unit_test(mmu_serves_the_oldest_that_fits),
      cmocka_unit_test(priority_fifo_serves_only_the_highest_priority),
      cmocka_unit_test(priority_mmu_prefers_high_but_uses_the_memory),
      cmocka_unit_test(hpfw_lets_nobody_pass_the_highest),
      cmocka_unit_test(sm_hpfw_prefers_the_smallest_of_a_priority),
      cmocka_unit_test(sm_hpfw_the_oldest_of_equal_requests_is_first),
      cmocka_unit_test(sm_hpfw_the_size_is_the_same_on_all_devices),
      cmocka_unit_test(rbdm_serves_in_the_order_of_complete_reservations),
      cmocka_unit_test(rbdm_a_cycle_lasts_for_as_many_requests_as_devices),
      cmocka_unit_test(rbdm_a_part_of_a_cycle_counts_as_one),
      cmocka_unit_test(rbdm_lets_nobody_pass_the_first),
      cmocka_unit_test(rbdm_priority_0_counts_as_1),
      cmocka_unit_test(rbdm_counts_no_refused_try),
      cmocka_unit_test(rbdm_delays_nobody_while_memory_is_free),
      cmocka_unit_test(rbdm_hpfw_serves_the_ready_by_priority),
      cmocka_unit_test(rbdm_sm_hpfw_serves_the_smallest_of_the_ready),
      cmocka_unit_test(policy_change_serves_at_once),
      cmocka_unit_test(one_pass_respects_the_overtake_limit),
      cmocka_unit_test(names_go_both_ways),
  };
  return cmocka_run_group_tests_name("policies", tests, NULL, NULL);
}
