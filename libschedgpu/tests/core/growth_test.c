/*
 * growth_test.c - growable budgets: a request beyond the budget of a job in mode peak waits for
 * more memory, if the job was begun with this option. Rules: docs/reference/rules.md.
 */
#include "../../core/rules/need.h"
#include "../support/fixture.h"
#include "../../core/rules/growth.h"
#include "../../core/repair/integrity.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static uint32_t begin_overflowing(struct sg_region *r, uint64_t id, uint64_t budget_bytes,
                                  uint32_t device_mask) {
  struct schedgpu_job_spec s = job_spec(id, PEAK, budget_bytes, 50);
  s.flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  s.device_mask = device_mask;
  s.budget_bytes[1] = device_mask & 2 ? budget_bytes : 0;
  return begin(r, &s);
}

/** Begins a job with a growable budget, and attaches its one process. */
static void join_overflowing(struct sg_region *r, uint32_t slot, uint64_t budget_bytes,
                             uint32_t device_mask) {
  uint32_t job = begin_overflowing(r, slot + 1, budget_bytes, device_mask);
  r->client[slot].gen++;
  assert_int_equal(sg_client_attach(r, slot, job, 1000, (int32_t)slot + 100, 1), SCHEDGPU_OK);
}

static uint64_t held(const struct sg_region *r, uint32_t slot) {
  const struct sg_job *job = &r->job[r->client[slot].job];
  return job->held_mask & 1 ? job->reserved_bytes[0] : 0;
}

/** Takes unused lease without the lock, as the library does. */
static void take(struct sg_region *r, uint32_t slot, uint64_t bytes) {
  if (!sg_lease_take(&r->client[slot], 0, bytes / SG_UNIT_BYTES))
    take_now(r, slot, bytes);
  fixture_check(r);
}

static void the_held_budget_grows_by_the_missing_bytes(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  take(r, 0, 3 * GIB);
  assert_int_equal(held(r, 0), 4 * GIB);
  take(r, 0, 3 * GIB);
  assert_int_equal(held(r, 0), 6 * GIB);
  assert_int_equal(r->device[0].used_bytes, 6 * GIB);
  fixture_free(r);
}

static void without_the_flag_it_is_refused(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t waiter;
  join(r, 0, PEAK, 4 * GIB, 50);
  take(r, 0, 3 * GIB);
  assert_int_equal(ask_on(r, 0, 0, 3 * GIB, &waiter), SCHEDGPU_EBUDGET);
  fixture_free(r);
}

static void it_waits_for_the_missing_bytes(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  join(r, 1, ONDEMAND, 0, 50);
  take(r, 0, 3 * GIB);
  take_now(r, 1, 5 * GIB);
  uint32_t waiter = queue_up(r, 0, 3 * GIB); /* 1 is left, 1 is free */
  give(r, 1, GIB);
  assert_true(granted(r, waiter));
  assert_int_equal(held(r, 0), 6 * GIB);
  assert_int_equal(settle(r, waiter), SCHEDGPU_OK);
  assert_int_equal(sg_job_in_use(r, r->client[0].job, 0), 6 * GIB);
  fixture_free(r);
}

static void memory_of_a_sibling_is_enough(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  add_process(r, 1, 0);
  join(r, 2, ONDEMAND, 0, 50);
  take(r, 0, 3 * GIB);
  take(r, 1, GIB);
  take_now(r, 2, 6 * GIB);
  uint32_t waiter = queue_up(r, 1, 2 * GIB);
  give(r, 0, 2 * GIB); /* inside the budget, and it still has some */
  assert_true(granted(r, waiter));
  assert_int_equal(held(r, 0), 4 * GIB);
  fixture_free(r);
}

/** A sibling does not get what was granted and not yet taken. */
static void a_grant_is_not_lost_to_a_sibling(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  add_process(r, 1, 0);
  join(r, 2, ONDEMAND, 0, 50);
  take(r, 0, 3 * GIB);
  take_now(r, 2, 6 * GIB);
  uint32_t waiter = queue_up(r, 1, 2 * GIB);
  give(r, 2, GIB);
  assert_true(granted(r, waiter));
  uint32_t other;
  assert_false(sg_lease_take(&r->client[0], 0, 1));
  assert_int_equal(ask_on(r, 0, 0, 512, &other), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(settle(r, waiter), SCHEDGPU_OK);
  fixture_free(r);
}

/** The unused lease of a sibling counts as left. */
static void unused_lease_of_siblings_is_taken_back(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  take(r, 0, GIB); /* alone: it has a lease on all of it */
  add_process(r, 1, 0);
  take(r, 1, 5 * GIB);
  assert_int_equal(held(r, 0), 6 * GIB);
  fixture_free(r);
}

/** All or nothing: a process that holds nothing does not hold its budget while it waits for
 * more. */
static void the_first_request_asks_for_budget_and_more_at_once(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  join(r, 1, ONDEMAND, 0, 50);
  take_now(r, 1, 5 * GIB);
  uint32_t waiter = queue_up(r, 0, 6 * GIB);
  assert_int_equal(held(r, 0), 0);
  give(r, 1, GIB);
  assert_true(granted(r, waiter));
  assert_int_equal(held(r, 0), 6 * GIB);
  fixture_free(r);
}

static void siblings_get_the_rest_of_the_budget(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  add_process(r, 1, 0);
  add_process(r, 2, 0);
  join(r, 3, ONDEMAND, 0, 50);
  take_now(r, 3, 7 * GIB);
  uint32_t first = queue_up(r, 0, 2 * GIB), second = queue_up(r, 1, 4 * GIB),
           third = queue_up(r, 2, 2 * GIB);
  give(r, 3, GIB);
  assert_true(granted(r, first));
  assert_false(granted(r, second)); /* it lacks 2 now */
  assert_true(granted(r, third));
  give(r, 3, 3 * GIB); /* 4 are free: second lacks 4 */
  assert_false(granted(r, second));
  give(r, 3, GIB);
  assert_true(granted(r, second));
  fixture_free(r);
}

static void a_request_beyond_its_budget_comes_first(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  join(r, 1, ONDEMAND, 0, 50);
  join(r, 2, ONDEMAND, 0, 50);
  take(r, 0, 4 * GIB);
  take_now(r, 1, 5 * GIB);
  uint32_t other = queue_up(r, 2, 3 * GIB), waiter = queue_up(r, 0, 3 * GIB);
  give(r, 1, 2 * GIB);
  assert_true(granted(r, waiter));
  assert_false(granted(r, other));
  fixture_free(r);
}

static void two_that_wait_for_each_other_are_a_deadlock(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t waiter;
  join_overflowing(r, 0, 4 * GIB, 1);
  join_overflowing(r, 1, 4 * GIB, 1);
  take(r, 0, 4 * GIB);
  take(r, 1, 4 * GIB);
  uint32_t first = queue_up(r, 0, 3 * GIB);
  assert_int_equal(ask_on(r, 1, 0, 3 * GIB, &waiter), SCHEDGPU_EDEADLOCK);
  die(r, 1);
  assert_true(granted(r, first));
  fixture_free(r);
}

/** The banker's condition counts on what running processes release, and a growable budget declares
 * no limit. So a job with a max claim is refused, too, if its request closes the cycle. */
static void beside_a_growable_budget_a_max_claim_can_be_refused(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t ignored;
  r->h.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
  join_overflowing(r, 0, 4 * GIB, 1);
  join(r, 1, SCHEDGPU_MODE_ONDEMAND, 8 * GIB, 50);
  take(r, 0, 4 * GIB);
  take_now(r, 1, 4 * GIB);
  uint32_t grows = queue_up(r, 0, 4 * GIB); /* 2 are free; the job with the claim still runs */
  assert_int_equal(ask_on(r, 1, 0, 4 * GIB, &ignored), SCHEDGPU_EDEADLOCK);
  give(r, 1, 4 * GIB); /* as a program does after out of memory */
  assert_true(granted(r, grows));
  fixture_free(r);
}

static void siblings_that_wait_for_each_other_are_a_deadlock(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t waiter;
  join_overflowing(r, 0, 4 * GIB, 1);
  add_process(r, 1, 0);
  take(r, 0, 5 * GIB);
  take(r, 1, 5 * GIB);
  queue_up(r, 0, GIB);
  assert_int_equal(ask_on(r, 1, 0, GIB, &waiter), SCHEDGPU_EDEADLOCK);
  fixture_free(r);
}

static void impossible_requests_are_refused(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t waiter;
  join_overflowing(r, 0, 4 * GIB, 1);
  assert_int_equal(ask_on(r, 0, 0, 9 * GIB + 512, &waiter), SCHEDGPU_ETOOBIG);
  take(r, 0, 9 * GIB);
  assert_int_equal(ask_on(r, 0, 0, 512, &waiter), SCHEDGPU_EDEADLOCK); /* it waits for itself */
  fixture_free(r);
}

static void the_growth_is_released_with_the_budget(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  join(r, 1, ONDEMAND, 0, 50);
  take(r, 0, 7 * GIB);
  give(r, 0, 7 * GIB);
  take_now(r, 1, 10 * GIB);
  assert_int_equal(held(r, 0), 0);
  give(r, 1, 10 * GIB);
  take(r, 0, GIB);
  assert_int_equal(held(r, 0), 4 * GIB);
  fixture_free(r);
}

/** Otherwise memory that a sibling got and released would belong to no process, and all waiters
 * would wait forever. */
static void growth_that_is_not_taken_is_released(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, GIB, 1);
  add_process(r, 1, 0);
  join(r, 2, ONDEMAND, 0, 50);
  join(r, 3, ONDEMAND, 0, 50);
  take(r, 0, 3 * GIB);
  take_now(r, 2, 3 * GIB);
  take_now(r, 3, 4 * GIB);
  uint32_t large = queue_up(r, 0, 5 * GIB), small = queue_up(r, 1, GIB),
           other = queue_up(r, 2, 4 * GIB);
  die(r, 3);
  assert_true(granted(r, small));
  assert_int_equal(held(r, 0), 4 * GIB);
  assert_int_equal(settle(r, small), SCHEDGPU_OK);
  die(r, 1);
  assert_false(granted(r, large));
  assert_true(granted(r, other));
  assert_int_equal(held(r, 0), 3 * GIB);
  fixture_free(r);
}

static void join_overflowing_on_the_second(struct sg_region *r, uint32_t slot) {
  struct schedgpu_job_spec s = job_spec(slot + 1, PEAK, 0, 50);
  s.flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  s.device_mask = 2;
  s.budget_bytes[1] = GIB;
  join_as(r, slot, &s);
}

static void join_ondemand(struct sg_region *r, uint32_t slot, uint32_t device_mask) {
  struct schedgpu_job_spec s = job_spec(slot + 1, ONDEMAND, 0, 50);
  s.device_mask = device_mask;
  join_as(r, slot, &s);
}

/** A process waits for its context on the second device, in whose queues no request is. */
static void growth_is_released_for_an_admission_on_its_device(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join_overflowing_on_the_second(r, 0);
  join_ondemand(r, 1, 3);
  assert_int_equal(ask_on(r, 0, 1, 9 * GIB, &w), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 1, 0, GIB, &w), SCHEDGPU_EWOULDBLOCK);
  give_leased(r, 0, 1, 5 * GIB);
  assert_true(granted(r, w));
  fixture_free(r);
}

/** The first device was served before memory was released on the second, where no request is
 * served. */
static void released_growth_serves_waiters_of_other_devices(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t first, second;
  join_overflowing_on_the_second(r, 0);
  join_ondemand(r, 1, 3);
  join_ondemand(r, 2, 2);
  assert_int_equal(ask_on(r, 2, 1, GIB / 2, &second), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 0, 1, 7 * GIB + GIB / 2, &first), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 2, 1, 5 * GIB, &second), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(ask_on(r, 1, 0, GIB, &first), SCHEDGPU_EWOULDBLOCK);
  give_leased(r, 0, 1, 3 * GIB);
  assert_false(granted(r, second));
  assert_true(granted(r, first));
  fixture_free(r);
}

/** A sibling waits for a part of a budget that no process uses: the budget is released all the
 * same. */
static void an_idle_budget_is_released_while_a_sibling_waits(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 1);
  add_process(r, 1, 0);
  join_overflowing(r, 2, 4 * GIB, 1);
  add_process(r, 3, 2);
  take(r, 0, 4 * GIB);
  take(r, 2, 4 * GIB);
  uint32_t one = queue_up(r, 1, 7 * GIB), two = queue_up(r, 3, 7 * GIB);
  give(r, 0, 4 * GIB);
  assert_int_equal(held(r, 0), 0);
  assert_false(granted(r, one));
  give(r, 2, 4 * GIB);
  assert_true(granted(r, one) || granted(r, two));
  fixture_free(r);
}

/** A request beyond a held budget is in the queue of one device, whatever other devices its job
 * has. */
static void it_waits_on_one_device(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  join_overflowing(r, 0, 4 * GIB, 3);
  join(r, 1, ONDEMAND, 0, 50);
  take(r, 0, 4 * GIB);
  take_now(r, 1, 6 * GIB);
  queue_up(r, 0, 2 * GIB);
  assert_int_equal(r->device[0].waiting[SG_QUEUE_MEMORY], 1);
  assert_int_equal(r->device[1].waiting[SG_QUEUE_MEMORY], 0);
  fixture_free(r);
}

static void other_modes_have_no_growth(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  struct schedgpu_job_spec s = job_spec(1, ONDEMAND, GIB, 50);
  s.flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_EINVAL);
  s.mode = SCHEDGPU_MODE_GATE;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_EINVAL);
  s.mode = PEAK;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  s.flags = 0; /* no process has attached yet: the flag may change */
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(r->job[0].flags, 0);
  fixture_free(r);
}

static void a_lost_growth_is_at_least_what_is_in_use(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_report report = {0};
  struct sg_wakes wakes = {0};
  join_overflowing(r, 0, 4 * GIB, 1);
  take(r, 0, 7 * GIB);
  r->client[0].gen_seal = r->client[0].agen_seal = sg_gen_seal(0, r->client[0].agen);
  sg_damage(r, &report);
  assert_int_equal(report.findings, 0);
  r->job[0].reserved_bytes[0] = 3;
  assert_int_equal(sg_repair(r, NULL, &report, &wakes), SCHEDGPU_OK);
  assert_int_equal(held(r, 0), 7 * GIB);
  assert_int_equal(sg_job_in_use(r, 0, 0), 7 * GIB);
  fixture_free(r);
}

/** The checkpoint has the budget; only the records of the processes say how much it has grown. */
static void a_restored_job_holds_its_growth(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_checkpoint *c = calloc(1, sizeof *c);
  struct sg_report report = {0};
  struct sg_wakes wakes = {0};
  assert_non_null(c);
  join_overflowing(r, 0, 4 * GIB, 1);
  take(r, 0, 7 * GIB);
  r->client[0].gen_seal = r->client[0].agen_seal = sg_gen_seal(0, r->client[0].agen);
  sg_checkpoint_take(r, c);
  memset(&r->job[0], 0, sizeof r->job[0]);
  assert_int_equal(sg_repair(r, c, &report, &wakes), SCHEDGPU_OK);
  assert_int_equal(held(r, 0), 7 * GIB);
  assert_int_equal(sg_job_in_use(r, 0, 0), 7 * GIB);
  free(c);
  fixture_free(r);
}

/** Reports about the wait are read without the lock: the job may be gone by then. */
static void without_its_job_a_request_needs_what_it_asked_for(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_waiter w = {.kind = SG_PEAK, .job = SG_NONE, .device_mask = 1, .bytes = GIB};
  assert_int_equal(sg_need_with_budget(r, &w, 0), GIB);
  assert_int_equal(sg_need(r, NULL, &w, 0), GIB);
  assert_false(sg_grow_budget(r, &w));
  assert_false(sg_is_beyond_budget(r, &w));
  fixture_free(r);
}

/** A process of 2 + 2 GiB waits on the first device and uses 4 on the second, where no request
 * waits. An ondemand job may claim 8 on each, and has 5 on the first. */
static struct sg_region *one_waits_beside_a_claim(void) {
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_job_spec claim = job_spec(2, ONDEMAND, 8 * GIB, 50);
  uint32_t waiter;
  r->h.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
  claim.device_mask = 3;
  claim.budget_bytes[1] = 8 * GIB;
  join_overflowing(r, 0, 2 * GIB, 3);
  join_as(r, 1, &claim);
  assert_int_equal(ask_on(r, 0, 1, 4 * GIB, &waiter), SCHEDGPU_OK);
  take_now(r, 1, 5 * GIB);
  queue_up(r, 0, 6 * GIB);
  return r;
}

/** Otherwise memory that was granted to others meanwhile would not leave a safe state. */
static void lease_released_elsewhere_is_not_taken_again(void **state) {
  (void)state;
  struct sg_region *r = one_waits_beside_a_claim();
  give_leased(r, 0, 1, 2 * GIB);
  assert_false(sg_lease_take(&r->client[0], 1, GIB / SG_UNIT_BYTES));
  take_now(r, 1, GIB); /* 8 are free on the second device, and 2 on the first */
  fixture_free(r);
}

/** The process could take it again until the next transition takes it back. */
static void lease_of_a_waiter_counts_once_taken_back(void **state) {
  (void)state;
  struct sg_region *r = one_waits_beside_a_claim();
  struct sg_wakes wakes = {0};
  struct sg_waiter more = {.client = 1, .job = r->client[1].job, .kind = SG_ONDEMAND, .bytes = GIB};
  bool idle;
  assert_true(sg_lease_give(&r->client[0].lease[1], 2 * GIB / SG_UNIT_BYTES, &idle));
  assert_false(sg_grant_is_safe(r, &more));
  sg_serve(r, 1, &wakes);
  assert_true(sg_grant_is_safe(r, &more));
  fixture_free(r);
}

static void a_process_waiting_for_a_context_takes_nothing(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t waiter;
  join_overflowing(r, 0, 8 * GIB, 1);
  add_process(r, 1, 0);
  join(r, 2, ONDEMAND, 0, 50);
  assert_int_equal(ask_context(r, 0, &waiter), SCHEDGPU_OK);
  assert_int_equal(ask_context(r, 2, &waiter), SCHEDGPU_OK);
  take(r, 0, GIB);
  take(r, 1, GIB);
  assert_int_equal(ask_context(r, 1, &waiter), SCHEDGPU_EWOULDBLOCK);
  give(r, 1, GIB);
  assert_false(sg_lease_take(&r->client[1], 0, GIB / SG_UNIT_BYTES));
  fixture_free(r);
}

/* --- twelve programs that need more than they declared --- */

enum { PROGRAMS = 12 };

struct program {
  bool runs;
  uint64_t used_bytes;
  uint32_t waiter; /* SG_NONE: it does not wait */
};

static int ask_step(struct sg_region *r, uint32_t slot, struct program *p, uint64_t bytes) {
  if (p->waiter != SG_NONE && !granted(r, p->waiter))
    return SCHEDGPU_EWOULDBLOCK;
  int rc = SCHEDGPU_OK;
  if (p->waiter != SG_NONE)
    rc = settle(r, p->waiter);
  else if (!sg_lease_take(&r->client[slot], 0, bytes / SG_UNIT_BYTES))
    rc = ask_on(r, slot, 0, bytes, &p->waiter);
  p->waiter = rc == SCHEDGPU_EWOULDBLOCK ? p->waiter : SG_NONE;
  return rc;
}

/** The program ends when it has had `need_bytes`, or with its first refusal. True if refused. */
static bool go_on(struct sg_region *r, uint32_t slot, struct program *p, uint64_t need_bytes,
                  uint64_t step_bytes) {
  int rc = ask_step(r, slot, p, step_bytes);
  p->used_bytes += rc == SCHEDGPU_OK ? step_bytes : 0;
  if (rc == SCHEDGPU_EDEADLOCK || p->used_bytes == need_bytes) {
    p->runs = false;
    die(r, slot);
  }
  return rc == SCHEDGPU_EDEADLOCK;
}

/** Twelve need 1.25 GiB each, 1.5 times the device, and declare 768 MiB; beyond that they grow in
 * these steps, each one after the other. Returns how many were refused. */
static unsigned refused_of_twelve(uint64_t step_bytes) {
  struct sg_region *r = fixture_new(1, 64 * MIB, SCHEDGPU_POLICY_FIFO);
  struct program p[PROGRAMS];
  unsigned refused = 0, running = PROGRAMS;
  uint32_t none;
  for (uint32_t i = 0; i < PROGRAMS; i++) {
    p[i] = (struct program){.runs = true, .used_bytes = 768 * MIB, .waiter = SG_NONE};
    join_overflowing(r, i, 768 * MIB, 1);
    take(r, i, 768 * MIB);
    assert_int_equal(ask_context(r, i, &none), SCHEDGPU_OK);
  }
  for (unsigned round = 0; running != 0; round++) {
    assert_true(round < 1000); /* nobody waits for ever */
    running = 0;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
      refused += p[i].runs && go_on(r, i, &p[i], 1280 * MIB, step_bytes);
      running += p[i].runs;
    }
  }
  fixture_free(r);
  return refused;
}

/** Only a wait that would close a cycle is refused. But small steps share what is free among all,
 * and then nobody can end: as many are refused as leave room for the others. */
static void small_steps_end_fewer_programs_than_large_ones(void **state) {
  (void)state;
  assert_int_equal(refused_of_twelve(512 * MIB), 1);
  assert_int_equal(refused_of_twelve(256 * MIB), 3);
  assert_int_equal(refused_of_twelve(128 * MIB), 4);
  assert_int_equal(refused_of_twelve(32 * MIB), 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_held_budget_grows_by_the_missing_bytes),
      cmocka_unit_test(without_the_flag_it_is_refused),
      cmocka_unit_test(it_waits_for_the_missing_bytes),
      cmocka_unit_test(memory_of_a_sibling_is_enough),
      cmocka_unit_test(a_grant_is_not_lost_to_a_sibling),
      cmocka_unit_test(unused_lease_of_siblings_is_taken_back),
      cmocka_unit_test(the_first_request_asks_for_budget_and_more_at_once),
      cmocka_unit_test(siblings_get_the_rest_of_the_budget),
      cmocka_unit_test(a_request_beyond_its_budget_comes_first),
      cmocka_unit_test(two_that_wait_for_each_other_are_a_deadlock),
      cmocka_unit_test(beside_a_growable_budget_a_max_claim_can_be_refused),
      cmocka_unit_test(siblings_that_wait_for_each_other_are_a_deadlock),
      cmocka_unit_test(impossible_requests_are_refused),
      cmocka_unit_test(the_growth_is_released_with_the_budget),
      cmocka_unit_test(growth_that_is_not_taken_is_released),
      cmocka_unit_test(growth_is_released_for_an_admission_on_its_device),
      cmocka_unit_test(released_growth_serves_waiters_of_other_devices),
      cmocka_unit_test(an_idle_budget_is_released_while_a_sibling_waits),
      cmocka_unit_test(it_waits_on_one_device),
      cmocka_unit_test(other_modes_have_no_growth),
      cmocka_unit_test(a_restored_job_holds_its_growth),
      cmocka_unit_test(a_lost_growth_is_at_least_what_is_in_use),
      cmocka_unit_test(without_its_job_a_request_needs_what_it_asked_for),
      cmocka_unit_test(lease_released_elsewhere_is_not_taken_again),
      cmocka_unit_test(lease_of_a_waiter_counts_once_taken_back),
      cmocka_unit_test(a_process_waiting_for_a_context_takes_nothing),
      cmocka_unit_test(small_steps_end_fewer_programs_than_large_ones),
  };
  return cmocka_run_group_tests_name("overflow", tests, NULL, NULL);
}
