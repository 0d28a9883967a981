/*
 * unreserved_test.c - unreserved memory: in use, but reserved by no job. Nothing is granted over
 * it, no request is refused or blocked because of it. Rules: docs/reference/rules.md.
 */
#include "../support/fixture.h"
#include "../../core/repair/integrity.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static int set_overrun(struct sg_region *r, uint32_t slot, uint64_t bytes) {
  struct sg_wakes wakes = {0};
  int rc = sg_set_overrun(r, r->client[slot].job, 0, bytes, 1, &wakes);
  fixture_check(r);
  return rc;
}

static int set_foreign(struct sg_region *r, uint32_t device, uint64_t bytes) {
  struct sg_wakes wakes = {0};
  int rc = sg_set_foreign(r, device, bytes, 1, &wakes);
  fixture_check(r);
  return rc;
}

static void end_job_of(struct sg_region *r, uint32_t slot) {
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_job_end(r, r->client[slot].job, 1, &wakes), SCHEDGPU_OK);
  fixture_check(r);
}

static struct sg_region *two_ondemand_jobs(void) {
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, ONDEMAND, 0, 50);
  return r;
}

static void nothing_is_granted_over_an_overrun(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  assert_int_equal(set_overrun(r, 0, 7 * GIB), SCHEDGPU_OK);
  assert_int_equal(r->device[0].used_bytes, 7 * GIB);
  uint32_t waiter = queue_up(r, 1, 4 * GIB);
  assert_int_equal(set_overrun(r, 0, 6 * GIB), SCHEDGPU_OK); /* lowered: served at once */
  assert_true(granted(r, waiter));
  assert_int_equal(settle(r, waiter), SCHEDGPU_OK);
  assert_int_equal(sg_free(&r->device[0]), 0);
  fixture_free(r);
}

static void nothing_is_granted_over_foreign_memory(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  assert_int_equal(set_foreign(r, 0, 7 * GIB), SCHEDGPU_OK);
  uint32_t waiter = queue_up(r, 1, 4 * GIB);
  assert_int_equal(set_foreign(r, 0, 0), SCHEDGPU_OK);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

static void a_budget_is_not_granted_over_an_overrun(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  join(r, 2, PEAK, 8 * GIB, 50);
  assert_int_equal(set_overrun(r, 0, 3 * GIB), SCHEDGPU_OK);
  uint32_t waiter = queue_up(r, 2, GIB);
  assert_int_equal(set_overrun(r, 0, 2 * GIB), SCHEDGPU_OK);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

static void a_context_is_not_granted_over_foreign_memory(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t waiter;
  join(r, 0, ONDEMAND, 0, 50);
  assert_int_equal(set_foreign(r, 0, 10 * GIB - 512), SCHEDGPU_OK);
  assert_int_equal(ask_context(r, 0, &waiter), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(set_foreign(r, 0, 9 * GIB), SCHEDGPU_OK);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

/** The measured value may exceed the device: then nothing is free, and no invariant is violated. */
static void unreserved_memory_may_exceed_the_device(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  take_now(r, 0, 8 * GIB);
  assert_int_equal(set_overrun(r, 0, 5 * GIB), SCHEDGPU_OK);
  assert_int_equal(r->device[0].used_bytes, 13 * GIB);
  assert_int_equal(sg_free(&r->device[0]), 0);
  uint32_t waiter = queue_up(r, 1, 6 * GIB);
  give(r, 0, 8 * GIB); /* 5 are free now */
  assert_false(granted(r, waiter));
  assert_int_equal(set_overrun(r, 0, 4 * GIB), SCHEDGPU_OK);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

static void an_overrun_ends_with_its_job(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  uint32_t job = r->client[0].job;
  assert_int_equal(set_overrun(r, 0, 7 * GIB), SCHEDGPU_OK);
  uint32_t waiter = queue_up(r, 1, 4 * GIB);
  end_job_of(r, 0);
  assert_true(granted(r, waiter));
  assert_int_equal(r->device[0].used_bytes, 4 * GIB);
  struct schedgpu_job_spec next = job_spec(9, ONDEMAND, 0, 50);
  assert_int_equal(begin(r, &next), job); /* in the same record */
  assert_int_equal(r->device[0].used_bytes, 4 * GIB);
  fixture_free(r);
}

static void an_overrun_outlives_its_last_process(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  assert_int_equal(set_overrun(r, 0, 7 * GIB), SCHEDGPU_OK);
  die(r, 0);
  assert_int_equal(r->device[0].used_bytes, 7 * GIB);
  fixture_free(r);
}

static void it_may_be_on_any_present_device(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs(); /* on device 0 */
  struct sg_wakes wakes = {0};
  uint32_t job = r->client[0].job;
  assert_int_equal(sg_set_overrun(r, job, 1, GIB, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(r->device[1].used_bytes, GIB);
  sg_recount(r);
  assert_int_equal(r->device[1].used_bytes, GIB);
  assert_int_equal(sg_set_overrun(r, job, 2, GIB, 1, &wakes), SCHEDGPU_EDEVICE);
  assert_int_equal(sg_set_overrun(r, job, 77, GIB, 1, &wakes), SCHEDGPU_EDEVICE);
  assert_int_equal(sg_set_foreign(r, 2, GIB, 1, &wakes), SCHEDGPU_EDEVICE);
  assert_int_equal(sg_set_overrun(r, SG_NONE, 1, GIB, 1, &wakes), SCHEDGPU_ENOJOB);
  assert_int_equal(sg_set_overrun(r, 5, 1, GIB, 1, &wakes), SCHEDGPU_ENOJOB);
  fixture_free(r);
}

static void sizes_are_absolute_whole_units_and_bounded(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  assert_int_equal(set_overrun(r, 0, 2 * GIB), SCHEDGPU_OK);
  assert_int_equal(set_overrun(r, 0, 513), SCHEDGPU_OK);
  assert_int_equal(set_foreign(r, 0, 1), SCHEDGPU_OK);
  assert_int_equal(r->device[0].used_bytes, 3 * 512);
  assert_int_equal(set_foreign(r, 0, UINT64_MAX), SCHEDGPU_OK);
  assert_int_equal(r->device[0].used_bytes, 10 * GIB + 2 * 512);
  fixture_free(r);
}

/** A request that fits on an empty device waits, whatever other programs use. */
static void nothing_is_refused_because_of_it(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  assert_int_equal(set_foreign(r, 0, 10 * GIB), SCHEDGPU_OK);
  struct schedgpu_job_spec s = job_spec(9, PEAK, 10 * GIB, 50);
  begin(r, &s);
  queue_up(r, 1, 10 * GIB);
  fixture_free(r);
}

static void a_holder_that_waits_for_it_is_no_deadlock(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  take_now(r, 0, 2 * GIB);
  assert_int_equal(set_overrun(r, 1, 5 * GIB), SCHEDGPU_OK);
  uint32_t waiter = queue_up(r, 0, 6 * GIB);
  assert_int_equal(set_overrun(r, 1, 0), SCHEDGPU_OK);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

static void a_max_claim_waits_for_unreserved_memory(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  r->h.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
  join(r, 2, ONDEMAND, 8 * GIB, 50);
  assert_int_equal(set_foreign(r, 0, 6 * GIB), SCHEDGPU_OK);
  take_now(r, 2, 3 * GIB); /* the rest of its claim is not free, but will be released: safe */
  uint32_t waiter = queue_up(r, 2, 2 * GIB);
  assert_int_equal(set_foreign(r, 0, 5 * GIB), SCHEDGPU_OK);
  assert_true(granted(r, waiter));
  fixture_free(r);
}

/** It is unknown when it is released: the head of the queue waits for it and blocks no other
 * request. */
static void a_wait_for_unreserved_memory_blocks_none(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  assert_int_equal(set_overrun(r, 0, 5 * GIB), SCHEDGPU_OK);
  uint32_t first = queue_up(r, 1, 6 * GIB);
  take_now(r, 0, 2 * GIB); /* a request of the job with the overrun, which would wait for itself */
  assert_false(granted(r, first));
  assert_int_equal(set_overrun(r, 0, 0), SCHEDGPU_OK);
  assert_true(granted(r, first));
  fixture_free(r);
}

static void a_head_that_would_fit_without_it_blocks_others(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  join(r, 2, ONDEMAND, 0, 50);
  assert_int_equal(set_foreign(r, 0, GIB), SCHEDGPU_OK);
  take_now(r, 0, 6 * GIB);
  uint32_t first = queue_up(r, 1, 5 * GIB), second = queue_up(r, 2, GIB);
  assert_false(granted(r, second)); /* which fits */
  give(r, 0, 6 * GIB);
  assert_true(granted(r, first));
  assert_true(granted(r, second));
  fixture_free(r);
}

/** More of it frees nothing, but the head of the queue stops blocking the others. */
static void raising_it_may_serve_waiters(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  join(r, 2, ONDEMAND, 0, 50);
  take_now(r, 0, 6 * GIB);
  uint32_t first = queue_up(r, 1, 9 * GIB), second = queue_up(r, 2, GIB);
  assert_false(granted(r, second));
  assert_int_equal(set_foreign(r, 0, 2 * GIB), SCHEDGPU_OK);
  assert_true(granted(r, second));
  assert_false(granted(r, first));
  fixture_free(r);
}

/** A user may write the fields: an impossible value counts as all of the device. */
static void a_damaged_field_is_bounded_and_repaired(void **state) {
  (void)state;
  struct sg_region *r = two_ondemand_jobs();
  struct sg_wakes wakes = {0};
  struct sg_report report = {0};
  r->job[0].overrun_bytes[0] = UINT64_MAX - 3;
  r->job[0].overrun_bytes[7] = 512;
  r->device[0].foreign_bytes = UINT64_MAX;
  sg_recount(r);
  assert_int_equal(r->device[0].used_bytes, 20 * GIB);
  assert_int_equal(r->device[7].used_bytes, 0);
  fixture_check(r);
  sg_damage(r, &report);
  assert_int_equal(report.findings, 2); /* of the device and of the job */
  assert_int_equal(sg_repair(r, NULL, &report, &wakes), SCHEDGPU_OK);
  report = (struct sg_report){0};
  sg_damage(r, &report);
  assert_int_equal(report.findings, 0);
  assert_int_equal(r->device[0].used_bytes, 0);
  fixture_free(r);
}

/** A value measured on another card says nothing about the present one. */
static void a_smaller_card_bounds_unreserved_memory(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_setup smaller = fixture_setup(1, 4 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_job_spec s = job_spec(1, ONDEMAND, 0, 50);
  struct sg_wakes wakes = {0};
  s.device_mask = 2;
  assert_int_equal(sg_set_overrun(r, begin(r, &s), 0, 5 * GIB, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(set_foreign(r, 0, 6 * GIB), SCHEDGPU_OK);
  assert_int_equal(sg_region_update(r, &smaller), SCHEDGPU_OK);
  assert_int_equal(r->device[0].used_bytes, 0);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_granted_over_an_overrun),
      cmocka_unit_test(nothing_is_granted_over_foreign_memory),
      cmocka_unit_test(a_budget_is_not_granted_over_an_overrun),
      cmocka_unit_test(a_context_is_not_granted_over_foreign_memory),
      cmocka_unit_test(unreserved_memory_may_exceed_the_device),
      cmocka_unit_test(an_overrun_ends_with_its_job),
      cmocka_unit_test(an_overrun_outlives_its_last_process),
      cmocka_unit_test(it_may_be_on_any_present_device),
      cmocka_unit_test(sizes_are_absolute_whole_units_and_bounded),
      cmocka_unit_test(nothing_is_refused_because_of_it),
      cmocka_unit_test(a_holder_that_waits_for_it_is_no_deadlock),
      cmocka_unit_test(a_max_claim_waits_for_unreserved_memory),
      cmocka_unit_test(a_wait_for_unreserved_memory_blocks_none),
      cmocka_unit_test(a_head_that_would_fit_without_it_blocks_others),
      cmocka_unit_test(raising_it_may_serve_waiters),
      cmocka_unit_test(a_damaged_field_is_bounded_and_repaired),
      cmocka_unit_test(a_smaller_card_bounds_unreserved_memory),
  };
  return cmocka_run_group_tests_name("outside memory", tests, NULL, NULL);
}
