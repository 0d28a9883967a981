/*
 * A program built by the real nvcc with -cudart shared, on the emulator's runtime.
 */
#include "fixture.h"
#include <unistd.h>

#define JOB 12

static void expect_program(struct node *node, const char *program) {
  struct child child;
  char path[512];
  snprintf(path, sizeof path, "%s/%s", PROGRAMS_DIR, program);
  if (access(path, X_OK) != 0)
    SKIP("no nvcc, or it cannot build the program");
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node, &(struct start){.program = program, .job = JOB});
  expect_charged_to(node, JOB, &child);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)MIB), 0);
  assert_int_equal(child_ask(&child, "copy"), 0);
  assert_int_equal(child_ask(&child, "launch"), 0);
  assert_int_equal(child_ask(&child, "managed %llu", (unsigned long long)MIB), 0);
  assert_int_equal(child_ask(&child, "pitch 1000 1024"), 0);
  uint64_t in_use = 2 * MIB + child_number(&child, 1) * 1024;
  assert_int_equal(node_in_use(node, JOB, 0), in_use);
  assert_int_equal(child_ask(&child, "async %llu", (unsigned long long)MIB), 0);
  assert_true(node_in_use(node, JOB, 0) >= in_use + MIB); /* a pool may take more at once */
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "free-async"), 0);
  assert_int_equal(child_ask(&child, "free-managed"), 0);
  assert_int_equal(child_ask(&child, "free-rows"), 0);
  assert_int_equal(child_ask(&child, "free"), 0);
  assert_int_equal(child_ask(&child, "sync"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
  node_check(node);
}

static void program_of_nvcc(void **state) {
  expect_program(*state, "nvcc_program");
}
static void program_of_nvcc_with_per_thread_streams(void **state) {
  expect_program(*state, "nvcc_per_thread");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(program_of_nvcc),
      NODE_TEST(program_of_nvcc_with_per_thread_streams),
  };
  return cmocka_run_group_tests_name("nvcc", tests, NULL, NULL);
}
