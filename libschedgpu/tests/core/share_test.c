/* share_test.c - turns with the device itself: docs/reference/lanes.md, "Compute turns". */
#include "../support/lanes.h"

#define MS UINT64_C(1000000)
#define QUANTUM (100 * MS)
#define SHARE SCHEDGPU_LANE_SHARE

/** Jobs of 1 GiB that keep all of it. */
static struct sg_region *sharing(uint32_t count) {
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < count; i++) {
    lane_job(r, i, SHARE, GIB, GIB);
    take_now(r, i, GIB);
  }
  return r;
}

static void all_jobs_of_a_device_share_one_lane(void **state) {
  (void)state;
  struct sg_region *r = sharing(2); /* a second lane would fit */
  lane_job_on(r, 2, 1, SHARE, GIB, GIB);
  uint32_t waiter;
  assert_int_equal(ask_on(r, 2, 1, GIB, &waiter), SCHEDGPU_OK);
  assert_int_equal(lane_of_slot(r, 0), lane_of_slot(r, 1));
  assert_int_not_equal(lane_of_slot(r, 0), lane_of_slot(r, 2));
  assert_int_equal(r->lane[lane_of_slot(r, 0)].bytes, 0);
  fixture_free(r);
}

static void a_turn_lasts_a_tenth_of_the_quantum(void **state) {
  (void)state;
  struct sg_region *r = sharing(2);
  begin_iteration_at(r, 0, MS, SCHEDGPU_OK);
  begin_iteration_at(r, 1, MS, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, MS + QUANTUM - 1, SCHEDGPU_OK);
  assert_true(has_turn(r, 0));
  begin_iteration_at(r, 0, MS + QUANTUM - 1, SCHEDGPU_OK);
  end_iteration_at(r, 0, MS + QUANTUM, SCHEDGPU_OK);
  assert_true(has_turn(r, 1));
  fixture_free(r);
}

static void a_stop_is_no_service(void **state) {
  (void)state;
  struct sg_region *r = sharing(2);
  struct sg_lane *lane = &r->lane[lane_of_slot(r, 0)];
  begin_iteration_at(r, 0, MS, SCHEDGPU_OK);
  sg_turn_leave_out_alone(lane, 1, 900 * MS, 1000 * MS); /* has no turn */
  assert_int_equal(sg_service_ns(r, 0, 1000 * MS), 999 * MS);
  sg_turn_leave_out_alone(lane, 0, 900 * MS, 1000 * MS);
  assert_int_equal(sg_service_ns(r, 0, 1000 * MS), 99 * MS);
  sg_turn_leave_out_alone(lane, 0, 900 * MS, 1000 * MS); /* no more than it had */
  assert_int_equal(sg_service_ns(r, 0, 1000 * MS), 0);
  fixture_free(r);
}

/** Each job asks again as soon as it has given its turn away. */
static void busy_jobs_get_their_shares(void **state) {
  (void)state;
  struct sg_region *r = sharing(3);
  uint64_t now_ns = MS, had_ns[3] = {0};
  for (uint32_t i = 0; i < 3; i++) {
    r->job[i].share = 1u << i;
    begin_iteration_at(r, i, now_ns, i == 0 ? SCHEDGPU_OK : SCHEDGPU_ETURN);
  }
  for (int turn = 0; turn < 100; turn++) {
    uint32_t holder = sg_turn_holder(r, lane_of_slot(r, 0));
    now_ns += QUANTUM;
    had_ns[holder] += QUANTUM;
    end_iteration_at(r, holder, now_ns, SCHEDGPU_OK);
    uint32_t next = sg_turn_holder(r, lane_of_slot(r, 0));
    if (next != holder)
      settle_turn(r, next);
    begin_iteration_at(r, holder, now_ns, next == holder ? SCHEDGPU_OK : SCHEDGPU_ETURN);
  }
  for (uint32_t i = 0; i < 3; i++) { /* of 100 turns 1/7, 2/7, 4/7 */
    int64_t sevenths = (int64_t)(had_ns[i] / QUANTUM * 7), expected = 100 << i;
    assert_true(sevenths >= expected - 14 && sevenths <= expected + 14);
  }
  fixture_free(r);
}

/** A job that wanted nothing for a minute does not get that minute now. */
static void a_pause_gives_no_credit(void **state) {
  (void)state;
  struct sg_region *r = sharing(3);
  r->job[0].service_ns = 600 * QUANTUM;
  r->job[2].share = 2;
  begin_iteration_at(r, 0, MS, SCHEDGPU_OK);
  begin_iteration_at(r, 2, MS + QUANTUM, SCHEDGPU_ETURN);
  assert_int_equal(r->job[2].service_ns, 2 * 601 * QUANTUM); /* level with the only other one */
  r->job[0].service_ns += QUANTUM;
  begin_iteration_at(r, 1, MS + QUANTUM, SCHEDGPU_ETURN);
  assert_int_equal(r->job[1].service_ns, 601 * QUANTUM); /* level with the least of two */
  fixture_free(r);
}

static void who_asks_again_keeps_its_service(void **state) {
  (void)state;
  struct sg_region *r = sharing(2);
  begin_iteration_at(r, 0, MS, SCHEDGPU_OK);
  begin_iteration_at(r, 1, MS, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, MS + 3 * QUANTUM, SCHEDGPU_OK);
  begin_iteration_at(r, 0, MS + 3 * QUANTUM, SCHEDGPU_ETURN);
  assert_int_equal(r->job[0].service_ns, 3 * QUANTUM);
  fixture_free(r);
}

/** What a job had of an idle device is no debt to those who want it later. */
static void alone_a_job_starts_level_with_the_most(void **state) {
  (void)state;
  struct sg_region *r = sharing(2);
  r->job[1].service_ns = 600 * QUANTUM;
  begin_iteration_at(r, 0, MS, SCHEDGPU_OK);
  assert_int_equal(r->job[0].service_ns, 600 * QUANTUM);
  fixture_free(r);
}

/** A second process of a job that computes asks: the job itself has not paused. */
static void a_sibling_does_not_catch_up(void **state) {
  (void)state;
  struct sg_region *r = sharing(2);
  add_process(r, 2, 0);
  begin_iteration_at(r, 0, MS, SCHEDGPU_OK);
  begin_iteration_at(r, 1, MS + QUANTUM, SCHEDGPU_ETURN);
  r->job[1].service_ns = 600 * QUANTUM;
  begin_iteration_at(r, 2, MS + QUANTUM, SCHEDGPU_ETURN);
  assert_int_equal(r->job[0].service_ns, 0);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_jobs_of_a_device_share_one_lane),
      cmocka_unit_test(a_turn_lasts_a_tenth_of_the_quantum),
      cmocka_unit_test(a_stop_is_no_service),
      cmocka_unit_test(busy_jobs_get_their_shares),
      cmocka_unit_test(a_pause_gives_no_credit),
      cmocka_unit_test(who_asks_again_keeps_its_service),
      cmocka_unit_test(alone_a_job_starts_level_with_the_most),
      cmocka_unit_test(a_sibling_does_not_catch_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
