/*
 * safety_test.c - every process that holds memory and waits can be served in the end: no grant
 * makes the state unsafe, whatever is requested in between. Rules: docs/reference/rules.md, "New
 * contexts". Each of these stories once ended with processes that waited forever.
 */
#include "../support/fixture.h"

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define PEAK SCHEDGPU_MODE_PEAK

static void join_on_both(struct sg_region *r, uint32_t slot, uint32_t mode, uint64_t budget_bytes,
                         int32_t priority) {
  struct schedgpu_job_spec s = job_spec(slot + 1, mode, budget_bytes, priority);
  s.device_mask = 3;
  s.budget_bytes[1] = budget_bytes;
  join_as(r, slot, &s);
}

static void take_on(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t bytes) {
  uint32_t waiter;
  assert_int_equal(ask_on(r, slot, device, bytes, &waiter), SCHEDGPU_OK);
}

static uint32_t queue_on(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t bytes) {
  uint32_t waiter;
  assert_int_equal(ask_on(r, slot, device, bytes, &waiter), SCHEDGPU_EWOULDBLOCK);
  assert_int_not_equal(waiter, SG_NONE);
  return waiter;
}

static bool is_admitted(const struct sg_region *r, uint32_t slot) {
  return r->job[r->client[slot].job].admitted != 0;
}

enum { FIRST, SECOND, RUNS, NEW };

/**
 * Contexts of 1 GiB, only on device 1. FIRST holds all 7 of device 0 and waits for 3 of device 1;
 * SECOND holds 5 of device 1 and waits for 2 of device 0. Both wait for RUNS, which will release 1
 * beside the 2 that are free there. NEW waits for its admission: its context would leave only 2.
 */
static struct sg_region *region_with_one_way_out(uint32_t *first) {
  struct sg_region *r = fixture_new(3, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_setup s = fixture_setup(3, 7 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  s.device[1].total_bytes = 11 * GIB;
  s.device[1].context_bytes = GIB;
  assert_int_equal(sg_region_update(r, &s), SCHEDGPU_OK);
  r->h.deadlock_rule = SCHEDGPU_DEADLOCK_DETECT;
  for (uint32_t slot = FIRST; slot <= NEW; slot++)
    join_on_both(r, slot, ONDEMAND, 0, 50);
  take_on(r, FIRST, 0, 7 * GIB);
  take_on(r, SECOND, 1, 5 * GIB);
  take_on(r, RUNS, 1, GIB);
  *first = queue_on(r, FIRST, 1, 3 * GIB);
  queue_on(r, SECOND, 0, 2 * GIB);
  queue_on(r, NEW, 0, GIB);
  assert_false(is_admitted(r, NEW));
  return r;
}

static void a_refused_wait_admits_no_waiter(void **state) {
  (void)state;
  uint32_t first, refused;
  struct sg_region *r = region_with_one_way_out(&first);
  assert_int_equal(ask_on(r, RUNS, 0, 5 * GIB, &refused), SCHEDGPU_EDEADLOCK);
  assert_false(is_admitted(r, NEW));
  die(r, RUNS);
  assert_true(granted(r, first));
  fixture_free(r);
}

static void a_try_admits_no_waiter(void **state) {
  (void)state;
  uint32_t first, none;
  struct sg_region *r = region_with_one_way_out(&first);
  struct sg_wakes wakes = {0};
  struct sg_request q = {.client = RUNS, .bytes = 5 * GIB, .deadline_ns = SG_NO_DEADLINE};
  assert_int_equal(sg_ask(r, &q, 1, &none, &wakes), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(none, SG_NONE);
  assert_false(is_admitted(r, NEW));
  die(r, RUNS);
  assert_true(granted(r, first));
  fixture_free(r);
}

enum { STUCK = 4, IN_ITS_WAY };

/** On device 2 a process holds 4 of 7 and waits for 4. No rule allows that; a repair might lead to
 * it. */
static void an_older_deadlock_blocks_no_context(void **state) {
  (void)state;
  uint32_t first;
  struct sg_region *r = region_with_one_way_out(&first);
  struct schedgpu_job_spec stuck = job_spec(10, ONDEMAND, 0, 50),
                           other = job_spec(11, ONDEMAND, 0, 50);
  stuck.device_mask = other.device_mask = 4;
  join_as(r, STUCK, &stuck);
  join_as(r, IN_ITS_WAY, &other);
  take_on(r, STUCK, 2, 4 * GIB);
  take_on(r, IN_ITS_WAY, 2, 3 * GIB);
  uint32_t waiter = queue_on(r, STUCK, 2, 3 * GIB);
  r->waiter[waiter].bytes += GIB;
  r->job[r->client[STUCK].job].queued_bytes[2] += GIB;
  die(r, IN_ITS_WAY);
  assert_false(granted(r, waiter));
  assert_false(is_admitted(r, NEW));
  die(r, RUNS);
  assert_true(granted(r, first));
  fixture_free(r);
}

enum { WAITS_FOR_A_WAITER, OVERTAKEN, PREFERRED, HOLDS, HOLDS_AND_WAITS };

/**
 * Two devices of 10. HOLDS_AND_WAITS holds 5 of device 1 and waits for device 0, of which HOLDS
 * holds 6. So it is unknown when the 8 of device 1 are free that WAITS_FOR_A_WAITER needs, the
 * oldest in its queue. Two jobs with budgets of 4 on both devices could be served: one has reached
 * its overtake limit, the other has the higher priority. All queues must choose the same one.
 */
static void at_the_bound_a_blocked_waiter_hides_no_other(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_PRIORITY_MMU);
  r->h.overtake_limit = 1;
  join_on_both(r, WAITS_FOR_A_WAITER, ONDEMAND, 0, 50);
  join_on_both(r, OVERTAKEN, PEAK, 4 * GIB, 10);
  join_on_both(r, PREFERRED, PEAK, 4 * GIB, 90);
  join_on_both(r, HOLDS, ONDEMAND, 0, 50);
  join_on_both(r, HOLDS_AND_WAITS, ONDEMAND, 0, 50);
  take_on(r, HOLDS, 0, 9 * GIB);
  take_on(r, HOLDS_AND_WAITS, 1, 5 * GIB);
  queue_on(r, HOLDS_AND_WAITS, 0, 5 * GIB);
  uint32_t oldest = queue_on(r, WAITS_FOR_A_WAITER, 1, 8 * GIB),
           overtaken = queue_on(r, OVERTAKEN, 0, GIB), preferred = queue_on(r, PREFERRED, 0, GIB);
  r->waiter[oldest].overtaken = r->waiter[overtaken].overtaken = 1;
  give(r, HOLDS, 3 * GIB);
  assert_true(granted(r, overtaken));
  assert_false(granted(r, preferred));
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_refused_wait_admits_no_waiter),
      cmocka_unit_test(a_try_admits_no_waiter),
      cmocka_unit_test(an_older_deadlock_blocks_no_context),
      cmocka_unit_test(at_the_bound_a_blocked_waiter_hides_no_other),
  };
  return cmocka_run_group_tests_name("way_out", tests, NULL, NULL);
}
