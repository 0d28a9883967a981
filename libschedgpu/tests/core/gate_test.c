/*
 * gate_test.c - mode gate: the whole budget is reserved before the programs start, until the job
 * ends; declared processes.
 */
#include "../support/fixture.h"

#define GATE SCHEDGPU_MODE_GATE
#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static int ask_gate(struct sg_region *r, uint32_t slot, uint32_t *waiter) {
  struct sg_wakes wakes = {0};
  struct sg_request q = {
      .client = slot, .gate = true, .may_wait = true, .deadline_ns = SG_NO_DEADLINE};
  int rc = sg_ask(r, &q, 1, waiter, &wakes);
  fixture_check(r);
  return rc;
}

static void the_gate_holds_the_budget_and_a_context(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB / 4, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, GATE, 6 * GIB, 50);
  assert_int_equal(ask_gate(r, 0, &w), SCHEDGPU_OK);
  assert_int_equal(used(r), 6 * GIB + GIB / 4);
  assert_int_equal(ask_gate(r, 0, &w), SCHEDGPU_OK); /* a second task finds it open */
  assert_int_equal(used(r), 6 * GIB + GIB / 4);
  fixture_free(r);
}

/** The process at the gate becomes the program (exec), so its client is dead. */
static void the_budget_outlives_the_process_at_the_gate(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB / 4, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  uint32_t w, waits;
  join(r, 0, GATE, 6 * GIB, 50);
  join(r, 1, GATE, 6 * GIB, 50);
  uint32_t job = r->client[0].job;
  assert_int_equal(ask_gate(r, 0, &w), SCHEDGPU_OK);
  assert_int_equal(ask_gate(r, 1, &waits), SCHEDGPU_EWOULDBLOCK);
  die(r, 0);
  assert_false(granted(r, waits));
  assert_int_equal(used(r), 6 * GIB + 2 * (GIB / 4));
  assert_int_equal(sg_job_end(r, job, 1, &wakes), SCHEDGPU_OK);
  assert_true(granted(r, waits));
  assert_int_equal(settle(r, waits), SCHEDGPU_OK);
  fixture_free(r);
}

static void a_gates_budget_is_never_idle(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, GATE, 6 * GIB, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  assert_int_equal(ask_gate(r, 0, &w), SCHEDGPU_OK);
  uint32_t waits = queue_up(r, 1, GIB);
  die(r, 0);
  assert_false(granted(r, waits));
  fixture_free(r);
}

static void a_process_killed_at_the_gate_holds_nothing(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB / 4, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, GATE, 6 * GIB, 50);
  take_now(r, 0, 8 * GIB);
  assert_int_equal(ask_gate(r, 1, &w), SCHEDGPU_EWOULDBLOCK);
  die(r, 1);
  assert_int_equal(used(r), 8 * GIB + GIB / 4);
  fixture_free(r);
}

static void only_gate_jobs_have_a_gate(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, PEAK, 6 * GIB, 50);
  join(r, 1, ONDEMAND, 6 * GIB, 50);
  assert_int_equal(ask_gate(r, 0, &w), SCHEDGPU_EINVAL);
  assert_int_equal(ask_gate(r, 1, &w), SCHEDGPU_EINVAL);
  fixture_free(r);
}

static void inside_a_gate_memory_comes_from_the_budget(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB / 4, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  join(r, 0, GATE, 6 * GIB, 50);
  assert_int_equal(ask_gate(r, 0, &w), SCHEDGPU_OK);
  assert_int_equal(ask_context(r, 0, &w), SCHEDGPU_OK);
  take_now(r, 0, 6 * GIB);
  assert_int_equal(ask_on(r, 0, 0, 512, &w), SCHEDGPU_EBUDGET);
  assert_int_equal(used(r), 6 * GIB + GIB / 4);
  fixture_free(r);
}

static struct schedgpu_job_spec with_processes(uint64_t id, uint32_t n) {
  struct schedgpu_job_spec s = job_spec(id, PEAK, 4 * GIB, 50);
  s.processes = n;
  return s;
}

/** Two MPI ranks per job: the second one's context was reserved with the first. */
static void declared_processes_have_their_contexts_reserved(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  uint32_t w;
  for (uint32_t i = 0; i < 2; i++) {
    struct schedgpu_job_spec s = with_processes(i + 1, 2);
    uint32_t job = begin(r, &s);
    r->client[i].gen++;
    assert_int_equal(sg_client_attach(r, i, job, 1000, 1, 1), SCHEDGPU_OK);
    add_process(r, i + 2, i);
  }
  assert_int_equal(ask_context(r, 0, &w), SCHEDGPU_OK);
  assert_int_equal(used(r), 2 * GIB);
  assert_int_equal(ask_context(r, 1, &w), SCHEDGPU_OK);
  assert_int_equal(used(r), 4 * GIB);
  take_now(r, 0, GIB);
  uint32_t waits = queue_up(r, 1, 4 * GIB);
  assert_int_equal(ask_context(r, 2, &w), SCHEDGPU_OK); /* at once, though 2 GiB are free */
  assert_int_equal(ask_context(r, 3, &w), SCHEDGPU_OK);
  assert_int_equal(used(r), 8 * GIB);
  assert_false(granted(r, waits));
  fixture_free(r);
}

static void processes_that_can_never_fit_are_refused_at_begin(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, GIB, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  struct schedgpu_job_spec s = with_processes(1, 7);
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_ETOOBIG);
  s.processes = 6;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  s.processes = SCHEDGPU_MAX_CLIENTS + 1;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_EINVAL);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gate_holds_the_budget_and_a_context),
      cmocka_unit_test(the_budget_outlives_the_process_at_the_gate),
      cmocka_unit_test(a_gates_budget_is_never_idle),
      cmocka_unit_test(a_process_killed_at_the_gate_holds_nothing),
      cmocka_unit_test(only_gate_jobs_have_a_gate),
      cmocka_unit_test(inside_a_gate_memory_comes_from_the_budget),
      cmocka_unit_test(declared_processes_have_their_contexts_reserved),
      cmocka_unit_test(processes_that_can_never_fit_are_refused_at_begin),
  };
  return cmocka_run_group_tests_name("gate and processes", tests, NULL, NULL);
}
