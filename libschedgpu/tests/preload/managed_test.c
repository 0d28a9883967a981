/*
 * Managed memory: reserved in full, or passed where the site says so.
 */
#include "fixture.h"

#define JOB 12
#define OUT_OF_MEMORY 2

static void start(struct child *child, struct node *node, const char *setting) {
  node_job(node, JOB, GIB, SCHEDGPU_FOREVER);
  child_start(child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .job = JOB,
                              .environment = setting});
  assert_int_equal(child_ask(child, "begin 0"), 0);
}

static void managed_memory_is_reserved_in_full(void **state) {
  struct child child;
  start(&child, *state, "SCHEDGPU_MANAGED=reserve");
  assert_int_equal(child_ask(&child, "managed 0 %llu", (unsigned long long)GIB), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), GIB);
  assert_int_equal(child_ask(&child, "managed 1 4096"), OUT_OF_MEMORY);
}

static void managed_memory_that_passes_is_not_charged(void **state) {
  struct child child;
  start(&child, *state, "SCHEDGPU_MANAGED=pass");
  assert_int_equal(child_ask(&child, "managed 0 %llu", (unsigned long long)(4 * GIB)), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 0);
  assert_int_equal(child_ask(&child, "alloc 1 %llu", (unsigned long long)GIB), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), GIB);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), GIB);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
  node_check(*state);
}

/* A context that no hook saw is admitted with the first allocation, also with this one. */
static void managed_memory_that_passes_admits_the_context(void **state) {
  struct node *node = *state;
  struct child child;
  node_job(node, JOB, GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"hidden-contexts"},
                              .job = JOB,
                              .environment = "SCHEDGPU_MANAGED=pass"});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(node_contexts(node, JOB, 0), 0);
  assert_int_equal(child_ask(&child, "managed 0 4096"), 0);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
}

static void unknown_word_says_so_once_and_reserves(void **state) {
  struct child child;
  start(&child, *state, "SCHEDGPU_MANAGED=no");
  assert_int_equal(child_ask(&child, "managed 0 4096"), 0);
  assert_int_equal(child_ask(&child, "managed 1 4096"), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 8192);
  assert_int_equal(child_said(&child, "schedgpu: SCHEDGPU_MANAGED=no: must be reserve or pass: "
                                      "taken as reserve\n"),
                   1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(managed_memory_is_reserved_in_full),
      NODE_TEST(managed_memory_that_passes_is_not_charged),
      NODE_TEST(managed_memory_that_passes_admits_the_context),
      NODE_TEST(unknown_word_says_so_once_and_reserves),
  };
  return cmocka_run_group_tests_name("managed memory", tests, NULL, NULL);
}
