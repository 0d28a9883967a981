/* lane_edges_test.c - cases of lanes that the comparison with the model found (lab/verification/):
 * docs/reference/lanes.md. */
#include "../support/lanes.h"

#define MS UINT64_C(1000000)

/** Jobs of 8 GiB that keep 512 MiB: they share one lane. */
static struct sg_region *members(uint32_t count, uint32_t policy) {
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < count; i++) {
    lane_job(r, i, policy, 8 * GIB, 512 * MIB);
    take_now(r, i, 512 * MIB);
  }
  return r;
}

/** What a sibling leased in its turn is not for a process without the turn. */
static void a_sibling_gets_no_lease_of_the_turn(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = members(1, PACK);
  add_process(r, 1, 0);
  take_now(r, 0, GIB); /* with the turn, it leases all */
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_ETURN);
  fixture_free(r);
}

static void granted_memory_beyond_the_budget_asks_for_no_turn(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 2, SCHEDGPU_MODE_PEAK, 9 * GIB, 50);
  take_now(r, 2, GIB);
  lane_job(r, 0, PACK, 5 * GIB, 0);
  add_process(r, 1, 0);
  uint32_t waiter = queue_up(r, 0, 2 * GIB);
  die(r, 2);
  assert_true(granted(r, waiter));
  take_now(r, 1, 4 * GIB);
  assert_int_equal(settle(r, waiter), SCHEDGPU_EBUDGET);
  fixture_free(r);
}

static void an_idle_job_leaves_its_turn(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  end_iteration_at(r, 0, 1 + 4 * MS, SCHEDGPU_OK);
  join(r, 2, SCHEDGPU_MODE_PEAK, 2 * GIB, 50);
  uint32_t waiter = queue_up(r, 2, 2 * GIB);
  look(r, 1 + 4 * MS);
  struct sg_wakes wakes = {0};
  bool idle;
  assert_true(sg_lease_give(&r->client[0].lease[0], 512 * MIB / SG_UNIT_BYTES, &idle));
  sg_serve(r, 1 + 4 * MS, &wakes);
  assert_int_equal(lane_of_slot(r, 0), SG_NONE);
  assert_int_equal(r->job[0].service_ns, 4 * MS);
  sg_client_remove(r, 2, 1 + 4 * MS, &wakes);
  (void)waiter;
  end_job(r, 2);
  take_now(r, 0, 512 * MIB); /* in the same lane again: its old turn is nobody's */
  assert_int_equal(sg_turn_holder(r, 0), SG_NONE);
  fixture_free(r);
}

static void a_second_end_makes_an_idle_turn_no_younger(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  begin_iteration_at(r, 1, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 1, SCHEDGPU_OK);
  end_iteration_at(r, 0, 4 * MS, SCHEDGPU_OK);
  look(r, 1 + SG_LANE_IDLE_NS);
  assert_true(has_turn(r, 1));
  fixture_free(r);
}

/** A job that was alone for long has had much, though its turn has never passed on. */
static void a_newcomer_counts_the_present_turn(void **state) {
  (void)state;
  struct sg_region *r = members(1, FAIR);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  lane_job(r, 1, FAIR, 8 * GIB, 512 * MIB);
  uint32_t waiter;
  assert_int_equal(ask_gate(r, 1, 0, 1 + 9 * MS, &waiter), SCHEDGPU_ETURN);
  assert_int_equal(r->job[1].service_ns, 9 * MS);
  fixture_free(r);
}

/** Of a sibling of the process that has the turn, and another job, the other job has had less. */
static void a_sibling_has_had_the_present_turn(void **state) {
  (void)state;
  struct sg_region *r = members(2, FAIR);
  r->h.quantum_ns = MS;
  add_process(r, 2, 0);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  begin_iteration_at(r, 2, 1, SCHEDGPU_ETURN);
  begin_iteration_at(r, 1, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 1 + 2 * MS, SCHEDGPU_OK);
  assert_true(has_turn(r, 1));
  fixture_free(r);
}

static void a_context_of_a_member_passes_the_queue(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, PACK, 3 * GIB, 0);
  take_now(r, 0, GIB);
  assert_int_equal(ask_context(r, 0, &waiter), SCHEDGPU_OK);
  join(r, 1, SCHEDGPU_MODE_PEAK, 9 * GIB, 50); /* 1 + 9 do not fit beside 1 */
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  add_process(r, 2, 0);
  assert_int_equal(ask_context(r, 2, &waiter), SCHEDGPU_OK);
  fixture_free(r);
}

static void a_job_that_holds_without_processes_is_admitted_again(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, PACK, 3 * GIB, 0);
  take_now(r, 0, GIB);
  die(r, 0); /* nobody waits, so the job still holds */
  join(r, 1, SCHEDGPU_MODE_PEAK, 6 * GIB, 50);
  take_now(r, 1, 6 * GIB);
  assert_int_equal(used(r), 10 * GIB);
  struct schedgpu_job_spec s = lane_spec(1, PACK, 3 * GIB, 0);
  join_as(r, 2, &s); /* a new process of it */
  assert_int_equal(ask_context(r, 2, &waiter), SCHEDGPU_OK);
  fixture_free(r);
}

/** All records are lanes of other kinds: the job waits, and does not hold without a lane. */
static void a_job_without_a_lane_does_not_hold(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < SG_LANES; i++) {
    lane_job_of_root(r, i, FAIR, 2 * MIB, MIB);
    take_now(r, i, MIB);
  }
  lane_job(r, SG_LANES, PACK, 2 * MIB, MIB);
  assert_int_equal(ask_on(r, SG_LANES, 0, MIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  end_job(r, 0);
  assert_true(granted(r, waiter));
  assert_int_equal(lane_of_slot(r, SG_LANES), 0);
  fixture_free(r);
}

static uint32_t findings(const struct sg_region *r) {
  struct sg_report report = {0};
  sg_damage(r, &report);
  return report.findings;
}

/** Damage that a recount repairs: without it, nobody would serve the waiter any more. */
static void miscounted_lanes_are_found_and_repaired(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  begin_iteration_at(r, 0, 1, SCHEDGPU_OK);
  begin_iteration_at(r, 1, 1, SCHEDGPU_ETURN);
  assert_int_equal(findings(r), 0);
  r->lane[0].waiting = 0;
  assert_int_equal(findings(r), 1);
  recover(r, 2);
  assert_int_equal(r->lane[0].waiting, 1);
  r->lane[0].members = 7;
  assert_int_equal(findings(r), 1);
  recover(r, 2);
  r->h.lane_high = 0;
  assert_int_equal(findings(r), 1);
  recover(r, 2);
  assert_int_equal(r->h.lane_high, 1);
  r->turn[0].state = 77;
  assert_int_equal(findings(r), 1);
  recover(r, 2);
  assert_int_equal(findings(r), 0);
  die(r, 0);
  assert_true(has_turn(r, 1));
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sibling_gets_no_lease_of_the_turn),
      cmocka_unit_test(granted_memory_beyond_the_budget_asks_for_no_turn),
      cmocka_unit_test(an_idle_job_leaves_its_turn),
      cmocka_unit_test(a_second_end_makes_an_idle_turn_no_younger),
      cmocka_unit_test(a_newcomer_counts_the_present_turn),
      cmocka_unit_test(a_sibling_has_had_the_present_turn),
      cmocka_unit_test(a_context_of_a_member_passes_the_queue),
      cmocka_unit_test(a_job_that_holds_without_processes_is_admitted_again),
      cmocka_unit_test(a_job_without_a_lane_does_not_hold),
      cmocka_unit_test(miscounted_lanes_are_found_and_repaired),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
