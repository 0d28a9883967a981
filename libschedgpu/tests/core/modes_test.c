/* modes_test.c - reservation modes, budgets, contexts, deadlock: one test per rule. */
#include "../support/fixture.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static void peak_reserves_the_whole_budget_at_once(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 6 * GIB, 50);
  take_now(r, 0, 1 * MIB);
  assert_int_equal(used(r), 6 * GIB);
  assert_true(sg_lease_take(&r->client[0], 0, (6 * GIB - MIB) / SG_UNIT_BYTES));
  assert_false(sg_lease_take(&r->client[0], 0, 1));
  fixture_free(r);
}

static void peak_over_budget_is_refused_and_changes_nothing(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, PEAK, 6 * GIB, 50);
  take_now(r, 0, 5 * GIB);
  assert_int_equal(ask_on(r, 0, 0, 2 * GIB, &w), SCHEDGPU_EBUDGET);
  assert_int_equal(w, SG_NONE);
  assert_int_equal(sg_job_in_use(r, r->client[0].job, 0), 5 * GIB);
  take_now(r, 0, 1 * GIB);
  fixture_free(r);
}

static void an_idle_budget_stays_until_a_request_needs_it(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 6 * GIB, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  take_now(r, 0, GIB);
  give(r, 0, GIB);
  assert_int_equal(used(r), 6 * GIB);
  take_now(r, 1, GIB); /* reclaims the idle budget */
  assert_int_equal(r->job[r->client[0].job].held_mask, 0);
  assert_int_equal(used(r), 6 * GIB);
  assert_false(sg_lease_take(&r->client[0], 0, 1));
  fixture_free(r);
}

static void a_used_budget_is_never_reclaimed(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 6 * GIB, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  take_now(r, 0, GIB);
  uint32_t w = queue_up(r, 1, GIB);
  assert_false(granted(r, w));
  give(r, 0, GIB);
  assert_true(granted(r, w));
  assert_int_equal(settle(r, w), SCHEDGPU_OK);
  assert_int_equal(sg_job_in_use(r, r->client[1].job, 0), GIB);
  fixture_free(r);
}

static void grace_keeps_an_idle_budget_for_a_while(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  r->h.grace_ns = 1000;
  join(r, 0, PEAK, 6 * GIB, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  take_now(r, 0, GIB);
  uint32_t w = queue_up(r, 1, GIB);
  bool idle;
  assert_true(sg_lease_give(&r->client[0].lease[0], GIB / SG_UNIT_BYTES, &idle));
  assert_true(idle);
  r->client[0].idle_since_ns[0] = 5000;
  sg_serve(r, 5999, &wakes);
  assert_false(granted(r, w));
  sg_serve(r, 6000, &wakes);
  assert_true(granted(r, w));
  fixture_free(r);
}

static void the_processes_of_a_job_share_one_budget(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, PEAK, 6 * GIB, 50);
  add_process(r, 1, 0);
  take_now(r, 0, 2 * GIB);
  take_now(r, 1, 3 * GIB); /* takes back what the first process does not use */
  assert_int_equal(used(r), 6 * GIB);
  assert_int_equal(ask_on(r, 0, 0, 2 * GIB, &w), SCHEDGPU_EBUDGET);
  take_now(r, 0, GIB);
  assert_int_equal(sg_job_in_use(r, r->client[0].job, 0), 6 * GIB);
  die(r, 1); /* its part stays in the job's budget */
  assert_int_equal(used(r), 6 * GIB);
  take_now(r, 0, 3 * GIB);
  fixture_free(r);
}

static void ondemand_reserves_what_is_asked(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  take_now(r, 0, GIB);
  take_now(r, 0, 1000); /* rounded up to 1,024 */
  assert_int_equal(used(r), GIB + 1024);
  give(r, 0, 1024);
  assert_int_equal(used(r), GIB);
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_give_back(r, 0, 0, 2 * GIB, 1, &wakes), SCHEDGPU_EUNDERFLOW);
  assert_int_equal(used(r), GIB);
  fixture_free(r);
}

static void ondemand_respects_a_budget(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, ONDEMAND, 2 * GIB, 50);
  take_now(r, 0, GIB);
  assert_int_equal(ask_on(r, 0, 0, GIB + 512, &w), SCHEDGPU_EBUDGET);
  take_now(r, 0, GIB);
  fixture_free(r);
}

static void queued_requests_count_against_the_budget(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, ONDEMAND, 3 * GIB, 50);
  add_process(r, 2, 1);
  take_now(r, 0, 9 * GIB);
  uint32_t first = queue_up(r, 1, 2 * GIB);
  assert_int_equal(ask_on(r, 2, 0, 2 * GIB, &w), SCHEDGPU_EBUDGET);
  give(r, 0, 9 * GIB);
  assert_true(granted(r, first));
  fixture_free(r);
}

static void non_blocking_leaves_no_trace(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, ONDEMAND, 0, 50);
  take_now(r, 0, 8 * GIB);
  struct sg_request q = {.client = 1, .bytes = 4 * GIB, .may_wait = false};
  uint32_t w;
  assert_int_equal(sg_ask(r, &q, 1, &w, &wakes), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(w, SG_NONE);
  assert_int_equal(r->device[0].waiting[SG_QUEUE_MEMORY], 0);
  fixture_free(r);
}

static void non_blocking_does_not_overtake(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  for (uint32_t i = 0; i < 3; i++)
    join(r, i, ONDEMAND, 0, 50);
  take_now(r, 0, 8 * GIB);
  queue_up(r, 1, 4 * GIB);
  struct sg_request q = {.client = 2, .bytes = GIB, .may_wait = false};
  uint32_t w;
  assert_int_equal(sg_ask(r, &q, 1, &w, &wakes), SCHEDGPU_EWOULDBLOCK);
  fixture_free(r);
}

/** A process that holds memory goes on behind a head that does not fit, as the head waits
 * for it. */
static void a_holder_is_never_blocked(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, ONDEMAND, 0, 90);
  join(r, 2, ONDEMAND, 0, 50);
  take_now(r, 0, 4 * GIB);
  queue_up(r, 1, 9 * GIB);
  take_now(r, 0, 4 * GIB);
  queue_up(r, 2, GIB); /* holds nothing, so it waits behind the head, though it would fit */
  fixture_free(r);
}

/** Although job 3, which runs, could serve the head by its end. */
static void a_holder_goes_before_the_head(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < 4; i++)
    join(r, i, ONDEMAND, 0, 50);
  take_now(r, 0, 2 * GIB);
  take_now(r, 3, 5 * GIB);
  queue_up(r, 1, 5 * GIB);
  queue_up(r, 2, GIB);
  take_now(r, 0, GIB);
  fixture_free(r);
}

static void the_mode_stays_while_a_process_is_attached(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  join(r, 0, ONDEMAND, 0, 50);
  struct schedgpu_job_spec s = job_spec(1, PEAK, 4 * GIB, 50);
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_EINVAL);
  die(r, 0);
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  join(r, 1, PEAK, 4 * GIB, 50);
  take_now(r, 1, GIB);
  assert_int_equal(sg_give_back(r, 1, 0, GIB, 1, &wakes), SCHEDGPU_EINVAL);
  fixture_free(r);
}

/** The process that ended the job died after its first store: nothing may be counted twice. */
static void recovery_of_an_ending_job_invents_no_memory(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < 4; i++)
    join(r, i, ONDEMAND, 0, 50);
  take_now(r, 0, 4 * GIB);
  take_now(r, 1, 4 * GIB);
  uint32_t a = queue_up(r, 2, 5 * GIB), b = queue_up(r, 3, 5 * GIB);
  uint32_t ending = r->client[0].job;
  r->job[ending].state = SG_ENDING;
  recover(r, 1);
  assert_int_equal(r->job[ending].state, SG_FREE);
  die(r, 0);
  assert_true(granted(r, a));
  assert_false(granted(r, b));
  fixture_free(r);
}

static void devices_keep_their_numbers_while_jobs_count_on_them(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_setup smaller = fixture_setup(1, 8 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  assert_int_equal(sg_region_update(r, &smaller), SCHEDGPU_OK);
  assert_int_equal(r->device[0].total_bytes, 10 * GIB);
  struct sg_wakes wakes = {0};
  sg_job_end(r, r->client[0].job, 1, &wakes);
  assert_int_equal(sg_region_update(r, &smaller), SCHEDGPU_OK);
  assert_int_equal(r->device[0].total_bytes, 8 * GIB);
  fixture_free(r);
}

static void budgets_that_can_never_fit_are_refused_at_begin(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  struct schedgpu_job_spec s = job_spec(1, PEAK, 9 * GIB + 512, 50);
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_ETOOBIG);
  s.budget_bytes[0] = 9 * GIB;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  s = job_spec(2, PEAK, 0, 50);
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_EINVAL);
  s = job_spec(2, ONDEMAND, 0, 101);
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_EINVAL);
  s = job_spec(2, ONDEMAND, 0, 50);
  s.device_mask = 2;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_EDEVICE);
  fixture_free(r);
}

/** Two jobs over two devices: all or nothing, so that neither holds one device while it waits for
 * the other. */
static void peak_on_two_devices_is_all_or_nothing(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < 2; i++) {
    struct schedgpu_job_spec s = job_spec(i + 1, PEAK, 6 * GIB, 50);
    s.device_mask = 3;
    s.budget_bytes[1] = 6 * GIB;
    uint32_t job = begin(r, &s);
    r->client[i].gen++;
    assert_int_equal(sg_client_attach(r, i, job, 1000, 1, 1), SCHEDGPU_OK);
  }
  uint32_t w;
  assert_int_equal(ask_on(r, 0, 0, GIB, &w), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 1, 1, GIB, &w), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(r->device[1].used_bytes, 6 * GIB);
  assert_int_equal(ask_on(r, 0, 1, GIB, &(uint32_t){0}), SCHEDGPU_OK); /* held already */
  give(r, 0, GIB);
  assert_false(granted(r, w));
  bool idle;
  struct sg_wakes wakes = {0};
  assert_true(sg_lease_give(&r->client[0].lease[1], GIB / SG_UNIT_BYTES, &idle));
  sg_serve(r, 1, &wakes);
  assert_true(granted(r, w));
  assert_int_equal(settle(r, w), SCHEDGPU_OK);
  assert_int_equal(r->device[0].used_bytes, 6 * GIB);
  fixture_free(r);
}

static void join_on(struct sg_region *r, uint32_t slot, uint32_t mode, uint32_t device_mask,
                    uint64_t budget_bytes) {
  struct schedgpu_job_spec s = job_spec(slot + 1, mode, 0, 50);
  s.device_mask = device_mask;
  s.budget_bytes[1] = budget_bytes;
  join_as(r, slot, &s);
}

/** A process waits for its context on the second device, in whose queues no request is. */
static void an_idle_budget_is_released_for_an_admission_on_its_device(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join_on(r, 0, PEAK, 2, 4 * GIB);
  join_on(r, 1, PEAK, 2, 4 * GIB);
  join_on(r, 2, ONDEMAND, 3, 0);
  assert_int_equal(ask_on(r, 0, 1, GIB, &w), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 1, 1, GIB, &w), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 2, 0, GIB, &w), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(r->device[1].waiting[SG_QUEUE_CONTEXT], 0);
  give_leased(r, 0, 1, GIB);
  assert_true(granted(r, w));
  assert_int_equal(settle(r, w), SCHEDGPU_OK);
  fixture_free(r);
}

static void the_end_of_a_job_releases_everything(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB / 4, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  uint32_t w;
  join(r, 0, PEAK, 6 * GIB, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  join(r, 2, PEAK, 6 * GIB, 50);
  assert_int_equal(ask_context(r, 0, &w), SCHEDGPU_OK);
  take_now(r, 0, GIB);
  uint32_t a = queue_up(r, 1, GIB), b = queue_up(r, 2, GIB);
  assert_int_equal(sg_job_end(r, r->client[0].job, 1, &wakes), SCHEDGPU_OK);
  assert_true(granted(r, a));
  assert_int_equal(used(r), 6 * GIB + 2 * (GIB / 4)); /* and the contexts of two admitted jobs */
  assert_int_equal(ask_on(r, 0, 0, GIB, &w), SCHEDGPU_ENOJOB); /* of a process that lives on */
  wakes.count = 0;
  assert_int_equal(sg_job_end(r, r->client[2].job, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(wakes.count, 1); /* the waiter is woken */
  assert_int_equal(r->waiter[b].state, SG_WAITER_FREE);
  assert_int_equal(sg_job_end(r, 77, 1, &wakes), SCHEDGPU_ENOJOB);
  fixture_free(r);
}

static void beginning_again_updates(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_PRIORITY_FIFO);
  struct sg_wakes wakes = {0};
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  join(r, 2, PEAK, 6 * GIB, 50);
  take_now(r, 0, 9 * GIB);
  uint32_t a = queue_up(r, 1, GIB), b = queue_up(r, 2, GIB);
  struct schedgpu_job_spec s = job_spec(3, PEAK, 6 * GIB, 90);
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  s.budget_bytes[0] = 7 * GIB; /* it waits, so its limits stay */
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_EINVAL);
  give(r, 0, 9 * GIB);
  assert_true(granted(r, b));
  assert_false(granted(r, a));
  fixture_free(r);
}

static void other_layouts_are_refused(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(sg_region_verify(r, sizeof *r), SCHEDGPU_OK);
  assert_int_equal(sg_region_verify(r, sizeof *r - 1), SCHEDGPU_ECORRUPT);
  assert_int_equal(sg_region_verify(r, 10), SCHEDGPU_ECORRUPT);
  r->h.version++;
  assert_int_equal(sg_region_verify(r, sizeof *r), SCHEDGPU_EVERSION);
  r->h.version--;
  r->h.stamp ^= 1;
  assert_int_equal(sg_region_verify(r, sizeof *r), SCHEDGPU_EVERSION);
  r->h.stamp ^= 1;
  r->h.ready = 0;
  assert_int_equal(sg_region_verify(r, sizeof *r), SCHEDGPU_ECORRUPT);
  r->h.ready = 1;
  r->h.magic ^= 1;
  assert_int_equal(sg_region_verify(r, sizeof *r), SCHEDGPU_ECORRUPT);
  r->h.magic ^= 1;
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(peak_reserves_the_whole_budget_at_once),
      cmocka_unit_test(peak_over_budget_is_refused_and_changes_nothing),
      cmocka_unit_test(an_idle_budget_stays_until_a_request_needs_it),
      cmocka_unit_test(a_used_budget_is_never_reclaimed),
      cmocka_unit_test(grace_keeps_an_idle_budget_for_a_while),
      cmocka_unit_test(the_processes_of_a_job_share_one_budget),
      cmocka_unit_test(ondemand_reserves_what_is_asked),
      cmocka_unit_test(ondemand_respects_a_budget),
      cmocka_unit_test(queued_requests_count_against_the_budget),
      cmocka_unit_test(non_blocking_leaves_no_trace),
      cmocka_unit_test(non_blocking_does_not_overtake),
      cmocka_unit_test(a_holder_is_never_blocked),
      cmocka_unit_test(a_holder_goes_before_the_head),
      cmocka_unit_test(the_mode_stays_while_a_process_is_attached),
      cmocka_unit_test(recovery_of_an_ending_job_invents_no_memory),
      cmocka_unit_test(devices_keep_their_numbers_while_jobs_count_on_them),
      cmocka_unit_test(budgets_that_can_never_fit_are_refused_at_begin),
      cmocka_unit_test(peak_on_two_devices_is_all_or_nothing),
      cmocka_unit_test(an_idle_budget_is_released_for_an_admission_on_its_device),
      cmocka_unit_test(the_end_of_a_job_releases_everything),
      cmocka_unit_test(beginning_again_updates),
      cmocka_unit_test(other_layouts_are_refused),
  };
  return cmocka_run_group_tests_name("modes", tests, NULL, NULL);
}
