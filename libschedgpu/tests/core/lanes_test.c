/* lanes_test.c - which lane a job gets: docs/reference/lanes.md, "Memory of a lane job". */
#include "../support/lanes.h"

static void a_lane_job_reserves_what_it_keeps_and_its_lane(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 6 * GIB, GIB);
  take_now(r, 0, GIB);
  assert_int_equal(used(r), 6 * GIB);
  assert_int_equal(r->lane[0].bytes, 5 * GIB);
  assert_int_equal(r->job[0].reserved_bytes[0], GIB);
  fixture_free(r);
}

/** 10 GiB: 1 + 3 and 1 + 3 are 8; a third one joins one of the lanes. */
static void lanes_are_opened_while_they_fit(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < 3; i++) {
    lane_job(r, i, FAIR, 4 * GIB, GIB);
    take_now(r, i, GIB);
  }
  assert_int_equal(lane_of_slot(r, 0), 0);
  assert_int_equal(lane_of_slot(r, 1), 1);
  assert_int_equal(lane_of_slot(r, 2), 0); /* of equals the first */
  assert_int_equal(used(r), 9 * GIB);
  fixture_free(r);
}

static void the_smallest_lane_that_is_large_enough_is_used(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 5 * GIB, 0); /* lanes of 5 and 3 GiB */
  lane_job(r, 1, FAIR, 3 * GIB, 0);
  lane_job(r, 2, FAIR, 3 * GIB, GIB); /* 1 + 2: does not fit beside them, the lane of 3 does */
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_OK);
  take_now(r, 2, GIB);
  assert_int_equal(lane_of_slot(r, 2), 1);
  assert_int_equal(used(r), 9 * GIB);
  fixture_free(r);
}

static void the_smallest_lane_that_can_grow_grows(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 4 * GIB, 0);
  lane_job(r, 1, FAIR, 3 * GIB, 0);
  lane_job(r, 2, FAIR, 6 * GIB, GIB); /* 1 + 5: no lane is that large; 3 are free */
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_OK);
  begin_iteration(r, 2, SCHEDGPU_ETURN);
  assert_int_equal(lane_of_slot(r, 2), 1); /* 3 + 2 and 1 kept */
  assert_int_equal(r->lane[1].bytes, 5 * GIB);
  assert_int_equal(used(r), 10 * GIB);
  fixture_free(r);
}

static void what_fits_nowhere_waits_for_a_lane(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 9 * GIB, 6 * GIB);
  lane_job(r, 1, FAIR, 9 * GIB, 2 * GIB);
  begin_iteration(r, 0, SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  die(r, 0);
  assert_true(granted(r, waiter));
  assert_int_equal(settle(r, waiter), SCHEDGPU_OK);
  assert_int_equal(used(r), 9 * GIB);
  fixture_free(r);
}

/** Jobs of other policies, and on other devices, are in other lanes. */
static void a_lane_has_one_policy_and_one_device(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 6 * GIB, 0);
  begin_iteration(r, 0, SCHEDGPU_OK);
  lane_job_on(r, 1, 1, FAIR, 9 * GIB, 0);
  begin_iteration_on(r, 1, 1, SCHEDGPU_OK);
  lane_job(r, 2, SRTF, 6 * GIB, 0);
  uint32_t waiter;
  assert_int_equal(ask_gate(r, 2, 0, 1, &waiter), SCHEDGPU_EWOULDBLOCK);
  assert_int_not_equal(waiter, SG_NONE); /* for memory: the lane of 6 is not for it */
  assert_int_equal(lane_of_slot(r, 1), 1);
  fixture_free(r);
}

static void a_lane_shrinks_and_ends_with_its_members(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 9 * GIB, 0);
  lane_job(r, 1, FAIR, 4 * GIB, GIB);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 1, GIB);
  assert_int_equal(used(r), 10 * GIB);
  die(r, 0);
  end_job(r, 0);
  assert_int_equal(used(r), 4 * GIB);
  end_job(r, 1);
  assert_int_equal(used(r), 0);
  assert_int_equal(r->h.lane_high, 0);
  fixture_free(r);
}

static void other_jobs_wait_for_what_lanes_reserve(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 8 * GIB, GIB);
  take_now(r, 0, GIB); /* the lane is not in use, but reserved */
  join(r, 1, SCHEDGPU_MODE_PEAK, 3 * GIB, 50);
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  end_job(r, 0);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

/** A waiter without room blocks those behind it only while the members could serve it. */
static void the_reduction_releases_a_lane_with_its_last_member(void **state) {
  (void)state;
  uint32_t waiter, other;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 8 * GIB, GIB);
  take_now(r, 0, GIB);
  join(r, 1, SCHEDGPU_MODE_PEAK, 9 * GIB, 50);
  join(r, 2, SCHEDGPU_MODE_PEAK, 2 * GIB, 50);
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  /* it would fit, but the older one comes first: the lane will be released */
  assert_int_equal(ask_on(r, 2, 0, GIB, &other), SCHEDGPU_EWOULDBLOCK);
  fixture_free(r);
}

static void an_idle_budget_leaves_its_lane(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 8 * GIB, GIB);
  take_now(r, 0, GIB);
  join(r, 1, SCHEDGPU_MODE_PEAK, 9 * GIB, 50);
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  give(r, 0, GIB);
  assert_true(granted(r, waiter));
  assert_int_equal(r->h.lane_high, 0);
  fixture_free(r);
}

static void a_lane_shrinks_when_its_largest_member_is_idle(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 8 * GIB, GIB);
  lane_job(r, 1, FAIR, 5 * GIB, GIB);
  take_now(r, 0, GIB);
  take_now(r, 1, GIB);
  assert_int_equal(used(r), 9 * GIB); /* 1 + 1 + 7 */
  join(r, 2, SCHEDGPU_MODE_PEAK, 5 * GIB, 50);
  assert_int_equal(ask_on(r, 2, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  give(r, 0, GIB);
  assert_true(granted(r, waiter));
  assert_int_equal(r->lane[0].bytes, 4 * GIB);
  assert_int_equal(used(r), 10 * GIB);
  fixture_free(r);
}

static void a_budget_is_not_idle_during_an_iteration(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 8 * GIB, GIB);
  begin_iteration(r, 0, SCHEDGPU_OK); /* nothing is allocated yet */
  join(r, 1, SCHEDGPU_MODE_PEAK, 9 * GIB, 50);
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  assert_false(granted(r, waiter));
  assert_int_equal(lane_of_slot(r, 0), 0);
  fixture_free(r);
}

static void a_budget_is_not_idle_while_a_process_waits_for_its_turn(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 8 * GIB, GIB);
  lane_job(r, 1, FAIR, 8 * GIB, GIB);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN); /* 1 + 1 + 7 GiB are in use */
  join(r, 2, SCHEDGPU_MODE_PEAK, 2 * GIB, 50);
  assert_int_equal(ask_on(r, 2, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  assert_false(granted(r, waiter));
  assert_int_equal(lane_of_slot(r, 1), 0);
  fixture_free(r);
}

static void a_member_never_waits_for_a_context(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 9 * GIB, GIB);
  assert_int_equal(ask_context(r, 0, &waiter), SCHEDGPU_OK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  add_process(r, 1, 0); /* one more than its job declared; nothing is free */
  assert_int_equal(ask_context(r, 1, &waiter), SCHEDGPU_ETOOBIG);
  struct sg_region *s = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  lane_job(s, 0, FAIR, 7 * GIB, GIB);
  assert_int_equal(ask_context(s, 0, &waiter), SCHEDGPU_OK);
  begin_iteration(s, 0, SCHEDGPU_OK);
  join(s, 2, SCHEDGPU_MODE_ONDEMAND, 0, 50);
  assert_int_equal(ask_context(s, 2, &waiter), SCHEDGPU_OK);
  take_now(s, 2, GIB);
  add_process(s, 1, 0);
  assert_int_equal(ask_context(s, 1, &waiter), SCHEDGPU_EDEADLOCK);
  assert_int_equal(waiter, SG_NONE);
  fixture_free(r);
  fixture_free(s);
}

/** 128 lanes: the next job uses one of them. */
static void a_full_table_opens_no_lane(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i <= SG_LANES; i++) {
    lane_job_of_root(r, i, FAIR, 2 * MIB, MIB);
    take_now(r, i, MIB);
  }
  assert_int_equal(lane_of_slot(r, SG_LANES - 1), SG_LANES - 1);
  assert_int_equal(lane_of_slot(r, SG_LANES), 0);
  assert_int_equal(used(r), (2 * SG_LANES + 1) * MIB);
  fixture_free(r);
}

static void expect_refused(struct sg_region *r, struct schedgpu_job_spec *s) {
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_job_begin(r, s, SG_NONE, 1, &wakes), SCHEDGPU_EINVAL);
}

static void impossible_lane_jobs_are_refused(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_job_spec good = lane_spec(1, FAIR, 4 * GIB, GIB), s = good;
  s.lane = SCHEDGPU_LANE_POLICIES;
  expect_refused(r, &s);
  s = good;
  s.mode = SCHEDGPU_MODE_ONDEMAND;
  expect_refused(r, &s);
  s = good;
  s.device_mask = 3;
  s.budget_bytes[1] = GIB;
  expect_refused(r, &s);
  s = good;
  s.persistent_bytes = 5 * GIB;
  expect_refused(r, &s);
  s = good;
  s.flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  expect_refused(r, &s);
  s = good;
  s.share = SG_MAX_SHARE + 1;
  expect_refused(r, &s);
  s = good;
  s.lane = SCHEDGPU_LANE_NONE; /* the rest belongs to lanes only */
  expect_refused(r, &s);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_lane_job_reserves_what_it_keeps_and_its_lane),
      cmocka_unit_test(lanes_are_opened_while_they_fit),
      cmocka_unit_test(the_smallest_lane_that_is_large_enough_is_used),
      cmocka_unit_test(the_smallest_lane_that_can_grow_grows),
      cmocka_unit_test(what_fits_nowhere_waits_for_a_lane),
      cmocka_unit_test(a_lane_has_one_policy_and_one_device),
      cmocka_unit_test(a_lane_shrinks_and_ends_with_its_members),
      cmocka_unit_test(other_jobs_wait_for_what_lanes_reserve),
      cmocka_unit_test(the_reduction_releases_a_lane_with_its_last_member),
      cmocka_unit_test(an_idle_budget_leaves_its_lane),
      cmocka_unit_test(a_lane_shrinks_when_its_largest_member_is_idle),
      cmocka_unit_test(a_budget_is_not_idle_during_an_iteration),
      cmocka_unit_test(a_budget_is_not_idle_while_a_process_waits_for_its_turn),
      cmocka_unit_test(a_member_never_waits_for_a_context),
      cmocka_unit_test(a_full_table_opens_no_lane),
      cmocka_unit_test(impossible_lane_jobs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
