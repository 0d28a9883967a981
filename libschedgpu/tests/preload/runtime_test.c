/*
 * Programs on the runtime: of every version, shared and inside the executable, and with streams of
 * their own for each thread.
 */
#include "fixture.h"

#define JOB 12

static void expect_runtime(struct node *node, const char *program) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node, &(struct start){.program = program, .job = JOB});
  expect_charged_to(node, JOB, &child);
  assert_int_equal(child_ask(&child, "managed 1 %llu", (unsigned long long)MIB), 0);
  assert_int_equal(child_ask(&child, "async 2 %llu", (unsigned long long)MIB), 0);
  assert_int_equal(child_ask(&child, "pitch 3 1000 1024"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 2 * MIB + child_number(&child, 1) * 1024);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "free-async 2"), 0);
  assert_int_equal(child_ask(&child, "free 1"), 0);
  assert_int_equal(child_ask(&child, "free 3"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_end(&child), 0);
}

static void shared_runtime_11(void **state) {
  expect_runtime(*state, "runtime_shared_11.0");
}
static void shared_runtime_12(void **state) {
  expect_runtime(*state, "runtime_shared_12");
}
static void shared_runtime_13(void **state) {
  expect_runtime(*state, "runtime_shared_13");
}
static void runtime_inside_the_executable(void **state) {
  expect_runtime(*state, "runtime_static");
}

/* nvcc --default-stream per-thread. */
static void runtime_with_per_thread_streams(void **state) {
  expect_runtime(*state, "runtime_per_thread");
}

/* cudaMemGetInfo and the device's properties. */
static void expect_budget_shown(struct node *node, const char *program) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node, &(struct start){.program = program, .job = JOB});
  assert_int_equal(child_ask(&child, "total"), 0);
  assert_int_equal(child_number(&child, 1), 8 * GIB);
  assert_int_equal(child_ask(&child, "info"), 0);
  assert_int_equal(child_number(&child, 2), 8 * GIB);
}

static void budget_is_what_the_runtime_11_shows(void **state) {
  expect_budget_shown(*state, "runtime_shared_11.0");
}

/* Programs that were linked before glibc 2.34 ask for an older version of dlsym. */
static void program_with_an_older_dlsym(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(
      &child, *state,
      &(struct start){.program = "driver_older_dlsym", .arguments = {"handle"}, .job = JOB});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  expect_charged_to(*state, JOB, &child);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(shared_runtime_11),
      NODE_TEST(shared_runtime_12),
      NODE_TEST(shared_runtime_13),
      NODE_TEST(runtime_inside_the_executable),
      NODE_TEST(runtime_with_per_thread_streams),
      NODE_TEST(budget_is_what_the_runtime_11_shows),
      NODE_TEST(program_with_an_older_dlsym),
  };
  return cmocka_run_group_tests_name("runtimes", tests, NULL, NULL);
}
