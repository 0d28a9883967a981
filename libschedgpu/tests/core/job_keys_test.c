/*
 * job_keys_test.c - the header's keys find jobs and free records. The record verifies what a key
 * says; wrong keys are found and recounted; a job that has nothing ends without a recount.
 */
#include "../support/fixture.h"
#include "../../core/repair/integrity.h"

#define SLURM SCHEDGPU_JOB_SLURM
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static uint32_t begin_one(struct sg_region *r, uint64_t id) {
  struct schedgpu_job_spec s = job_spec(id, ONDEMAND, 0, 50);
  return begin(r, &s);
}

/** A job that ends with its owner, the process in `slot`, as a job of `schedgpu run` does. */
static uint32_t begin_owned(struct sg_region *r, uint64_t id, uint32_t slot) {
  struct schedgpu_job_spec s = job_spec(id, ONDEMAND, 0, 50);
  struct sg_wakes wakes = {0};
  s.kind = SCHEDGPU_JOB_RUN;
  s.flags = SCHEDGPU_JOB_FLAG_OWNED;
  assert_int_equal(sg_job_begin(r, &s, slot, 1, &wakes), SCHEDGPU_OK);
  return sg_job_find(r, s.kind, id);
}

static void end_job(struct sg_region *r, uint32_t job) {
  struct sg_wakes wakes = {0};
  assert_int_equal(sg_job_end(r, job, 1, &wakes), SCHEDGPU_OK);
}

/** Attaches a process without a job. */
static void attach_without_job(struct sg_region *r, uint32_t slot) {
  r->client[slot].gen++;
  assert_int_equal(sg_client_attach(r, slot, SG_NONE, 0, 7, 1), SCHEDGPU_OK);
}

/** Compares the caches with those of a recount. */
static void expect_caches_right(const struct sg_region *r) {
  struct sg_region *copy = aligned_alloc(64, (sizeof *copy + 63) / 64 * 64);
  assert_non_null(copy);
  memcpy(copy, r, sizeof *copy);
  sg_recount(copy);
  assert_int_equal(r->h.owned_jobs, copy->h.owned_jobs);
  assert_memory_equal(r->h.job_key, copy->h.job_key, sizeof r->h.job_key);
  assert_int_equal(r->h.job_high, copy->h.job_high);
  assert_memory_equal(r->device, copy->device, sizeof r->device);
  assert_memory_equal(r->job, copy->job, sizeof r->job);
  free(copy);
  fixture_check(r);
}

static void a_wrong_key_finds_nobody_else(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t one = begin_one(r, 1), two = begin_one(r, 2);
  r->h.job_key[two] = r->h.job_key[one];
  r->h.job_key[one] = 0;
  assert_int_equal(sg_job_find(r, SLURM, 1), SG_NONE);
  assert_int_equal(sg_job_find(r, SLURM, 2), SG_NONE);
  assert_true(sg_job_named(r, SLURM, 1));
  assert_false(sg_job_named(r, SLURM, 2));
  assert_int_equal(sg_job_search(r, SLURM, 1), one);
  assert_int_equal(sg_job_search(r, SLURM, 2), two);
  sg_recount(r);
  assert_int_equal(sg_job_find(r, SLURM, 1), one);
  assert_int_equal(sg_job_find(r, SLURM, 2), two);
  assert_int_equal(sg_job_find(r, SCHEDGPU_JOB_RUN, 2), SG_NONE);
  fixture_free(r);
}

/** A key has fewer bits than kind and id. */
static void two_jobs_of_one_key_are_two(void **state) {
  (void)state;
  const uint64_t id = 5, other_id = id + (UINT64_C(1) << 62);
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t one = begin_one(r, id), other = begin_one(r, other_id);
  assert_true(r->h.job_key[one] == r->h.job_key[other] && one != other);
  assert_int_equal(sg_job_find(r, SLURM, id), one);
  assert_int_equal(sg_job_find(r, SLURM, other_id), other);
  end_job(r, one);
  assert_int_equal(sg_job_find(r, SLURM, id), SG_NONE);
  assert_int_equal(sg_job_find(r, SLURM, other_id), other);
  fixture_free(r);
}

/** A record counts as in use if either its key or its state says so. */
static void a_record_is_free_by_its_key_and_its_state(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(begin_one(r, 1), 0);
  assert_int_equal(begin_one(r, 2), 1);
  r->h.job_key[0] = 0;
  assert_int_equal(sg_job_place(r), 2);
  r->h.job_key[2] = 7;
  assert_int_equal(sg_job_place(r), 3);
  sg_recount(r);
  assert_int_equal(sg_job_place(r), 2);
  for (uint64_t id = 3; id <= SCHEDGPU_MAX_JOBS; id++)
    begin_one(r, id);
  assert_int_equal(sg_job_place(r), SG_NONE);
  end_job(r, 17);
  assert_int_equal(sg_job_place(r), 17);
  fixture_free(r);
}

static void expect_reported_and_repaired(struct sg_region *r, uint64_t right,
                                         const char *text_part) {
  char text[200];
  uint64_t damaged = sg_caches_sum(r);
  assert_true(damaged != right); /* so that a check finds it */
  assert_int_equal(sg_check(r, text, sizeof text), SCHEDGPU_ECORRUPT);
  assert_non_null(strstr(text, text_part));
  sg_recount(r);
  assert_true(sg_caches_sum(r) == right);
  fixture_check(r);
}

static void damaged_keys_are_reported_and_repaired(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  begin_one(r, 1);
  uint64_t right = sg_caches_sum(r);
  r->h.job_key[0] ^= 4;
  expect_reported_and_repaired(r, right, "key of job 0");
  r->h.job_key[0] = 0;
  expect_reported_and_repaired(r, right, "key of job 0");
  r->h.job_key[SCHEDGPU_MAX_JOBS - 1] = 7; /* the key of no job */
  expect_reported_and_repaired(r, right, "key of job 511");
  r->h.owned_jobs = 1;
  expect_reported_and_repaired(r, right, "count of owned jobs");
  fixture_free(r);
}

static bool recounts(struct sg_region *r, uint32_t job) {
  r->device[0].context_used_bytes = 7;
  end_job(r, job);
  bool recounted = r->device[0].context_used_bytes == 0;
  r->device[0].context_used_bytes = 0;
  return recounted;
}

static void a_job_that_has_nothing_ends_without_a_recount(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  take_now(r, 0, 6 * GIB);
  uint32_t idle = begin_one(r, 8), last = begin_one(r, 9);
  assert_false(recounts(r, idle));
  expect_caches_right(r);
  assert_false(recounts(r, last));
  expect_caches_right(r);
  assert_true(recounts(r, r->client[0].job));
  assert_int_equal(used(r), 0);
  expect_caches_right(r);
  fixture_free(r);
}

static void an_owned_job_that_has_nothing_ends_without_a_recount(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  attach_without_job(r, 5);
  uint32_t one = begin_owned(r, 1, 5);
  begin_owned(r, 2, 5);
  begin_one(r, 1);
  assert_int_equal(r->h.owned_jobs, 2);
  assert_false(recounts(r, one));
  assert_int_equal(r->h.owned_jobs, 1);
  expect_caches_right(r);
  fixture_free(r);
}

/** The process that began the end was killed. The process that recovers the lock recounts before it
 * ends the job. */
static void an_owned_job_is_subtracted_once(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  attach_without_job(r, 5);
  uint32_t one = begin_owned(r, 1, 5);
  begin_owned(r, 2, 5);
  r->job[one].state = SG_ENDING;
  sg_recount(r);
  assert_int_equal(r->h.owned_jobs, 1);
  end_job(r, one);
  assert_int_equal(r->h.owned_jobs, 1);
  expect_caches_right(r);
  fixture_free(r);
}

/** A new job of another user is not the old one. */
static void a_job_in_the_place_of_another_is_counted_once(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_job_spec s = job_spec(1, ONDEMAND, 0, 50);
  attach_without_job(r, 5);
  begin_owned(r, 1, 5);
  s.kind = SCHEDGPU_JOB_RUN;
  s.uid = 1001;
  assert_int_equal(begin(r, &s), 0);
  assert_int_equal(r->h.owned_jobs, 0);
  expect_caches_right(r);
  fixture_free(r);
}

/** Each job ends with its owner; a job that still has a process ends with that. */
static void owned_jobs_end_with_their_owner(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  attach_without_job(r, 5);
  attach_without_job(r, 6);
  begin_owned(r, 1, 5);
  begin_owned(r, 2, 6);
  uint32_t used_one = begin_owned(r, 3, 5);
  begin_one(r, 4);
  r->client[0].gen++;
  assert_int_equal(sg_client_attach(r, 0, used_one, 1000, 8, 1), SCHEDGPU_OK);
  take_now(r, 0, GIB);
  die(r, 5);
  assert_int_equal(sg_job_find(r, SCHEDGPU_JOB_RUN, 1), SG_NONE);
  assert_int_equal(r->h.owned_jobs, 2);
  expect_caches_right(r);
  die(r, 0);
  assert_int_equal(sg_job_find(r, SCHEDGPU_JOB_RUN, 3), SG_NONE);
  assert_int_equal(r->h.owned_jobs, 1);
  expect_caches_right(r);
  die(r, 6);
  assert_int_equal(sg_job_find(r, SCHEDGPU_JOB_RUN, 2), SG_NONE);
  assert_int_equal(r->h.owned_jobs, 0);
  assert_int_not_equal(sg_job_find(r, SLURM, 4), SG_NONE);
  expect_caches_right(r);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_key_finds_nobody_else),
      cmocka_unit_test(two_jobs_of_one_key_are_two),
      cmocka_unit_test(a_record_is_free_by_its_key_and_its_state),
      cmocka_unit_test(damaged_keys_are_reported_and_repaired),
      cmocka_unit_test(a_job_that_has_nothing_ends_without_a_recount),
      cmocka_unit_test(an_owned_job_that_has_nothing_ends_without_a_recount),
      cmocka_unit_test(an_owned_job_is_subtracted_once),
      cmocka_unit_test(a_job_in_the_place_of_another_is_counted_once),
      cmocka_unit_test(owned_jobs_end_with_their_owner),
  };
  return cmocka_run_group_tests_name("keys of jobs", tests, NULL, NULL);
}
