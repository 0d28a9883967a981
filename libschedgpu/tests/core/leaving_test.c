/*
 * leaving_test.c - a job or process that ends frees memory, and waiters are served, whatever kind
 * of memory it had. Only if it had nothing, the queues are not scanned: this makes the end of a job
 * cheap on a full node. These tests define what nothing means.
 */
#include "../support/fixture.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define GATE SCHEDGPU_MODE_GATE

static void end(struct sg_region *r, uint64_t id) {
  struct sg_wakes wakes = {0};
  uint32_t job = sg_job_find(r, SCHEDGPU_JOB_SLURM, id);
  assert_int_equal(sg_job_end(r, job, 1, &wakes), SCHEDGPU_OK);
  fixture_check(r);
}

static struct sg_region *ondemand_jobs(uint32_t count) {
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < count; i++)
    join(r, i, ONDEMAND, 0, 50);
  return r;
}

/** 10 GiB: job 1 holds 6, job 2 waits for 6, and behind it job 3 for 1. */
static struct sg_region *behind_a_blocked_head(uint32_t *third) {
  struct sg_region *r = ondemand_jobs(3);
  take_now(r, 0, 6 * GIB);
  queue_up(r, 1, 6 * GIB);
  *third = queue_up(r, 2, GIB);
  return r;
}

/** Attaches a process without a job, in slot 5. */
static void attach_without_job(struct sg_region *r) {
  r->client[5].gen++;
  assert_int_equal(sg_client_attach(r, 5, SG_NONE, 0, 7, 1), SCHEDGPU_OK);
}

static void the_end_of_a_job_with_memory_serves(void **state) {
  (void)state;
  struct sg_region *r = ondemand_jobs(2);
  take_now(r, 0, 6 * GIB);
  uint32_t w = queue_up(r, 1, 6 * GIB);
  end(r, 1);
  assert_true(granted(r, w));
  fixture_free(r);
}

/** Its process has ended, and the job keeps the budget while no request needs it. */
static void the_end_of_a_job_that_holds_without_processes_serves(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  join(r, 0, GATE, 6 * GIB, 50);
  join(r, 1, ONDEMAND, 0, 50);
  uint32_t w;
  struct sg_request gate = {
      .client = 0, .gate = true, .may_wait = true, .deadline_ns = SG_NO_DEADLINE};
  assert_int_equal(sg_ask(r, &gate, 1, &w, &wakes), SCHEDGPU_OK);
  die(r, 0);
  w = queue_up(r, 1, 6 * GIB);
  assert_int_equal(r->job[0].clients, 0);
  assert_int_not_equal(r->job[0].held_mask, 0);
  end(r, 1);
  assert_true(granted(r, w));
  fixture_free(r);
}

/** The job has neither budget nor process, but its programs' unreserved memory blocks others. */
static void the_end_of_a_job_with_unreserved_memory_serves(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  struct schedgpu_job_spec s = job_spec(1, ONDEMAND, 0, 50);
  uint32_t job = begin(r, &s);
  join(r, 1, ONDEMAND, 0, 50);
  assert_int_equal(sg_set_overrun(r, job, 0, 6 * GIB, 1, &wakes), SCHEDGPU_OK);
  uint32_t w = queue_up(r, 1, 6 * GIB);
  end(r, 1);
  assert_true(granted(r, w));
  fixture_free(r);
}

/** It was first in the queue, and its request never fits. */
static void the_end_of_a_job_that_only_waits_serves(void **state) {
  (void)state;
  uint32_t w;
  struct sg_region *r = behind_a_blocked_head(&w);
  assert_false(granted(r, w)); /* first in, first out */
  end(r, 2);
  assert_true(granted(r, w));
  fixture_free(r);
}

static void a_process_that_only_waits_leaves_its_place(void **state) {
  (void)state;
  uint32_t w;
  struct sg_region *r = behind_a_blocked_head(&w);
  die(r, 1);
  assert_true(granted(r, w));
  fixture_free(r);
}

/** A process without a job has nothing; but a job ends with it, and that has something. */
static void the_owner_of_a_job_that_holds_leaves_and_serves(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  struct schedgpu_job_spec s = job_spec(1, ONDEMAND, 0, 50);
  attach_without_job(r);
  s.kind = SCHEDGPU_JOB_RUN;
  s.flags = SCHEDGPU_JOB_FLAG_OWNED;
  assert_int_equal(sg_job_begin(r, &s, 5, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(sg_set_overrun(r, 0, 0, 6 * GIB, 1, &wakes), SCHEDGPU_OK);
  join(r, 1, ONDEMAND, 0, 50);
  uint32_t w = queue_up(r, 1, 6 * GIB);
  die(r, 5);
  assert_int_equal(r->job[0].state, SG_FREE);
  assert_true(granted(r, w));
  fixture_free(r);
}

/** Free memory that was not granted stays: a scan would grant it now. */
static void an_end_without_memory_scans_no_queue(void **state) {
  (void)state;
  struct sg_region *r = ondemand_jobs(2);
  struct schedgpu_job_spec s = job_spec(9, ONDEMAND, 0, 50);
  begin(r, &s);
  attach_without_job(r);
  take_now(r, 0, 6 * GIB);
  uint32_t w = queue_up(r, 1, 6 * GIB);
  r->device[0].total_bytes *= 2; /* which a transition would serve */
  sg_seal_device(r, 0);
  end(r, 9);
  die(r, 5);
  assert_false(granted(r, w));
  die(r, 0);
  assert_true(granted(r, w));
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_end_of_a_job_with_memory_serves),
      cmocka_unit_test(the_end_of_a_job_that_holds_without_processes_serves),
      cmocka_unit_test(the_end_of_a_job_with_unreserved_memory_serves),
      cmocka_unit_test(the_end_of_a_job_that_only_waits_serves),
      cmocka_unit_test(a_process_that_only_waits_leaves_its_place),
      cmocka_unit_test(the_owner_of_a_job_that_holds_leaves_and_serves),
      cmocka_unit_test(an_end_without_memory_scans_no_queue),
  };
  return cmocka_run_group_tests_name("leaving", tests, NULL, NULL);
}
