/* lane_share_test.c - lanes whose memory is one physical memory: docs/reference/lanes.md. */
#include "../support/lanes.h"
#include "history_testing.h"

#define KEPT (512 * MIB)
#define OTHER_USER 77

/** A lane job of 8 GiB that keeps 512 MiB, and its process. */
static void job_of(struct sg_region *r, uint32_t slot, uint32_t uid) {
  struct schedgpu_job_spec s = lane_spec(slot + 1, PACK, 8 * GIB, KEPT);
  s.uid = uid;
  join_as(r, slot, &s);
}

static struct sg_region *sharers(uint32_t count) {
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < count; i++) {
    job_of(r, i, 1);
    assert_int_equal(sg_lane_share(r, i), SCHEDGPU_OK);
  }
  return r;
}

static void maps(struct sg_region *r, uint32_t slot, uint64_t bytes, int expected) {
  assert_int_equal(sg_lane_map(r, slot, bytes, 5), expected);
  fixture_check(r);
}

static void jobs_of_one_user_share_a_lane(void **state) {
  (void)state;
  struct sg_region *r = sharers(2);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  assert_int_equal(lane_of_slot(r, 1), lane_of_slot(r, 0));
  assert_int_equal(used(r), 8 * GIB + KEPT);
  fixture_free(r);
}

static void jobs_of_other_users_wait_for_a_lane_of_their_own(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = sharers(1);
  begin_iteration(r, 0, SCHEDGPU_OK);
  job_of(r, 1, OTHER_USER);
  assert_int_equal(sg_lane_share(r, 1), SCHEDGPU_OK);
  assert_int_equal(ask_gate(r, 1, 0, 1, &waiter), SCHEDGPU_EWOULDBLOCK);
  die(r, 0);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

/** Not even of the same user: it would allocate what the others do not free. */
static void jobs_that_do_not_share_are_in_other_lanes(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = sharers(1);
  begin_iteration(r, 0, SCHEDGPU_OK);
  job_of(r, 1, 1);
  assert_int_equal(ask_gate(r, 1, 0, 1, &waiter), SCHEDGPU_EWOULDBLOCK);
  fixture_free(r);
}

static void nobody_in_it_has_ephemeral_memory_of_his_own(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = sharers(1);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, KEPT);
  assert_int_equal(ask_on(r, 0, 0, MIB, &waiter), SCHEDGPU_EBUDGET);
  end_iteration(r, 0, SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 0, 0, MIB, &waiter), SCHEDGPU_EBUDGET);
  fixture_free(r);
}

/** Two processes of a job, of which one has all of it. */
static void a_sibling_does_not_ask_for_the_turn(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = sharers(1);
  begin_iteration(r, 0, SCHEDGPU_OK);
  add_process(r, 1, 0);
  take_now(r, 0, KEPT);
  assert_int_equal(ask_on(r, 1, 0, MIB, &waiter), SCHEDGPU_EBUDGET);
  fixture_free(r);
}

static void memory_is_mapped_in_the_turn(void **state) {
  (void)state;
  struct sg_region *r = sharers(2);
  maps(r, 0, GIB, SCHEDGPU_EINVAL); /* it has no lane */
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  maps(r, 1, GIB, SCHEDGPU_ETURN);
  maps(r, 0, 8 * GIB, SCHEDGPU_EBUDGET);
  maps(r, 0, 8 * GIB - KEPT, SCHEDGPU_OK);
  assert_int_equal(r->turn[0].lane_bytes, 8 * GIB - KEPT);
  assert_int_equal(used(r), 8 * GIB + KEPT);
  die(r, 0);
  assert_int_equal(r->turn[0].lane_bytes, 0);
  fixture_free(r);
}

/** Its lane would be given to others while the memory is on the device. */
static void a_budget_is_not_idle_while_its_lane_is_mapped(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = sharers(1);
  begin_iteration(r, 0, SCHEDGPU_OK);
  maps(r, 0, GIB, SCHEDGPU_OK);
  end_iteration(r, 0, SCHEDGPU_OK);
  join(r, 1, SCHEDGPU_MODE_PEAK, 9 * GIB, 50);
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  maps(r, 0, 0, SCHEDGPU_OK);
  struct sg_wakes wakes = {0};
  sg_serve(r, 1, &wakes);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

/** A job without lanes needs as much: so much is suggested for its next run. */
static void what_is_mapped_is_part_of_the_peak(void **state) {
  (void)state;
  struct sg_region *r = sharers(1);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, KEPT);
  give(r, 0, KEPT / 2);
  maps(r, 0, 7 * GIB, SCHEDGPU_OK);
  assert_int_equal(r->job[0].peak_bytes[0], KEPT); /* they were not in use together */
  give(r, 0, KEPT / 2);
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->peak_bytes[0], 7 * GIB + KEPT / 2);
  fixture_free(r);
}

static void what_a_killed_process_mapped_is_part_of_the_peak(void **state) {
  (void)state;
  struct sg_region *r = sharers(1);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, KEPT);
  maps(r, 0, GIB, SCHEDGPU_OK);
  die(r, 0);
  assert_int_equal(r->job[0].peak_bytes[0], GIB + KEPT);
  fixture_free(r);
}

static void processes_of_a_job_map_the_same_memory(void **state) {
  (void)state;
  struct sg_region *r = sharers(1);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, KEPT / 2);
  maps(r, 0, GIB, SCHEDGPU_OK);
  add_process(r, 1, 0);
  end_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  look(r, 2 + SG_LANE_IDLE_NS);
  assert_true(has_turn(r, 1));
  maps(r, 1, GIB, SCHEDGPU_OK);
  sg_note_all_peaks(r);
  assert_int_equal(r->job[0].peak_bytes[0], GIB + KEPT / 2);
  fixture_free(r);
}

/** It gets no more than that in an iteration, so less would be too little for the next run. */
static void what_is_kept_is_the_most_beside_the_lane(void **state) {
  (void)state;
  struct sg_region *r = sharers(2);
  begin_iteration(r, 0, SCHEDGPU_OK);
  enter_context(r, 0);
  take_now(r, 0, KEPT);
  maps(r, 0, GIB, SCHEDGPU_OK);
  give(r, 0, KEPT / 2);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration(r, 0, SCHEDGPU_OK);
  look(r, 2 + SG_LANE_IDLE_NS);
  assert_true(has_turn(r, 1));
  sg_note_all_peaks(r);
  assert_int_equal(r->job[0].kept_bytes, KEPT);
  fixture_free(r);
}

static void only_a_lane_job_of_two_parts_can_share(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, SCHEDGPU_MODE_PEAK, 4 * GIB, 50);
  assert_int_equal(sg_lane_share(r, 0), SCHEDGPU_EINVAL);
  lane_job(r, 1, PACK, GIB, 0);
  assert_int_equal(sg_lane_share(r, 1), SCHEDGPU_EINVAL);
  lane_job(r, 2, PACK, GIB, GIB);
  assert_int_equal(sg_lane_share(r, 2), SCHEDGPU_EINVAL);
  lane_job(r, 3, PACK, GIB, KEPT);
  take_now(r, 3, MIB);
  assert_int_equal(sg_lane_share(r, 3), SCHEDGPU_EINVAL); /* it is in a lane already */
  fixture_free(r);
}

/** A record may have been damaged: a member of another kind gets a lane of its own. */
static void a_recount_parts_members_of_other_kinds(void **state) {
  (void)state;
  struct sg_region *r = sharers(2);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  r->job[1].shares_lane = 0;
  sg_lanes_recount(r);
  assert_int_not_equal(lane_of_slot(r, 1), lane_of_slot(r, 0));
  free(r); /* its sums are not those of the lanes any more */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jobs_of_one_user_share_a_lane),
      cmocka_unit_test(jobs_of_other_users_wait_for_a_lane_of_their_own),
      cmocka_unit_test(jobs_that_do_not_share_are_in_other_lanes),
      cmocka_unit_test(nobody_in_it_has_ephemeral_memory_of_his_own),
      cmocka_unit_test(a_sibling_does_not_ask_for_the_turn),
      cmocka_unit_test(memory_is_mapped_in_the_turn),
      cmocka_unit_test(a_budget_is_not_idle_while_its_lane_is_mapped),
      cmocka_unit_test(what_is_mapped_is_part_of_the_peak),
      cmocka_unit_test(what_a_killed_process_mapped_is_part_of_the_peak),
      cmocka_unit_test(processes_of_a_job_map_the_same_memory),
      cmocka_unit_test(what_is_kept_is_the_most_beside_the_lane),
      cmocka_unit_test(only_a_lane_job_of_two_parts_can_share),
      cmocka_unit_test(a_recount_parts_members_of_other_kinds),
  };
  return cmocka_run_group_tests_name("lane_share", tests, NULL, NULL);
}
