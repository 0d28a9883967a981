/*
 * Cases 11 and 13 in the pure core: which request is next, and how often the oldest is overtaken.
 */
#include "../support/fixture.h"

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define PEAK SCHEDGPU_MODE_PEAK
#define LIMIT 3
#define PASSERS 20

/** Slot 0 holds 9 of 10 GiB; slot 1, the head, wants 8. */
struct scene {
  struct sg_region *r;
  uint32_t head;
};

static struct scene head_does_not_fit(uint32_t policy, uint32_t limit, int32_t head_priority) {
  struct scene s = {.r = fixture_new(1, 0, policy)};
  s.r->h.overtake_limit = limit;
  join(s.r, 0, ONDEMAND, 0, 50);
  join(s.r, 1, ONDEMAND, 0, head_priority);
  take_now(s.r, 0, 9 * GIB);
  s.head = queue_up(s.r, 1, 8 * GIB);
  return s;
}

/** Adds younger requests that would fit. Returns how many are served while the head waits. */
static uint32_t how_many_pass(struct scene *s, int32_t priority) {
  uint32_t passed = 0;
  for (uint32_t slot = 2; slot < 2 + PASSERS; slot++) {
    uint32_t w;
    join(s->r, slot, ONDEMAND, 0, priority);
    if (ask_on(s->r, slot, 0, GIB / 2, &w) != SCHEDGPU_OK)
      continue;
    passed++;
    die(s->r, slot);
  }
  assert_false(granted(s->r, s->head));
  return passed;
}

/** The head is next as soon as it fits, whatever waits behind it. */
static void expect_head_is_served(struct scene *s) {
  die(s->r, 0);
  assert_true(granted(s->r, s->head));
  fixture_free(s->r);
}

static void case_13_fifo_no_request_overtakes_a_head_that_does_not_fit(void **state) {
  (void)state;
  for (uint32_t limit = 0; limit <= LIMIT; limit++) {
    struct scene s = head_does_not_fit(SCHEDGPU_POLICY_FIFO, limit, 50);
    assert_int_equal(how_many_pass(&s, 90), 0);
    expect_head_is_served(&s);
  }
}

static void case_13_mmu_the_head_is_overtaken_no_more_often_than_the_bound(void **state) {
  (void)state;
  struct scene s = head_does_not_fit(SCHEDGPU_POLICY_MMU, LIMIT, 50);
  assert_int_equal(how_many_pass(&s, 10), LIMIT);
  assert_int_equal(s.r->waiter[s.head].overtaken, LIMIT);
  expect_head_is_served(&s);
}

static void case_13_priority_fifo_the_bound_holds_against_higher_priorities(void **state) {
  (void)state;
  struct scene s = head_does_not_fit(SCHEDGPU_POLICY_PRIORITY_FIFO, LIMIT, 10);
  assert_int_equal(how_many_pass(&s, 90), LIMIT);
  expect_head_is_served(&s);
}

static void case_13_priority_fifo_lower_priorities_never_pass_the_head(void **state) {
  (void)state;
  struct scene s = head_does_not_fit(SCHEDGPU_POLICY_PRIORITY_FIFO, LIMIT, 50);
  assert_int_equal(how_many_pass(&s, 10), 0);
  expect_head_is_served(&s);
}

static void case_13_priority_mmu_the_bound_holds_against_every_priority(void **state) {
  (void)state;
  for (int32_t priority = 10; priority <= 90; priority += 80) {
    struct scene s = head_does_not_fit(SCHEDGPU_POLICY_PRIORITY_MMU, LIMIT, 50);
    assert_int_equal(how_many_pass(&s, priority), LIMIT);
    expect_head_is_served(&s);
  }
}

static void case_13_hpfw_the_bound_holds_against_higher_priorities(void **state) {
  (void)state;
  for (uint32_t policy = SCHEDGPU_POLICY_HPFW; policy <= SCHEDGPU_POLICY_SM_HPFW; policy++) {
    struct scene s = head_does_not_fit(policy, LIMIT, 50);
    assert_int_equal(how_many_pass(&s, 90), LIMIT);
    expect_head_is_served(&s);
  }
}

static void case_13_hpfw_lower_priorities_never_pass_the_head(void **state) {
  (void)state;
  for (uint32_t policy = SCHEDGPU_POLICY_HPFW; policy <= SCHEDGPU_POLICY_SM_HPFW; policy++) {
    struct scene s = head_does_not_fit(policy, LIMIT, 50);
    assert_int_equal(how_many_pass(&s, 10), 0);
    expect_head_is_served(&s);
  }
}

/** In the RBDM paper a large request waits as long as smaller ones come. */
static void case_13_sm_hpfw_the_bound_holds_against_smaller_requests(void **state) {
  (void)state;
  struct scene s = head_does_not_fit(SCHEDGPU_POLICY_SM_HPFW, LIMIT, 50);
  assert_int_equal(how_many_pass(&s, 50), LIMIT);
  expect_head_is_served(&s);
}

static void case_13_rbdm_the_bound_holds_against_higher_priorities(void **state) {
  (void)state;
  for (uint32_t policy = SCHEDGPU_POLICY_RBDM; policy <= SCHEDGPU_POLICY_RBDM_SM_HPFW; policy++) {
    struct scene s = head_does_not_fit(policy, LIMIT, 10);
    assert_int_equal(how_many_pass(&s, 90), LIMIT);
    expect_head_is_served(&s);
  }
}

/** The head is ready after 6 cycles, the others after 2: four come in time to overtake it. */
static void case_13_rbdm_needs_no_bound(void **state) {
  (void)state;
  struct scene s = head_does_not_fit(SCHEDGPU_POLICY_RBDM, 0, 25);
  assert_int_equal(how_many_pass(&s, 75), 4);
  expect_head_is_served(&s);
}

static void case_13_without_a_bound_fifo_and_rbdm_protect_the_head(void **state) {
  (void)state;
  for (uint32_t policy = SCHEDGPU_POLICY_MMU; policy <= SCHEDGPU_POLICY_SM_HPFW; policy++) {
    struct scene s = head_does_not_fit(policy, 0, 50);
    assert_int_equal(how_many_pass(&s, 90), PASSERS);
    expect_head_is_served(&s);
  }
}

/** Freed memory is reserved for a head that has reached its overtake limit. */
static void case_13_freed_memory_is_reserved_for_the_head_at_its_bound(void **state) {
  (void)state;
  struct scene s = head_does_not_fit(SCHEDGPU_POLICY_MMU, LIMIT, 50);
  how_many_pass(&s, 50);
  give(s.r, 0, 6 * GIB); /* 7 are free: enough for all requests behind the head */
  for (uint32_t w = 0; w < SG_SLOTS; w++)
    assert_false(granted(s.r, w));
  give(s.r, 0, GIB);
  assert_true(granted(s.r, s.head));
  fixture_free(s.r);
}

/** The head wants 6, the next 2.5 of the 4 that are free. */
static struct scene head_and_next(uint32_t *next) {
  struct scene s = {.r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO)};
  for (uint32_t slot = 0; slot < 3; slot++)
    join(s.r, slot, ONDEMAND, 0, 50);
  take_now(s.r, 0, 6 * GIB);
  s.head = queue_up(s.r, 1, 6 * GIB);
  *next = queue_up(s.r, 2, 2 * GIB + GIB / 2);
  assert_false(granted(s.r, *next));
  return s;
}

static void case_11_a_cancelled_head_lets_the_next_in_at_once(void **state) {
  (void)state;
  uint32_t next;
  struct scene s = head_and_next(&next);
  assert_int_equal(settle(s.r, s.head), SCHEDGPU_EWOULDBLOCK);
  assert_true(granted(s.r, next));
  fixture_free(s.r);
}

static void case_11_a_killed_head_lets_the_next_in_at_once(void **state) {
  (void)state;
  uint32_t next;
  struct scene s = head_and_next(&next);
  die(s.r, 1);
  assert_true(granted(s.r, next));
  fixture_free(s.r);
}

static void case_12_granted_and_killed_the_next_is_granted_at_once(void **state) {
  (void)state;
  uint32_t next;
  struct scene s = head_and_next(&next);
  uint32_t last = (join(s.r, 3, ONDEMAND, 0, 50), queue_up(s.r, 3, 5 * GIB));
  die(s.r, 0); /* 10 free: 6 and 2.5 are granted */
  assert_true(granted(s.r, s.head));
  assert_true(granted(s.r, next));
  assert_false(granted(s.r, last));
  die(s.r, 1);
  assert_true(granted(s.r, last));
  assert_int_equal(s.r->device[0].used_bytes, 7 * GIB + GIB / 2);
  fixture_free(s.r);
}

/** The budget was granted to the job, not to the process that asked first. */
static void case_12_a_budget_granted_to_a_dead_client_stays_with_its_siblings(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  add_process(r, 2, 1);
  take_now(r, 0, 8 * GIB);
  uint32_t a = queue_up(r, 1, GIB), b = queue_up(r, 2, GIB);
  die(r, 0);
  assert_true(granted(r, a));
  assert_true(granted(r, b));
  die(r, 1);
  assert_int_equal(settle(r, b), SCHEDGPU_OK);
  assert_int_equal(r->device[0].used_bytes, 6 * GIB);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_11_a_cancelled_head_lets_the_next_in_at_once),
      cmocka_unit_test(case_11_a_killed_head_lets_the_next_in_at_once),
      cmocka_unit_test(case_12_granted_and_killed_the_next_is_granted_at_once),
      cmocka_unit_test(case_12_a_budget_granted_to_a_dead_client_stays_with_its_siblings),
      cmocka_unit_test(case_13_fifo_no_request_overtakes_a_head_that_does_not_fit),
      cmocka_unit_test(case_13_mmu_the_head_is_overtaken_no_more_often_than_the_bound),
      cmocka_unit_test(case_13_priority_fifo_the_bound_holds_against_higher_priorities),
      cmocka_unit_test(case_13_priority_fifo_lower_priorities_never_pass_the_head),
      cmocka_unit_test(case_13_priority_mmu_the_bound_holds_against_every_priority),
      cmocka_unit_test(case_13_hpfw_the_bound_holds_against_higher_priorities),
      cmocka_unit_test(case_13_hpfw_lower_priorities_never_pass_the_head),
      cmocka_unit_test(case_13_sm_hpfw_the_bound_holds_against_smaller_requests),
      cmocka_unit_test(case_13_rbdm_the_bound_holds_against_higher_priorities),
      cmocka_unit_test(case_13_rbdm_needs_no_bound),
      cmocka_unit_test(case_13_without_a_bound_fifo_and_rbdm_protect_the_head),
      cmocka_unit_test(case_13_freed_memory_is_reserved_for_the_head_at_its_bound),
  };
  return cmocka_run_group_tests_name("cases 11, 12, 13: turns in the queue", tests, NULL, NULL);
}
