/* The budget that a program sees, and what happens at its limit. */
#include "fixture.h"
#include <string.h>
#include <unistd.h>

#define JOB 12
#define NEIGHBOUR 13
#define OUT_OF_MEMORY 2

static void expect_info(struct child *child, uint64_t free_bytes, uint64_t total_bytes) {
  assert_int_equal(child_ask(child, "info"), 0);
  assert_int_equal(child_number(child, 1), free_bytes);
  assert_int_equal(child_number(child, 2), total_bytes);
  assert_int_equal(child_ask(child, "total 0"), 0);
  assert_int_equal(child_number(child, 1), total_bytes);
}

static void budget_is_what_the_driver_shows(void **state) {
  struct child child;
  node_job(*state, JOB, 6 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  expect_info(&child, 6 * GIB, 6 * GIB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)GIB), 0);
  expect_info(&child, 5 * GIB, 6 * GIB);
}

static void expect_runtime_shows_budget(struct node *node, const char *program) {
  struct child child;
  node_job(node, JOB, 6 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node, &(struct start){.program = program, .job = JOB});
  expect_info(&child, 6 * GIB, 6 * GIB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)GIB), 0);
  expect_info(&child, 5 * GIB, 6 * GIB);
}

static void budget_is_what_the_runtime_11_shows(void **state) {
  expect_runtime_shows_budget(*state, "runtime_shared_11.0");
}
static void budget_is_what_the_runtime_12_shows(void **state) {
  expect_runtime_shows_budget(*state, "runtime_shared_12");
}
static void budget_is_what_the_runtime_13_shows(void **state) {
  expect_runtime_shows_budget(*state, "runtime_shared_13");
}

static void budget_is_shared_by_the_jobs_processes(void **state) {
  struct child one, two;
  node_job(*state, JOB, 6 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&one, *state, JOB);
  start_driver_program(&two, *state, JOB);
  assert_int_equal(child_ask(&one, "alloc 0 %llu", (unsigned long long)(4 * GIB)), 0);
  expect_info(&two, 2 * GIB, 6 * GIB);
  assert_int_equal(child_ask(&two, "alloc 0 %llu", (unsigned long long)(3 * GIB)), OUT_OF_MEMORY);
  assert_int_equal(child_ask(&one, "free 0"), 0);
  assert_int_equal(child_ask(&two, "alloc 0 %llu", (unsigned long long)(3 * GIB)), 0);
}

/* vLLM asserts that free memory does not rise by itself. */
static void free_does_not_change_with_a_neighbour(void **state) {
  struct child child, neighbour;
  node_job(*state, JOB, 6 * GIB, SCHEDGPU_FOREVER);
  node_job(*state, NEIGHBOUR, 4 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  start_driver_program(&neighbour, *state, NEIGHBOUR);
  assert_int_equal(child_ask(&neighbour, "alloc 0 %llu", (unsigned long long)GIB), 0);
  expect_info(&child, 6 * GIB, 6 * GIB);
  assert_int_equal(child_ask(&neighbour, "free 0"), 0);
  expect_info(&child, 6 * GIB, 6 * GIB);
}

static void job_without_a_budget_sees_the_device(void **state) {
  struct child child;
  node_job(*state, JOB, 0, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)GIB), 0);
  expect_info(&child, DEVICE_BYTES - CONTEXT_BYTES - GIB, DEVICE_BYTES);
}

static void over_budget_is_out_of_memory_and_one_line(void **state) {
  struct child child;
  node_job(*state, JOB, 6 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(5 * GIB + GIB / 2)), 0);
  for (int i = 0; i < 3; i++)
    assert_int_equal(child_ask(&child, "alloc 1 %llu", (unsigned long long)(2 * GIB)),
                     OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "schedgpu:"), 1);
  assert_int_equal(
      child_said(&child,
                 "schedgpu: job 12 asked for 2.0 GiB on device 0, 5.5 of its 6.0 GiB budget "
                 "are in use: ask for more with --schedgpu-mem, or wait for it with "
                 "--schedgpu-overflow=wait\n"),
      1);
  assert_int_equal(child_ask(&child, "alloc 1 %llu", (unsigned long long)(GIB / 2)), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 6 * GIB);
  uint64_t largest_bytes;
  assert_int_equal(node_refusals(*state, JOB, &largest_bytes), 3);
  assert_int_equal(largest_bytes, 2 * GIB);
}

/* A growable budget is for mode peak only. */
static void over_budget_on_demand_names_the_remedy(void **state) {
  struct child child;
  node_job_ondemand(*state, JOB, GIB, SCHEDGPU_FOREVER, 1);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(2 * GIB)), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "ask for more with --schedgpu-mem\n"), 1);
}

/* The budget of a job that takes turns cannot grow. */
static void over_budget_in_turns_names_the_remedy(void **state) {
  struct child child;
  node_share_job(*state, JOB, 1);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(2 * GIB)), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "ask for more with --schedgpu-mem\n"), 1);
}

/* The options of `schedgpu run` have other names. */
static void over_budget_without_slurm_names_the_options_of_run(void **state) {
  struct node *node = *state;
  struct child child;
  struct schedgpu_job_spec spec = {.job_id = JOB,
                                   .kind = SCHEDGPU_JOB_RUN,
                                   .uid = (uint32_t)getuid(),
                                   .mode = SCHEDGPU_MODE_PEAK,
                                   .device_mask = 1,
                                   .budget_bytes = {GIB}};
  assert_int_equal(schedgpu_admin_job_begin(node->admin, &spec), 0);
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .environment = "SCHEDGPU_JOB=run:12"});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(2 * GIB)), OUT_OF_MEMORY);
  assert_int_equal(
      child_said(&child, "ask for more with --mem, or wait for it with --overflow wait\n"), 1);
}

static void expect_over_budget(struct node *node, const char *call) {
  struct child child;
  node_job(node, JOB, GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, node, JOB);
  assert_int_equal(child_ask(&child, "%s", call), OUT_OF_MEMORY);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(node_refusals(node, JOB, NULL), 1); /* however often the program tried */
  assert_int_equal(child_said(&child, "budget"), 1);
}
static void managed_over_budget(void **state) {
  expect_over_budget(*state, "managed 0 2147483648");
}
static void pitch_over_budget(void **state) {
  expect_over_budget(*state, "pitch 0 2097152 1024");
}
static void async_over_budget(void **state) {
  expect_over_budget(*state, "async 0 2147483648");
}
static void pool_over_budget(void **state) {
  expect_over_budget(*state, "pool 0 2147483648");
}
static void physical_over_budget(void **state) {
  expect_over_budget(*state, "physical 0 2147483648 1 0");
}

static void more_than_the_device_has_is_out_of_memory(void **state) {
  struct child child;
  node_job(*state, JOB, 0, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(20 * GIB)),
                   OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "asked for 20.0 GiB on device 0, which can give 16.0 GiB"),
                   1);
}

/* A neighbour without a budget holds 12 of 16 GiB. */
static void occupy(struct node *node, struct child *neighbour) {
  node_job(node, NEIGHBOUR, 0, SCHEDGPU_FOREVER);
  start_driver_program(neighbour, node, NEIGHBOUR);
  assert_int_equal(child_ask(neighbour, "alloc 0 %llu", (unsigned long long)(12 * GIB)), 0);
}

static void job_that_does_not_wait_is_out_of_memory(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  node_job_ondemand(*state, JOB, 8 * GIB, SCHEDGPU_NO_WAIT, 1);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(8 * GIB)), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "do not fit now and the job does not wait"), 1);
}

static void job_whose_wait_ends_is_out_of_memory(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  node_job_ondemand(*state, JOB, 8 * GIB, 1000000, 1);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(8 * GIB)), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "did not become free in time"), 1);
  assert_int_equal(node_in_use(*state, JOB, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(budget_is_what_the_driver_shows),
      NODE_TEST(budget_is_what_the_runtime_11_shows),
      NODE_TEST(budget_is_what_the_runtime_12_shows),
      NODE_TEST(budget_is_what_the_runtime_13_shows),
      NODE_TEST(budget_is_shared_by_the_jobs_processes),
      NODE_TEST(free_does_not_change_with_a_neighbour),
      NODE_TEST(job_without_a_budget_sees_the_device),
      NODE_TEST(over_budget_is_out_of_memory_and_one_line),
      NODE_TEST(over_budget_on_demand_names_the_remedy),
      NODE_TEST(over_budget_in_turns_names_the_remedy),
      NODE_TEST(over_budget_without_slurm_names_the_options_of_run),
      NODE_TEST(managed_over_budget),
      NODE_TEST(pitch_over_budget),
      NODE_TEST(async_over_budget),
      NODE_TEST(pool_over_budget),
      NODE_TEST(physical_over_budget),
      NODE_TEST(more_than_the_device_has_is_out_of_memory),
      NODE_TEST(job_that_does_not_wait_is_out_of_memory),
      NODE_TEST(job_whose_wait_ends_is_out_of_memory),
  };
  return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
