/* turns_test.c - who has the turn of a lane: docs/reference/lanes.md, "Turns". */
#include "../support/lanes.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

/** Jobs of 9 GiB that keep 512 MiB: they share one lane. */
static struct sg_region *members(uint32_t count, uint32_t policy) {
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < count; i++) {
    lane_job(r, i, policy, 8 * GIB, 512 * MIB);
    take_now(r, i, 512 * MIB);
  }
  return r;
}

static void one_process_has_the_turn(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  assert_true(has_turn(r, 0));
  begin_iteration(r, 0, SCHEDGPU_OK); /* it has it already */
  fixture_free(r);
}

/** They have tickets of their own. */
static void a_wait_for_a_turn_is_no_request(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  uint64_t last = r->h.ticket, of_lanes = r->h.lane_ticket;
  assert_int_equal(last, 0);
  assert_true(of_lanes >= 2); /* both joined */
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  assert_int_equal(r->h.ticket, last);
  assert_true(r->turn[1].ticket > of_lanes);
  fixture_free(r);
}

static void the_turn_brings_the_memory_of_an_iteration(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = members(2, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, 7 * GIB + 512 * MIB);
  assert_int_equal(ask_on(r, 0, 0, 512, &waiter), SCHEDGPU_EBUDGET);
  assert_int_equal(ask_on(r, 1, 0, 512, &waiter), SCHEDGPU_ETURN); /* beyond what it keeps */
  fixture_free(r);
}

/** A program that marks no iterations is one long iteration. */
static void memory_beyond_what_is_kept_asks_for_the_turn(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  take_now(r, 0, GIB);
  assert_true(has_turn(r, 0));
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  give(r, 0, GIB);
  look(r, SECOND);
  assert_true(has_turn(r, 0)); /* it has not ended its iteration */
  die(r, 0);
  assert_true(has_turn(r, 1));
  assert_int_equal(settle_turn(r, 1), SCHEDGPU_OK);
  fixture_free(r);
}

static void who_may_not_wait_is_not_queued(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  struct sg_wakes wakes = {0};
  uint32_t waiter;
  struct sg_request q = {.client = 1, .gate = true, .deadline_ns = SG_NO_DEADLINE};
  assert_int_equal(sg_ask(r, &q, 1, &waiter, &wakes), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(waiter, SG_NONE);
  assert_int_equal(r->lane[0].waiting, 0);
  fixture_free(r);
}

static void who_gives_up_leaves(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  assert_int_equal(settle_turn(r, 1), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(r->lane[0].waiting, 0);
  assert_int_equal(settle_turn(r, 1), SCHEDGPU_ENOJOB);
  fixture_free(r);
}

static void pack_keeps_the_turn_until_it_is_idle(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 0));
  begin_iteration_at(r, 0, SECOND, SCHEDGPU_OK);
  end_iteration_at(r, 0, 2 * SECOND, SCHEDGPU_OK);
  look(r, 2 * SECOND + SG_LANE_IDLE_NS - 1);
  assert_true(has_turn(r, 0));
  look(r, 2 * SECOND + SG_LANE_IDLE_NS);
  assert_true(has_turn(r, 1));
  assert_int_equal(settle_turn(r, 1), SCHEDGPU_OK);
  fixture_free(r);
}

static void an_idle_turn_is_taken_at_once_if_its_time_is_over(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  end_iteration_at(r, 0, SECOND, SCHEDGPU_OK);
  begin_iteration_at(r, 1, SECOND + SG_LANE_IDLE_NS, SCHEDGPU_OK);
  begin_iteration_at(r, 0, SECOND + SG_LANE_IDLE_NS, SCHEDGPU_ETURN);
  fixture_free(r);
}

static void fair_changes_after_a_quantum(void **state) {
  (void)state;
  struct sg_region *r = members(2, FAIR);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, SECOND - MS, SCHEDGPU_OK);
  begin_iteration_at(r, 0, SECOND - MS, SCHEDGPU_OK);
  end_iteration_at(r, 0, SECOND + 1, SCHEDGPU_OK);
  assert_true(has_turn(r, 1));
  assert_int_equal(settle_turn(r, 1), SCHEDGPU_OK);
  assert_int_equal(r->job[0].service_ns, SECOND); /* its turn began at 1 */
  begin_iteration_at(r, 0, SECOND + 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 1, 2 * SECOND, SCHEDGPU_OK); /* a quantum less a nanosecond */
  assert_true(has_turn(r, 1));
  begin_iteration_at(r, 1, 2 * SECOND, SCHEDGPU_OK);
  end_iteration_at(r, 1, 3 * SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 0));
  fixture_free(r);
}

static void fair_gives_to_who_had_least(void **state) {
  (void)state;
  struct sg_region *r = members(3, FAIR);
  r->job[1].service_ns = 5 * SECOND;
  r->job[2].service_ns = 4 * SECOND;
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  begin_iteration(r, 2, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 3 * SECOND, SCHEDGPU_OK); /* it had less than both */
  assert_true(has_turn(r, 0));
  begin_iteration_at(r, 0, 3 * SECOND, SCHEDGPU_OK);
  end_iteration_at(r, 0, 6 * SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 2));
  fixture_free(r);
}

/** A share of 2 counts each second as half a second. */
static void fair_weighs_by_shares(void **state) {
  (void)state;
  struct sg_region *r = members(3, FAIR);
  r->job[1].service_ns = 5 * SECOND;
  r->job[1].share = 2;
  r->job[2].service_ns = 3 * SECOND;
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 2, SCHEDGPU_ETURN);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 9 * SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 1));
  fixture_free(r);
}

static void a_newcomer_starts_level_with_the_least(void **state) {
  (void)state;
  struct sg_region *r = members(2, FAIR);
  r->job[0].service_ns = 50 * SECOND;
  r->job[1].service_ns = 40 * SECOND;
  struct schedgpu_job_spec s = lane_spec(3, FAIR, 8 * GIB, 512 * MIB);
  s.share = 3;
  join_as(r, 2, &s);
  take_now(r, 2, 512 * MIB);
  assert_int_equal(r->job[2].service_ns, 120 * SECOND);
  fixture_free(r);
}

static void srtf_gives_to_who_needs_least(void **state) {
  (void)state;
  struct sg_region *r = members(4, SRTF);
  r->job[0].length_ns = 100 * SECOND;
  r->job[1].length_ns = 80 * SECOND;
  r->job[2].length_ns = 30 * SECOND;
  r->job[3].length_ns = 0; /* unknown: last */
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 3, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 0)); /* the other comes later */
  begin_iteration_at(r, 0, SECOND, SCHEDGPU_OK);
  begin_iteration_at(r, 1, SECOND, SCHEDGPU_ETURN);
  begin_iteration_at(r, 2, SECOND, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 2 * SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 2));
  fixture_free(r);
}

/** What the present turn has done counts: of 100 s only 10 remain, less than 30. */
static void srtf_knows_what_the_holder_has_done(void **state) {
  (void)state;
  struct sg_region *r = members(2, SRTF);
  r->job[0].length_ns = 100 * SECOND;
  r->job[1].length_ns = 30 * SECOND;
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 90 * SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 0));
  fixture_free(r);
}

static void fifo_gives_to_who_joined_first(void **state) {
  (void)state;
  struct sg_region *r = members(3, SCHEDGPU_LANE_FIFO);
  begin_iteration(r, 2, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  begin_iteration(r, 0, SCHEDGPU_ETURN);
  end_iteration_at(r, 2, SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 0));
  assert_int_equal(settle_turn(r, 0), SCHEDGPU_OK);
  end_iteration_at(r, 0, SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 0)); /* it joined before the one that waits */
  fixture_free(r);
}

static void a_higher_priority_comes_first(void **state) {
  (void)state;
  struct sg_region *r = members(3, PACK);
  r->job[2].priority = 90;
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  begin_iteration(r, 2, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 2, SCHEDGPU_OK);
  assert_true(has_turn(r, 2));
  begin_iteration_at(r, 2, 2, SCHEDGPU_OK);
  end_iteration_at(r, 2, 3, SCHEDGPU_OK); /* lower ones wait until it is idle */
  assert_true(has_turn(r, 2));
  fixture_free(r);
}

static void the_overtake_limit_bounds_every_policy(void **state) {
  (void)state;
  struct sg_region *r = members(3, SRTF);
  r->h.overtake_limit = 2;
  r->job[1].length_ns = (int64_t)(20 * SECOND);
  r->job[2].length_ns = (int64_t)(10 * SECOND);
  begin_iteration(r, 1, SCHEDGPU_OK);
  begin_iteration(r, 0, SCHEDGPU_ETURN); /* unknown: last */
  uint32_t runs = 1;
  for (int i = 1; i <= 2; i++) {
    uint32_t other = 3 - runs;
    r->job[other].length_ns = (int64_t)SECOND; /* each time the other is shorter */
    begin_iteration(r, other, SCHEDGPU_ETURN);
    end_iteration_at(r, runs, 2, SCHEDGPU_OK);
    assert_int_equal(settle_turn(r, other), SCHEDGPU_OK);
    assert_int_equal(r->turn[0].overtaken, i);
    r->job[other].length_ns = (int64_t)(50 * SECOND);
    runs = other;
  }
  r->job[3 - runs].length_ns = (int64_t)SECOND;
  begin_iteration(r, 3 - runs, SCHEDGPU_ETURN);
  end_iteration_at(r, runs, 3, SCHEDGPU_OK);
  assert_true(has_turn(r, 0));
  fixture_free(r);
}

static void who_uses_more_keeps_more_if_it_is_free(void **state) {
  (void)state;
  struct sg_region *r = members(2, FAIR); /* 512 MiB are free */
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, 512 * MIB);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 2 * SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 1));
  assert_int_equal(r->job[0].reserved_bytes[0], GIB);
  assert_int_equal(used(r), 9 * GIB); /* 1 + 0.5 + 7.5 */
  fixture_free(r);
}

static void else_the_turn_is_kept(void **state) {
  (void)state;
  struct sg_region *r = members(2, FAIR);
  join(r, 5, SCHEDGPU_MODE_ONDEMAND, 0, 50);
  take_now(r, 5, GIB + 512 * MIB); /* nothing is free */
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, 512 * MIB);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 2 * SECOND, SCHEDGPU_EKEPT);
  assert_true(has_turn(r, 0));
  look(r, 3 * SECOND);
  assert_true(has_turn(r, 0)); /* nor is it taken when it is idle */
  struct sg_wakes wakes = {0};
  bool idle;
  assert_true(sg_lease_give(&r->client[0].lease[0], 512 * MIB / SG_UNIT_BYTES, &idle));
  end_iteration_at(r, 0, 3 * SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 1));
  (void)wakes;
  fixture_free(r);
}

/** What shrinks of the lane may be kept: a job that declared nothing keeps what it uses. */
static void a_lane_of_its_own_pays_for_what_a_job_keeps(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 10 * GIB, 0);
  lane_job(r, 1, FAIR, 10 * GIB, 0);
  take_now(r, 0, 2 * GIB); /* the whole device is its lane */
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 2 * SECOND, SCHEDGPU_EKEPT); /* the other's lane is as large */
  die(r, 1);
  end_job(r, 1);
  lane_job(r, 2, FAIR, 8 * GIB, 0);
  begin_iteration_at(r, 2, 2 * SECOND, SCHEDGPU_OK); /* idle for long: 2 are kept, 8 the lane */
  assert_int_equal(r->job[0].reserved_bytes[0], 2 * GIB);
  assert_int_equal(r->lane[0].bytes, 8 * GIB);
  assert_int_equal(used(r), 10 * GIB);
  fixture_free(r);
}

/** Without the lock a process may use what it leased; that is taken back before the turn goes. */
static void unused_leases_do_not_outlive_the_turn(void **state) {
  (void)state;
  struct sg_region *r = members(2, FAIR);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, GIB); /* it leases all, since it is alone in its job */
  give(r, 0, GIB);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  end_iteration_at(r, 0, 2 * SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 1));
  assert_false(sg_lease_take(&r->client[0], 0, 1));
  fixture_free(r);
}

static void the_turn_of_a_dead_process_goes_on(void **state) {
  (void)state;
  struct sg_region *r = members(3, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  begin_iteration(r, 2, SCHEDGPU_ETURN);
  die(r, 1); /* a waiter */
  assert_int_equal(r->lane[0].waiting, 1);
  die(r, 0);
  assert_true(has_turn(r, 2));
  fixture_free(r);
}

static void the_turn_of_an_ended_job_goes_on(void **state) {
  (void)state;
  struct sg_region *r = members(3, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  begin_iteration(r, 2, SCHEDGPU_ETURN);
  end_job(r, 1);
  assert_int_equal(settle_turn(r, 1), SCHEDGPU_ENOJOB);
  end_job(r, 0);
  assert_true(has_turn(r, 2));
  assert_true(r->turn[2].state == SG_GRANTED);
  fixture_free(r);
}

static void a_granted_turn_of_a_dead_waiter_goes_on(void **state) {
  (void)state;
  struct sg_region *r = members(3, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  die(r, 0);
  begin_iteration(r, 2, SCHEDGPU_ETURN);
  die(r, 1); /* it had not taken its turn */
  assert_true(has_turn(r, 2));
  fixture_free(r);
}

static void processes_of_one_job_take_turns_too(void **state) {
  (void)state;
  struct sg_region *r = members(1, FAIR);
  add_process(r, 1, 0);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, 4 * GIB);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  give(r, 0, 4 * GIB);
  end_iteration_at(r, 0, 2 * SECOND, SCHEDGPU_OK);
  assert_true(has_turn(r, 1));
  fixture_free(r);
}

/** What the process with the turn has leased does not become its siblings'. */
static void a_sibling_gets_only_what_is_kept(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  lane_job(r, 0, FAIR, 4 * GIB, GIB);
  add_process(r, 1, 0);
  begin_iteration(r, 0, SCHEDGPU_OK);
  take_now(r, 0, 3 * GIB);
  give(r, 0, 2 * GIB); /* 1 in use, and some more leased */
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_ETURN);
  settle_turn(r, 1);
  give(r, 0, 512 * MIB);
  take_now(r, 1, 512 * MIB);
  assert_int_equal(ask_on(r, 1, 0, 512, &waiter), SCHEDGPU_ETURN);
  fixture_free(r);
}

static void an_idle_turn_ends_with_the_idle_budget(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = members(2, PACK);
  begin_iteration(r, 0, SCHEDGPU_OK);
  end_iteration_at(r, 0, 1, SCHEDGPU_OK);
  join(r, 5, SCHEDGPU_MODE_PEAK, 2 * GIB, 50);
  assert_int_equal(ask_on(r, 5, 0, GIB, &waiter), SCHEDGPU_EWOULDBLOCK);
  give(r, 0, 512 * MIB);
  assert_true(granted(r, waiter)); /* 1.5 and 0.5 are free */
  assert_false(sg_turn_begin_alone(&r->lane[0], 0, 5));
  assert_int_equal(r->lane[0].turn, 0);
  fixture_free(r);
}

static void a_recount_finds_the_same_lanes(void **state) {
  (void)state;
  struct sg_region *r = members(3, FAIR);
  begin_iteration(r, 0, SCHEDGPU_OK);
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  take_now(r, 0, GIB);
  uint64_t before = used(r);
  sg_recount(r);
  fixture_check(r);
  assert_int_equal(used(r), before);
  assert_true(has_turn(r, 0));
  assert_int_equal(r->lane[0].waiting, 1);
  fixture_free(r);
}

/** Without the lock: begin and end cost two compare-and-swaps. */
static void alone_a_process_begins_and_ends_without_the_lock(void **state) {
  (void)state;
  struct sg_region *r = members(2, PACK);
  assert_false(sg_turn_begin_alone(&r->lane[0], 0, 5)); /* it has not had the turn yet */
  begin_iteration(r, 0, SCHEDGPU_OK);
  assert_true(sg_turn_end_alone(&r->lane[0], 0, 5));
  assert_false(sg_turn_is_busy(r, 0));
  assert_true(sg_turn_begin_alone(&r->lane[0], 0, 5));
  assert_true(sg_turn_begin_alone(&r->lane[0], 0, 5));
  assert_true(sg_turn_is_busy(r, 0));
  assert_false(sg_turn_begin_alone(&r->lane[0], 1, 5));
  begin_iteration(r, 1, SCHEDGPU_ETURN);
  assert_false(sg_turn_end_alone(&r->lane[0], 0, 6)); /* somebody waits */
  fixture_free(r);
}

static void jobs_without_a_lane_have_no_turns(void **state) {
  (void)state;
  uint32_t waiter;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, SCHEDGPU_MODE_PEAK, GIB, 50);
  assert_int_equal(ask_gate(r, 0, 0, 1, &waiter), SCHEDGPU_EINVAL);
  end_iteration(r, 0, SCHEDGPU_OK);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_process_has_the_turn),
      cmocka_unit_test(a_wait_for_a_turn_is_no_request),
      cmocka_unit_test(the_turn_brings_the_memory_of_an_iteration),
      cmocka_unit_test(memory_beyond_what_is_kept_asks_for_the_turn),
      cmocka_unit_test(who_may_not_wait_is_not_queued),
      cmocka_unit_test(who_gives_up_leaves),
      cmocka_unit_test(pack_keeps_the_turn_until_it_is_idle),
      cmocka_unit_test(an_idle_turn_is_taken_at_once_if_its_time_is_over),
      cmocka_unit_test(fair_changes_after_a_quantum),
      cmocka_unit_test(fair_gives_to_who_had_least),
      cmocka_unit_test(fair_weighs_by_shares),
      cmocka_unit_test(a_newcomer_starts_level_with_the_least),
      cmocka_unit_test(srtf_gives_to_who_needs_least),
      cmocka_unit_test(srtf_knows_what_the_holder_has_done),
      cmocka_unit_test(fifo_gives_to_who_joined_first),
      cmocka_unit_test(a_higher_priority_comes_first),
      cmocka_unit_test(the_overtake_limit_bounds_every_policy),
      cmocka_unit_test(who_uses_more_keeps_more_if_it_is_free),
      cmocka_unit_test(else_the_turn_is_kept),
      cmocka_unit_test(a_lane_of_its_own_pays_for_what_a_job_keeps),
      cmocka_unit_test(unused_leases_do_not_outlive_the_turn),
      cmocka_unit_test(the_turn_of_a_dead_process_goes_on),
      cmocka_unit_test(the_turn_of_an_ended_job_goes_on),
      cmocka_unit_test(a_granted_turn_of_a_dead_waiter_goes_on),
      cmocka_unit_test(processes_of_one_job_take_turns_too),
      cmocka_unit_test(a_sibling_gets_only_what_is_kept),
      cmocka_unit_test(an_idle_turn_ends_with_the_idle_budget),
      cmocka_unit_test(a_recount_finds_the_same_lanes),
      cmocka_unit_test(alone_a_process_begins_and_ends_without_the_lock),
      cmocka_unit_test(jobs_without_a_lane_have_no_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
