/*
 * own_accounting_test.c - a program that uses libschedgpu.so itself, under the preload library:
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

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(program_that_reserves_by_itself_is_charged_once),
  };
  return cmocka_run_group_tests_name("own books", tests, NULL, NULL);
}
