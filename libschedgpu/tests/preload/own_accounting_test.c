/*
 * own_accounting_test.c - a program that calls the client API itself, under the preload library:
 * memory is charged once.
 */
#include "fixture.h"

#define JOB 12

static void program_that_reserves_by_itself_is_charged_once(void **state) {
  struct node *node = *state;
  struct child child;
  node_job(node, JOB, 2 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node, &(struct start){.program = "api_program", .job = JOB});
  assert_int_equal(child_ask(&child, "begin"), 0);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "alloc %llu", (unsigned long long)(2 * GIB)), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 2 * GIB);
  assert_int_equal(child_ask(&child, "free %llu", (unsigned long long)(2 * GIB)), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
  node_check(node);
}

static void start_functions(struct child *child, struct node *node, const char *library) {
  if (!machine_has("python3 -c 'import ctypes'"))
    SKIP("no python3");
  node_job(node, JOB, 2 * GIB, SCHEDGPU_FOREVER);
  child_start(
      child, node,
      &(struct start){.program = "/usr/bin/env",
                      .arguments = {"python3", PROGRAMS_DIR "/functions_program.py", library},
                      .job = JOB});
}

static void functions_of_the_preload_library_are_those_of_its_client(void **state) {
  struct node *node = *state;
  struct child child;
  start_functions(&child, node, NULL);
  assert_int_equal(child_ask(&child, "reserve %llu", (unsigned long long)MIB), 0);
  assert_int_equal(child_ask(&child, "begin"), 0);
  assert_int_equal(child_ask(&child, "alloc %llu", (unsigned long long)GIB), 0);
  assert_int_equal(node_in_use(node, JOB, 0), GIB + MIB);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "release %llu", (unsigned long long)MIB), 0);
  assert_int_equal(node_in_use(node, JOB, 0), GIB);
  assert_int_equal(child_ask(&child, "has strerror"), 1);
  assert_int_equal(child_ask(&child, "has detach"), 0);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
  node_check(node);
}

static void beside_libschedgpu_the_preload_library_has_no_functions(void **state) {
  struct child child;
  start_functions(&child, *state, PROGRAMS_DIR "/../../../libschedgpu.so.0");
  assert_int_equal(child_ask(&child, "has reserve"), 0);
  assert_int_equal(child_end(&child), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(program_that_reserves_by_itself_is_charged_once),
      NODE_TEST(functions_of_the_preload_library_are_those_of_its_client),
      NODE_TEST(beside_libschedgpu_the_preload_library_has_no_functions),
  };
  return cmocka_run_group_tests_name("own books", tests, NULL, NULL);
}
