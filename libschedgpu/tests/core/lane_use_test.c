/* lane_use_test.c - what is remembered of a lane job: docs/reference/remembered.md. */
#include "../support/lanes.h"
#include "history_testing.h"
#include "../../shell/admin/admin_handle.h"

#define MS UINT64_C(1000000)

/** Jobs of 8 GiB in one lane, which use 512 MiB; `persistent`: as declared. */
static struct sg_region *members(uint32_t count, uint32_t policy, uint64_t persistent) {
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < count; i++) {
    lane_job(r, i, policy, 8 * GIB, persistent);
    if (persistent != 0)
      take_now(r, i, 512 * MIB);
  }
  return r;
}

static void an_ended_job_tells_its_use_of_the_lane(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK, 512 * MIB);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  begin_iteration_at(r, 1, 1 + 2 * MS, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 1 + 5 * MS, SCHEDGPU_OK);
  look(r, 1 + 10 * MS); /* the turn has been idle for 5 ms */
  assert_true(has_turn(r, 1));
  end_at(r, 2, 1 + 17 * MS);
  const struct sg_ended *second = last_ended(r);
  assert_int_equal(second->lane_policy, PACK);
  assert_int_equal(second->turns, 1);
  assert_int_equal(second->switches, 0);
  assert_int_equal(second->service_ns, 7 * MS);
  assert_int_equal(second->turn_waited_ns, 8 * MS);
  end_at(r, 1, 1 + 20 * MS);
  const struct sg_ended *first = last_ended(r);
  assert_int_equal(first->turns, 1);
  assert_int_equal(first->switches, 1);
  assert_int_equal(first->service_ns, 5 * MS);
  assert_int_equal(first->turn_waited_ns, 0);
  assert_int_equal(first->kept_bytes, 512 * MIB);
  fixture_free(r);
}

/** What levels a newcomer with the others is no time in iterations. */
static void the_start_of_a_newcomer_is_no_service(void **state) {
  (void)state;
  struct sg_region *r = members(1, FAIR, 512 * MIB);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  lane_job(r, 1, FAIR, 8 * GIB, 512 * MIB);
  begin_iteration_at(r, 1, 1 + 9 * MS, SCHEDGPU_ETURN);
  assert_int_equal(r->job[1].service_ns, 9 * MS);
  end_at(r, 2, 1 + 9 * MS);
  assert_int_equal(last_ended(r)->service_ns, 0);
  fixture_free(r);
}

/** Nor is what levels a job with a share that paused. */
static void catching_up_is_no_service(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < 2; i++) {
    lane_job(r, i, SCHEDGPU_LANE_SHARE, GIB, GIB);
    take_now(r, i, GIB);
  }
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  begin_iteration_at(r, 1, 1 + 600 * MS, SCHEDGPU_ETURN);
  assert_int_equal(r->job[1].service_ns, 600 * MS);
  end_iteration_at(r, 0, 1 + 601 * MS, SCHEDGPU_OK);
  assert_true(has_turn(r, 1));
  end_at(r, 2, 1 + 608 * MS);
  assert_int_equal(last_ended(r)->service_ns, 7 * MS);
  fixture_free(r);
}

static void a_wait_in_vain_is_a_wait(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK, 512 * MIB);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  begin_iteration_at(r, 1, 1, SCHEDGPU_ETURN);
  assert_int_equal(sg_turn_settle(r, 1, 1 + 3 * MS), SCHEDGPU_EWOULDBLOCK);
  begin_iteration_at(r, 1, 1 + 4 * MS, SCHEDGPU_ETURN);
  end_at(r, 2, 1 + 8 * MS); /* while it waits */
  assert_int_equal(last_ended(r)->turn_waited_ns, 7 * MS);
  assert_int_equal(last_ended(r)->turns, 0);
  fixture_free(r);
}

static void waits_for_a_turn_at_the_same_time_count_once(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK, 512 * MIB);
  add_process(r, 2, 1);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  begin_iteration_at(r, 1, 1 + MS, SCHEDGPU_ETURN);
  begin_iteration_at(r, 2, 1 + 2 * MS, SCHEDGPU_ETURN);
  assert_int_equal(sg_turn_settle(r, 1, 1 + 3 * MS), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(sg_turn_settle(r, 2, 1 + 5 * MS), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(job_of_slot(r, 1)->turn_waited_ns, 4 * MS);
  fixture_free(r);
}

/** An iteration that allocates 2 GiB and leaves `kept`. */
static void iterate(struct sg_region *r, uint64_t kept) {
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, 2 * GIB);
  give(r, 0, 2 * GIB - kept);
  end_iteration(r, 0, SCHEDGPU_OK);
  give(r, 0, kept);
}

static void the_first_iterations_measure_what_is_kept(void **state) {
  (void)state;
  struct sg_region *r = members(1, PACK, 0);
  assert_true(sg_turn_measures(r, 0));
  iterate(r, 256 * MIB);
  iterate(r, 768 * MIB);
  iterate(r, 512 * MIB);
  assert_int_equal(r->job[0].kept_bytes, 768 * MIB);
  assert_false(sg_turn_measures(r, 0));
  iterate(r, GIB); /* perhaps a cache: nobody waits, so nothing was freed */
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->kept_bytes, 768 * MIB);
  fixture_free(r);
}

static void a_declared_size_is_not_measured(void **state) {
  (void)state;
  struct sg_region *r = members(1, PACK, 512 * MIB);
  assert_false(sg_turn_measures(r, 0));
  begin_iteration(r, 0, SCHEDGPU_OK);
  end_iteration(r, 0, SCHEDGPU_OK);
  assert_int_equal(r->job[0].kept_bytes, 0);
  fixture_free(r);
}

/** A process that only hands over what others want would never say that it marks iterations. */
static void the_first_end_of_an_iteration_is_noted_whoever_waits(void **state) {
  (void)state;
  struct sg_region *r = members(1, PACK, 512 * MIB);
  assert_true(sg_turn_end_is_noted(r, 0));
  begin_iteration(r, 0, SCHEDGPU_OK);
  assert_true(sg_turn_end_is_noted(r, 0));
  end_iteration(r, 0, SCHEDGPU_OK);
  assert_false(sg_turn_end_is_noted(r, 0));
  assert_int_equal(r->job[0].marked, 1);
  fixture_free(r);
}

/** A turn that is handed over tells it at any time: the job goes on without the rest. */
static void a_turn_that_changes_hands_measures_too(void **state) {
  (void)state;
  struct sg_region *r = members(1, PACK, 0);
  for (int i = 0; i < 4; i++)
    iterate(r, 256 * MIB);
  lane_job(r, 1, PACK, 8 * GIB, 0);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, GIB);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration(r, 0, SCHEDGPU_OK);
  look(r, 2 + SG_LANE_IDLE_NS);
  assert_true(has_turn(r, 1));
  assert_int_equal(r->job[0].kept_bytes, GIB);
  fixture_free(r);
}

static uint32_t unmarked_s(const struct sg_region *r, uint32_t job) {
  struct schedgpu_job_use use;
  sg_copy_use(&use, &r->job[job]);
  return use.unmarked_s;
}

/** A program that marks nothing: its memory brings it the turn, and its end takes it. */
static void a_job_that_marks_no_iteration_is_known(void **state) {
  (void)state;
  struct sg_region *r = members(1, PACK, 512 * MIB);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  leave_at(r, 0, 1 + 7000 * MS);
  assert_int_equal(unmarked_s(r, 0), 7);
  fixture_free(r);
}

/** One mark is enough, however the turn ends. */
static void a_job_that_ended_an_iteration_marks_them(void **state) {
  (void)state;
  for (int how = 0; how < 3; how++) {
    struct sg_region *r = members(how == 1 ? 2 : 1, PACK, how == 2 ? 0 : 512 * MIB);
    begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
    if (how == 1) /* somebody waits: it hands the turn over */
      begin_iteration_at(r, 1, 2, SCHEDGPU_ETURN);
    end_iteration_at(r, 0, 1 + 3000 * MS, SCHEDGPU_OK);
    look(r, 1 + 3010 * MS);
    leave_at(r, 0, 1 + 20000 * MS);
    assert_int_equal(unmarked_s(r, 0), 0);
    fixture_free(r);
  }
}

static void a_job_without_a_turn_has_none_to_mark(void **state) {
  (void)state;
  struct sg_region *r = members(1, PACK, 512 * MIB);
  join(r, 1, PEAK, GIB, 50);
  take_now(r, 1, GIB);
  assert_int_equal(unmarked_s(r, 0), 0);
  assert_int_equal(unmarked_s(r, 1), 0);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_ended_job_tells_its_use_of_the_lane),
      cmocka_unit_test(the_start_of_a_newcomer_is_no_service),
      cmocka_unit_test(catching_up_is_no_service),
      cmocka_unit_test(a_wait_in_vain_is_a_wait),
      cmocka_unit_test(waits_for_a_turn_at_the_same_time_count_once),
      cmocka_unit_test(the_first_iterations_measure_what_is_kept),
      cmocka_unit_test(a_declared_size_is_not_measured),
      cmocka_unit_test(the_first_end_of_an_iteration_is_noted_whoever_waits),
      cmocka_unit_test(a_turn_that_changes_hands_measures_too),
      cmocka_unit_test(a_job_that_marks_no_iteration_is_known),
      cmocka_unit_test(a_job_that_ended_an_iteration_marks_them),
      cmocka_unit_test(a_job_without_a_turn_has_none_to_mark),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
