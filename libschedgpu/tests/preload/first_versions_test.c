/* The functions from before CUDA 3.2, with sizes of 32 bits, are charged like the others. */
#include "device_account.h"

#define INVALID_VALUE 1
#define UNKNOWN 999

static struct child begin(struct node *node) {
  return begin_program(node, "array_program", "get", NULL);
}

static void old_allocations_are_charged(void **state) {
  struct child child = begin(*state);
  expect_charged(*state, &child, "old-alloc 0 5000", "old-free 0");
  expect_charged(*state, &child, "old-alloc 0 5000", "free 0");
  expect_charged(*state, &child, "old-pitch 0 1000 300", "old-free 0");
  ask(&child, "old-pitch 0 1000 300");
  expect_account(*state, child_number(&child, 1) * 300);
  ask(&child, "free 0");
  assert_int_equal(child_ask(&child, "old-free 0"), INVALID_VALUE);
  expect_account(*state, 0);
}

static void old_allocations_found_by_handle_are_charged(void **state) {
  struct child child = begin_program(*state, "array_program", "handle", NULL);
  expect_charged(*state, &child, "old-alloc 0 5000", "old-free 0");
  expect_charged(*state, &child, "old-pitch 0 1000 300", "old-free 0");
}

static void old_allocation_that_fails_is_not_charged(void **state) {
  struct child child =
      begin_program(*state, "array_program", "get",
                    "EMULATED_GPU_FAIL=cuMemAlloc:999:1,cuMemAllocPitch:999:1,cuMemFree:999:1");
  assert_int_equal(child_ask(&child, "old-alloc 0 5000"), UNKNOWN);
  assert_int_equal(child_ask(&child, "old-pitch 0 1000 300"), UNKNOWN);
  expect_account(*state, 0);
  ask(&child, "old-alloc 0 5000");
  assert_int_equal(child_ask(&child, "old-free 0"), UNKNOWN);
  expect_account(*state, 5120);
}

static void old_arrays_are_charged(void **state) {
  struct child child = begin(*state);
  expect_charged(*state, &child, "old-flat 0 1000 500 0 32 1", "destroy 0");
  expect_charged(*state, &child, "old-array 0 100 129 70 16 4 0", "destroy 0");
}

static void old_arrays_found_by_handle_are_charged(void **state) {
  struct child child = begin_program(*state, "array_program", "handle", NULL);
  expect_charged(*state, &child, "old-flat 0 1000 500 0 32 1", "destroy 0");
  expect_charged(*state, &child, "old-array 0 100 129 70 16 4 0", "destroy 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(old_allocations_are_charged),
      NODE_TEST(old_allocations_found_by_handle_are_charged),
      NODE_TEST(old_allocation_that_fails_is_not_charged),
      NODE_TEST(old_arrays_are_charged),
      NODE_TEST(old_arrays_found_by_handle_are_charged),
  };
  return cmocka_run_group_tests_name("first versions", tests, NULL, NULL);
}
