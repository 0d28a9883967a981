/*
 * deadlock_test.c - ondemand memory: the two rules against deadlock, on the example of the Salus
 * paper (section 3.2.2, Figure 6). 12 GB and two jobs, each with 1 GB of model and 7 GB of
 * ephemeral memory, the latter in steps of 2, 2 and 3 GB.
 */
#include "../support/fixture.h"

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define PEAK SCHEDGPU_MODE_PEAK
enum { A = 0, B = 1 };

static struct sg_region *device_of_12(uint32_t rule) {
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_setup s = fixture_setup(1, 12 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(sg_region_update(r, &s), SCHEDGPU_OK);
  r->h.deadlock_rule = rule;
  return r;
}

/** PA, PB += 1; EA += 2; EB += 2; EA += 2; EB += 2: 10 of 12 are taken, both need 3 more. */
static struct sg_region *figure_6_before_the_last_steps(void) {
  struct sg_region *r = device_of_12(SCHEDGPU_DEADLOCK_DETECT);
  for (uint32_t job = A; job <= B; job++) {
    join(r, job, ONDEMAND, 0, 50);
    take_now(r, job, GIB);
  }
  for (int step = 0; step < 2; step++) {
    take_now(r, A, 2 * GIB);
    take_now(r, B, 2 * GIB);
  }
  return r;
}

static void detect_refuses_the_request_that_closes_the_cycle(void **state) {
  (void)state;
  struct sg_region *r = figure_6_before_the_last_steps();
  uint32_t w;
  uint32_t first = queue_up(r, A, 3 * GIB); /* B could still finish and free */
  assert_int_equal(ask_on(r, B, 0, 3 * GIB, &w), SCHEDGPU_EDEADLOCK);
  assert_int_equal(w, SG_NONE);
  assert_false(granted(r, first));
  give(r, B, 5 * GIB); /* as a program does after out of memory */
  assert_true(granted(r, first));
  fixture_free(r);
}

static void detect_sees_cycles_over_two_devices(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t w, ignored;
  for (uint32_t slot = A; slot <= B; slot++) {
    struct schedgpu_job_spec s = job_spec(slot + 1, ONDEMAND, 0, 50);
    s.device_mask = 3;
    r->client[slot].gen++;
    assert_int_equal(sg_client_attach(r, slot, begin(r, &s), 1000, 1, 1), SCHEDGPU_OK);
    assert_int_equal(ask_on(r, slot, slot, 8 * GIB, &ignored), SCHEDGPU_OK);
  }
  assert_int_equal(ask_on(r, A, 1, 8 * GIB, &w), SCHEDGPU_EWOULDBLOCK);
  assert_int_not_equal(w, SG_NONE);
  assert_int_equal(ask_on(r, B, 0, 8 * GIB, &ignored), SCHEDGPU_EDEADLOCK);
  die(r, B);
  assert_true(granted(r, w));
  fixture_free(r);
}

static void a_wait_that_a_third_job_can_end_is_no_deadlock(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < 3; i++)
    join(r, i, ONDEMAND, 0, 50);
  take_now(r, 0, 3 * GIB);
  take_now(r, 1, 3 * GIB);
  take_now(r, 2, 4 * GIB);
  queue_up(r, 0, 3 * GIB);
  uint32_t w = queue_up(r, 1, 3 * GIB);
  die(r, 2);
  assert_false(granted(r, w));
  die(r, 0);
  assert_true(granted(r, w));
  fixture_free(r);
}

/** The same order of requests, with 8 GB declared each: B's second step would be unsafe. */
static void avoid_delays_an_unsafe_increment(void **state) {
  (void)state;
  struct sg_region *r = device_of_12(SCHEDGPU_DEADLOCK_AVOID);
  join(r, A, ONDEMAND, 8 * GIB, 50);
  join(r, B, ONDEMAND, 8 * GIB, 50);
  take_now(r, A, GIB);
  take_now(r, B, GIB);
  take_now(r, A, 2 * GIB);                  /* A 3 of 8, B 1 of 8, 8 free: safe */
  take_now(r, B, 2 * GIB);                  /* A 3, B 3, 6 free: A can get its 5, then B: safe */
  take_now(r, A, 2 * GIB);                  /* A 5, B 3, 4 free: A needs 3: safe */
  uint32_t waits = queue_up(r, B, 2 * GIB); /* A 5, B 5, 2 free: neither could get 3 */
  take_now(r, A, 3 * GIB);                  /* granted before B's request, which waits for A */
  assert_false(granted(r, waits));
  give(r, A, 7 * GIB); /* the end of A's iteration */
  assert_true(granted(r, waits));
  assert_int_equal(settle(r, waits), SCHEDGPU_OK);
  take_now(r, B, 3 * GIB);
  fixture_free(r);
}

static void avoid_sees_all_devices_of_a_claim(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t w, ignored;
  r->h.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
  for (uint32_t slot = A; slot <= B; slot++) {
    struct schedgpu_job_spec s = job_spec(slot + 1, ONDEMAND, 8 * GIB, 50);
    s.device_mask = 3;
    s.budget_bytes[1] = 8 * GIB;
    r->client[slot].gen++;
    assert_int_equal(sg_client_attach(r, slot, begin(r, &s), 1000, 1, 1), SCHEDGPU_OK);
  }
  assert_int_equal(ask_on(r, A, 0, 8 * GIB, &ignored), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, B, 1, 8 * GIB, &w), SCHEDGPU_EWOULDBLOCK); /* A may want device 1 */
  assert_int_equal(ask_on(r, A, 1, 8 * GIB, &ignored), SCHEDGPU_OK);
  die(r, A);
  assert_true(granted(r, w));
  fixture_free(r);
}

/** A job without a budget does not say what it will need: for it detection applies. */
static void avoid_leaves_undeclared_jobs_to_detection(void **state) {
  (void)state;
  struct sg_region *r = device_of_12(SCHEDGPU_DEADLOCK_AVOID);
  uint32_t w;
  join(r, A, ONDEMAND, 8 * GIB, 50);
  join(r, B, ONDEMAND, 0, 50);
  take_now(r, A, 5 * GIB);
  take_now(r, B, 5 * GIB); /* B still runs, so it may finish */
  uint32_t first = queue_up(r, A, 3 * GIB);
  assert_int_equal(ask_on(r, B, 0, 3 * GIB, &w), SCHEDGPU_EDEADLOCK);
  give(r, B, 5 * GIB);
  assert_true(granted(r, first));
  fixture_free(r);
}

/** A request of another process of a job that holds memory comes before the head that waits for the
 * job. */
static void a_max_claim_belongs_to_the_whole_job(void **state) {
  (void)state;
  struct sg_region *r = device_of_12(SCHEDGPU_DEADLOCK_AVOID);
  join(r, A, ONDEMAND, 8 * GIB, 50);
  add_process(r, 2, A);
  join(r, B, ONDEMAND, 8 * GIB, 50);
  take_now(r, A, 5 * GIB);
  uint32_t head = queue_up(r, B, 8 * GIB);
  take_now(r, 2, 3 * GIB);
  assert_false(granted(r, head));
  fixture_free(r);
}

/** At its overtake limit, the head blocks holders while a running process can serve it by its end;
 * but not if it waits only for the holder itself. */
static void the_bound_holds_against_holders_unless_needed(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_MMU);
  r->h.overtake_limit = 1;
  for (uint32_t i = 0; i < 4; i++)
    join(r, i, ONDEMAND, 0, 50);
  take_now(r, 0, 6 * GIB); /* runs */
  take_now(r, 1, 1 * GIB); /* the holder */
  uint32_t head = queue_up(r, 2, 8 * GIB);
  take_now(r, 3, GIB); /* overtakes it once */
  assert_int_equal(r->waiter[head].overtaken, 1);
  uint32_t holder = queue_up(r, 1, GIB); /* would fit; jobs 0 and 3 run and can serve the head */
  die(r, 3);
  assert_false(granted(r, holder));
  uint32_t w = queue_up(r, 0, 3 * GIB); /* now all wait: only a grant to job 1 leads to an end */
  assert_true(granted(r, holder));
  assert_false(granted(r, w));
  assert_false(granted(r, head));
  fixture_free(r);
}

/** 12 GiB, contexts of 1: the head needs the context of a job that waits behind it. No process
 * runs, so the head blocks no request: under no policy, within and beyond the limit. */
static void a_blocked_request_never_blocks_the_queue(void **state) {
  (void)state;
  for (uint32_t policy = 0; policy < SCHEDGPU_POLICIES; policy++) {
    for (uint32_t limit = 0; limit < 2; limit++) {
      struct sg_region *r = device_of_12(SCHEDGPU_DEADLOCK_DETECT);
      r->device[0].context_bytes = GIB;
      r->h.policy = policy;
      r->h.overtake_limit = limit;
      join(r, 0, ONDEMAND, 0, 50);
      join(r, 1, ONDEMAND, 0, 50);
      join(r, 2, PEAK, GIB, 50);
      uint32_t w;
      assert_int_equal(ask_context(r, 1, &w), SCHEDGPU_OK);
      assert_int_equal(ask_context(r, 2, &w), SCHEDGPU_OK);
      take_now(r, 0, 8 * GIB);
      uint32_t head = queue_up(r, 1, 10 * GIB + GIB / 2); /* fits beside one context, not two */
      r->waiter[head].overtaken = limit;
      int rc = ask_on(r, 2, 0, GIB, &w);
      die(r, 0);
      if (rc == SCHEDGPU_EWOULDBLOCK && granted(r, w))
        rc = settle(r, w);
      assert_int_equal(rc, SCHEDGPU_OK);
      die(r, 2);
      assert_true(granted(r, head));
      fixture_free(r);
    }
  }
}

/** One more context of an admitted job is granted before an admission: others may wait for that
 * process. */
static void another_context_goes_before_admissions(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t w, newcomer, further;
  join(r, 0, PEAK, 4 * GIB, 50);
  join(r, 1, ONDEMAND, 0, 50);
  join(r, 2, PEAK, 6 * GIB, 50);
  add_process(r, 3, 0);
  assert_int_equal(ask_context(r, 0, &w), SCHEDGPU_OK);
  take_now(r, 1, 8 * GIB);
  assert_int_equal(ask_context(r, 2, &newcomer), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(ask_context(r, 3, &further), SCHEDGPU_EWOULDBLOCK);
  r->device[0].total_bytes = 12 * GIB; /* room for one context */
  give(r, 1, GIB);
  assert_true(granted(r, further));
  fixture_free(r);
}

/** 10 GiB, contexts of 1, max claims of 7: with a fourth context no claim could be granted as a
 * whole. */
static void claims_fit_beside_all_contexts(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  r->h.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
  for (uint32_t i = 0; i < 4; i++)
    join(r, i, ONDEMAND, 7 * GIB, 50);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(ask_context(r, i, &w), SCHEDGPU_OK);
  assert_int_equal(ask_context(r, 3, &w), SCHEDGPU_EWOULDBLOCK);
  take_now(r, 0, 7 * GIB);
  fixture_free(r);
}

/** Job 0's second process waits for a context behind job 2's admission, which waits for job 0. When
 * the first process ends, the second gets the context that was reserved for it. */
static void a_covered_context_is_granted_at_once(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 2 * GIB, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_setup s = fixture_setup(1, 5 * GIB, 2 * GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t w, second;
  assert_int_equal(sg_region_update(r, &s), SCHEDGPU_OK);
  r->h.overtake_limit = 1;
  join(r, 0, PEAK, GIB, 50);
  add_process(r, 1, 0);
  add_process(r, 3, 0); /* runs: the head waits for its end and blocks the others */
  join(r, 2, PEAK, 2 * GIB, 50);
  assert_int_equal(ask_context(r, 0, &w), SCHEDGPU_OK);
  assert_int_equal(ask_context(r, 2, &w), SCHEDGPU_EWOULDBLOCK);
  r->waiter[w].overtaken = 1;
  assert_int_equal(ask_context(r, 1, &second), SCHEDGPU_EWOULDBLOCK);
  die(r, 0);
  assert_true(granted(r, second));
  fixture_free(r);
}

/** 6 GiB, contexts of 2: job 0 holds 1 and wants 2 more, which fit only without job 1's context. */
static void a_holder_may_not_wait_for_contexts(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 2 * GIB, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_setup s = fixture_setup(1, 6 * GIB, 2 * GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  assert_int_equal(sg_region_update(r, &s), SCHEDGPU_OK);
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, PEAK, 2 * GIB, 50);
  assert_int_equal(ask_context(r, 1, &w), SCHEDGPU_OK);
  take_now(r, 0, GIB);
  assert_int_equal(ask_on(r, 0, 0, 2 * GIB, &w), SCHEDGPU_EDEADLOCK);
  uint32_t waits = queue_up(r, 1, GIB); /* within its budget of 2 GiB: waits for the end of job 0 */
  give(r, 0, GIB);
  assert_true(granted(r, waits));
  fixture_free(r);
}

/** 10 GiB, contexts of 1. Jobs 0 and 1 hold 1 and 2 and need 6 and 5 more. Without job 2's context
 * job 1 could be served. But job 2 may come to wait too, and keeps its context then. */
static void no_wait_counts_on_a_released_context(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_MMU);
  uint32_t w;
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, ONDEMAND, 0, 50);
  join(r, 2, PEAK, 5 * GIB, 50);
  assert_int_equal(ask_context(r, 2, &w), SCHEDGPU_OK);
  take_now(r, 0, GIB);
  take_now(r, 1, 2 * GIB);
  uint32_t first = queue_up(r, 1, 5 * GIB);
  assert_int_equal(ask_on(r, 0, 0, 6 * GIB, &w), SCHEDGPU_EDEADLOCK);
  uint32_t budget = queue_up(r, 2, GIB);
  give(r, 0, GIB); /* as a program does after out of memory */
  assert_true(granted(r, first));
  die(r, 1);
  assert_true(granted(r, budget));
  fixture_free(r);
}

/** 10 GiB, contexts of 1. Job 2 runs and will release 1. Then job 0 can be served (3 beside its 2),
 * and after it job 1 (4 beside its 2). With one more context neither could be served. */
static void no_context_makes_a_wait_unsafe(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_MMU);
  for (uint32_t i = 0; i < 3; i++)
    join(r, i, ONDEMAND, 0, 50);
  join(r, 3, PEAK, 3 * GIB, 50);
  take_now(r, 0, 2 * GIB);
  take_now(r, 1, 2 * GIB);
  take_now(r, 2, GIB);
  uint32_t w, first = queue_up(r, 0, 3 * GIB), second = queue_up(r, 1, 4 * GIB);
  assert_int_equal(ask_context(r, 3, &w), SCHEDGPU_EWOULDBLOCK);
  give(r, 2, GIB);
  assert_true(granted(r, first));
  assert_false(granted(r, w));
  assert_int_equal(settle(r, first), SCHEDGPU_OK);
  give(r, 0, 5 * GIB);
  assert_true(granted(r, second));
  assert_true(granted(r, w));
  fixture_free(r);
}

static void join_with_processes(struct sg_region *r, uint32_t slot, uint32_t mode,
                                uint64_t budget_bytes, uint32_t processes) {
  struct schedgpu_job_spec s = job_spec(slot + 1, mode, budget_bytes, 10);
  s.processes = processes;
  r->client[slot].gen++;
  assert_int_equal(sg_client_attach(r, slot, begin(r, &s), 1000, 1, 1), SCHEDGPU_OK);
}

/**
 * 12 GiB, contexts of 1, 2 GiB of foreign memory. When job 0 ends, job 3 has the highest priority
 * and does not fit beside all contexts, but its 6 GiB are free: it blocks lower priorities. With
 * job 4's context they are not free any more: it blocks no request.
 */
static void a_request_that_stops_blocking_deadlocks_none(void **state) {
  (void)state;
  struct sg_wakes wakes = {0};
  struct sg_region *r = device_of_12(SCHEDGPU_DEADLOCK_DETECT);
  r->h.policy = SCHEDGPU_POLICY_PRIORITY_FIFO;
  r->device[0].context_bytes = GIB;
  join(r, 0, ONDEMAND, 0, 10);
  join(r, 1, ONDEMAND, 0, 10);
  join_with_processes(r, 2, PEAK, 6 * GIB, 3);
  join_with_processes(r, 3, ONDEMAND, 0, 3);
  join(r, 4, PEAK, 6 * GIB, 50);
  join(r, 5, PEAK, 6 * GIB, 10);
  r->job[r->client[3].job].priority = 50;
  sg_seal_job(r, r->client[3].job);
  take_now(r, 0, 5 * GIB);
  queue_up(r, 1, 6 * GIB);
  queue_up(r, 2, GIB);
  queue_up(r, 3, 6 * GIB);
  assert_int_equal(sg_set_foreign(r, 0, 2 * GIB, 1, &wakes), SCHEDGPU_OK);
  queue_up(r, 4, GIB);
  queue_up(r, 5, GIB);
  die(r, 0);
  assert_int_equal(r->job[r->client[3].job].admitted, 0);
  assert_int_equal(r->job[r->client[4].job].admitted, 1);
  assert_int_equal(r->job[r->client[5].job].admitted, 1);
  fixture_free(r);
}

/** The same for max claims: of 10, two jobs hold 2 of 6 each, and 1 is free for contexts beside
 * both claims. */
static void no_context_makes_claims_unsafe(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_MMU);
  uint32_t w;
  r->h.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
  join(r, 0, ONDEMAND, 6 * GIB, 50);
  join(r, 1, ONDEMAND, 6 * GIB, 50);
  join(r, 2, PEAK, 3 * GIB, 50);
  join(r, 3, PEAK, 3 * GIB, 50);
  take_now(r, 0, 2 * GIB);
  take_now(r, 1, GIB);
  assert_int_equal(ask_context(r, 2, &w), SCHEDGPU_OK); /* 4 free: job 0 can have its 4 */
  assert_int_equal(ask_context(r, 3, &w), SCHEDGPU_EWOULDBLOCK);
  give(r, 1, GIB);
  assert_true(granted(r, w));
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(detect_refuses_the_request_that_closes_the_cycle),
      cmocka_unit_test(detect_sees_cycles_over_two_devices),
      cmocka_unit_test(a_wait_that_a_third_job_can_end_is_no_deadlock),
      cmocka_unit_test(avoid_delays_an_unsafe_increment),
      cmocka_unit_test(avoid_sees_all_devices_of_a_claim),
      cmocka_unit_test(avoid_leaves_undeclared_jobs_to_detection),
      cmocka_unit_test(a_max_claim_belongs_to_the_whole_job),
      cmocka_unit_test(the_bound_holds_against_holders_unless_needed),
      cmocka_unit_test(a_blocked_request_never_blocks_the_queue),
      cmocka_unit_test(another_context_goes_before_admissions),
      cmocka_unit_test(claims_fit_beside_all_contexts),
      cmocka_unit_test(a_holder_may_not_wait_for_contexts),
      cmocka_unit_test(no_wait_counts_on_a_released_context),
      cmocka_unit_test(no_context_makes_a_wait_unsafe),
      cmocka_unit_test(no_context_makes_claims_unsafe),
      cmocka_unit_test(a_request_that_stops_blocking_deadlocks_none),
      cmocka_unit_test(a_covered_context_is_granted_at_once),
  };
  return cmocka_run_group_tests_name("deadlock", tests, NULL, NULL);
}
