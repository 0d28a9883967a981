/* lane_moves_test.c - waiters leave a lane whose turn does not end: docs/reference/lanes.md. */
#include "../support/lanes.h"

#define PATIENCE SG_LANE_PATIENCE_NS

/** In the lane of slot 0, which is in an iteration since 1, slot 1 waits. `taken` of 20 GiB are a
 * third job's. */
static struct sg_region *stuck(uint64_t taken) {
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  r->device[0].total_bytes = 20 * GIB;
  lane_job(r, 0, FAIR, 7 * GIB, GIB);
  lane_job(r, 1, FAIR, 6 * GIB, GIB);
  join(r, 2, SCHEDGPU_MODE_PEAK, taken, 50);
  take_now(r, 2, GIB);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  assert_int_equal(lane_of_slot(r, 1), 0);
  return r;
}

static void after_fifteen_seconds_a_waiter_opens_a_lane(void **state) {
  (void)state;
  struct sg_region *r = stuck(12 * GIB);
  end_job(r, 2);
  look(r, PATIENCE);
  assert_int_equal(lane_of_slot(r, 1), 0);
  look(r, 1 + PATIENCE);
  assert_int_equal(lane_of_slot(r, 1), 1);
  assert_true(has_turn(r, 1));
  assert_true(has_turn(r, 0));
  assert_int_equal(settle_turn(r, 1), SCHEDGPU_OK);
  assert_int_equal(used(r), 13 * GIB);
  fixture_free(r);
}

static void without_free_memory_it_stays(void **state) {
  (void)state;
  struct sg_region *r = stuck(12 * GIB);
  look(r, 1 + PATIENCE);
  assert_int_equal(lane_of_slot(r, 1), 0);
  assert_int_equal(settle_turn(r, 1), SCHEDGPU_EWOULDBLOCK);
  fixture_free(r);
}

/** Slot 1 made its lane larger by 4 GiB; then 5 GiB more are used than usable. */
static void beyond_what_is_usable_nothing_is_free(void **state) {
  (void)state;
  struct sg_wakes wakes = {0};
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, GIB, 0);
  lane_job(r, 2, FAIR, 4 * GIB, 0);
  lane_job(r, 1, FAIR, 6 * GIB, 0); /* 5 of 10 GiB are free: the smaller lane becomes larger */
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 2, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  assert_int_equal(lane_of_slot(r, 1), 0);
  begin_iteration_at(r, 2, PATIENCE, SCHEDGPU_OK);
  end_iteration_at(r, 2, PATIENCE, SCHEDGPU_OK); /* not stuck: it could grow by 2 GiB */
  sg_set_foreign(r, 0, 5 * GIB, 2, &wakes);
  look(r, 1 + PATIENCE);
  assert_int_equal(lane_of_slot(r, 1), 0);
  sg_set_foreign(r, 0, 0, 1 + PATIENCE, &wakes);
  assert_int_equal(lane_of_slot(r, 1), 1);
  fixture_free(r);
}

static void a_request_for_memory_comes_before_it(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = stuck(12 * GIB);
  join(r, 3, SCHEDGPU_MODE_PEAK, 13 * GIB, 50);
  assert_int_equal(ask_on(r, 3, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  end_job(r, 2);
  look(r, 1 + PATIENCE);
  assert_int_equal(lane_of_slot(r, 1), 0);
  fixture_free(r);
}

/** It costs nothing, so it needs no free memory. */
static void it_joins_another_lane_that_is_large_enough(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = stuck(11 * GIB);
  lane_job(r, 4, FAIR, 6 * GIB, GIB);
  end_job(r, 2);
  begin_iteration_at(r, 4, PATIENCE, SCHEDGPU_OK); /* a lane of 5 GiB, like that of slot 1 */
  join(r, 3, SCHEDGPU_MODE_PEAK, 13 * GIB, 50);
  assert_int_equal(ask_on(r, 3, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  look(r, 1 + PATIENCE);
  assert_int_equal(lane_of_slot(r, 1), 1);
  assert_false(has_turn(r, 1));
  end_iteration_at(r, 4, 2 + PATIENCE, SCHEDGPU_OK);
  look(r, 2 + PATIENCE + SG_LANE_IDLE_NS);
  assert_true(has_turn(r, 1));
  fixture_free(r);
}

static void it_joins_no_lane_with_a_stuck_turn(void **state) {
  (void)state;
  struct sg_region *r = stuck(12 * GIB);
  end_job(r, 2);
  lane_job(r, 4, FAIR, 11 * GIB, GIB); /* large enough for slot 1; 1 GiB is free beside it */
  begin_iteration(r, 4, SCHEDGPU_OK);
  assert_int_equal(lane_of_slot(r, 4), 1);
  uint64_t joined = r->job[1].joined;
  look(r, 1 + PATIENCE);
  assert_int_equal(lane_of_slot(r, 1), 0);
  assert_int_equal(r->job[1].joined, joined); /* not there and back */
  fixture_free(r);
}

static void a_process_with_a_sibling_in_the_iteration_stays(void **state) {
  (void)state;
  struct sg_region *r = stuck(12 * GIB);
  assert_int_equal(settle_turn(r, 1), SCHEDGPU_EWOULDBLOCK);
  add_process(r, 3, 0);
  begin_iteration(r, 3, SCHEDGPU_ETURN);
  end_job(r, 2);
  look(r, 1 + PATIENCE);
  assert_true(has_turn(r, 0));
  assert_false(has_turn(r, 3));
  fixture_free(r);
}

/** All processes of a job that wait are counted in its new lane. */
static void siblings_leave_together(void **state) {
  (void)state;
  struct sg_region *r = stuck(12 * GIB);
  add_process(r, 3, 1);
  begin_iteration(r, 3, SCHEDGPU_ETURN);
  assert_int_equal(atomic_load(&r->lane[0].waiting), 2);
  end_job(r, 2);
  look(r, 1 + PATIENCE);
  assert_true(has_turn(r, 1));
  assert_int_equal(atomic_load(&r->lane[0].waiting), 0);
  assert_int_equal(atomic_load(&r->lane[1].waiting), 1);
  end_iteration_at(r, 1, 2 + PATIENCE, SCHEDGPU_OK);
  look(r, 2 + PATIENCE + SG_LANE_IDLE_NS);
  assert_true(has_turn(r, 3));
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(after_fifteen_seconds_a_waiter_opens_a_lane),
      cmocka_unit_test(without_free_memory_it_stays),
      cmocka_unit_test(beyond_what_is_usable_nothing_is_free),
      cmocka_unit_test(a_request_for_memory_comes_before_it),
      cmocka_unit_test(it_joins_another_lane_that_is_large_enough),
      cmocka_unit_test(it_joins_no_lane_with_a_stuck_turn),
      cmocka_unit_test(a_process_with_a_sibling_in_the_iteration_stays),
      cmocka_unit_test(siblings_leave_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
