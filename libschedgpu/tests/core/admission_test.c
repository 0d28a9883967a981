/*
 * admission_test.c - contexts and the admission of jobs: no job waits for a context that is never
 * released.
 */
#include "../support/fixture.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static void a_context_must_leave_room_for_the_largest_budget(void **state) {
  (void)state;
  uint32_t w;
  struct sg_region *r = fixture_full_of_contexts(&w);
  assert_false(granted(r, w));
  take_now(r, 0, GIB);
  assert_int_equal(used(r), 10 * GIB);
  die(r, 1); /* its context is released: the fifth is admitted beside the budget in use */
  assert_true(granted(r, w));
  assert_int_equal(settle(r, w), SCHEDGPU_OK);
  fixture_free(r);
}

static void a_waiting_context_does_not_stop_memory(void **state) {
  (void)state;
  uint32_t w;
  struct sg_region *r = fixture_full_of_contexts(&w);
  take_now(r, 0, GIB);
  uint32_t second = queue_up(r, 1, GIB);
  give(r, 0, GIB);
  assert_true(granted(r, second));
  fixture_free(r);
}

static void a_context_that_can_never_fit_is_refused(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, PEAK, 8 * GIB, 50);
  add_process(r, 1, 0);
  add_process(r, 2, 0);
  assert_int_equal(ask_context(r, 0, &w), SCHEDGPU_OK);
  assert_int_equal(ask_context(r, 1, &w), SCHEDGPU_OK);
  /* 3 + 8 > 10: the job alone does not fit */
  assert_int_equal(ask_context(r, 2, &w), SCHEDGPU_ETOOBIG);
  fixture_free(r);
}

static struct schedgpu_job_spec two_devices(uint64_t id, uint32_t mode, uint64_t budget_bytes) {
  struct schedgpu_job_spec s = job_spec(id, mode, budget_bytes, 50);
  s.device_mask = 3;
  s.budget_bytes[1] = budget_bytes;
  return s;
}

static void join_two(struct sg_region *r, uint32_t slot, uint64_t budget_bytes) {
  struct schedgpu_job_spec s = two_devices(slot + 1, PEAK, budget_bytes);
  uint32_t job = begin(r, &s);
  r->client[slot].gen++;
  assert_int_equal(sg_client_attach(r, slot, job, 1000, 1, 1), SCHEDGPU_OK);
}

static int context_on(struct sg_region *r, uint32_t slot, uint32_t device, uint32_t *waiter) {
  struct sg_wakes wakes = {0};
  struct sg_request q = {.client = slot, .device = device, .context = true, .may_wait = true};
  int rc = sg_ask(r, &q, 1, waiter, &wakes);
  fixture_check(r);
  return rc;
}

/** Jobs over two devices, each with a context on another one, must not wait for each other. */
static void admission_reserves_a_context_on_each_device(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, GIB / 4, SCHEDGPU_POLICY_FIFO);
  uint32_t w, x;
  join_two(r, 0, 9 * GIB + GIB / 2);
  join_two(r, 1, 9 * GIB + GIB / 2);
  assert_int_equal(context_on(r, 0, 0, &w), SCHEDGPU_OK);
  assert_int_equal(r->device[1].used_bytes, GIB / 4);
  assert_int_equal(context_on(r, 1, 1, &w), SCHEDGPU_OK); /* 2 x 0.25 + 9.5 = 10: both fit */
  assert_int_equal(ask_on(r, 0, 0, GIB, &w), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 1, 1, GIB, &w), SCHEDGPU_EWOULDBLOCK);
  /* a process that holds memory never waits for its context */
  assert_int_equal(context_on(r, 0, 1, &x), SCHEDGPU_OK);
  join_two(r, 2, GIB);
  assert_int_equal(context_on(r, 2, 0, &x), SCHEDGPU_EWOULDBLOCK); /* 3 x 0.25 + 9.5 > 10 */
  die(r, 0);
  assert_true(granted(r, w));
  assert_true(granted(r, x));
  fixture_free(r);
}

/** A process that asks for memory without a context is admitted by that request. */
static void memory_without_a_context_is_admitted_too(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB / 4, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  for (uint32_t i = 0; i < 3; i++)
    join(r, i, PEAK, 9 * GIB + GIB / 2, 50);
  assert_int_equal(ask_context(r, 0, &w), SCHEDGPU_OK);
  assert_int_equal(ask_context(r, 1, &w), SCHEDGPU_OK);
  assert_int_equal(ask_on(r, 2, 0, GIB, &w), SCHEDGPU_EWOULDBLOCK); /* not admitted, so it waits */
  /* and blocks no other request */
  take_now(r, 0, GIB);
  die(r, 0);
  assert_true(granted(r, w)); /* admitted now, and its budget fits */
  fixture_free(r);
}

static void a_job_without_processes_releases_its_contexts(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB / 4, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, ONDEMAND, 0, 50);
  add_process(r, 1, 0);
  assert_int_equal(ask_context(r, 0, &w), SCHEDGPU_OK);
  assert_int_equal(ask_context(r, 1, &w), SCHEDGPU_OK);
  assert_int_equal(used(r), 2 * (GIB / 4));
  die(r, 0);
  assert_int_equal(used(r), GIB / 4);
  die(r, 1);
  assert_int_equal(used(r), 0);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_context_must_leave_room_for_the_largest_budget),
      cmocka_unit_test(a_waiting_context_does_not_stop_memory),
      cmocka_unit_test(a_context_that_can_never_fit_is_refused),
      cmocka_unit_test(admission_reserves_a_context_on_each_device),
      cmocka_unit_test(memory_without_a_context_is_admitted_too),
      cmocka_unit_test(a_job_without_processes_releases_its_contexts),
  };
  return cmocka_run_group_tests_name("admission", tests, NULL, NULL);
}
