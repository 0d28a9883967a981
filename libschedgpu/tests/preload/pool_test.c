/*
 * Memory pools: what the driver holds for them is charged, and nothing else.
 */
#include "device.h"

#define INVALID_VALUE 1

static void pool_is_charged_as_it_grows(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "async 0 4096 0");
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "async 1 %llu 0", (unsigned long long)(CHUNK - 4096));
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "async 2 1 0");
  expect(*state, &child, 2 * CHUNK);
  EXPECT_OK(&child, "default-pool 0 0");
  EXPECT_OK(&child, "from-pool 3 %llu 0 0", (unsigned long long)GIB);
  expect(*state, &child, CHUNK + GIB + CHUNK);
}

static void freed_memory_is_charged_until_the_driver_frees_it(void **state) {
  static const char *const synchronize[] = {"sync 0", "sync-context", "sync-context-13",
                                            "sync-event"};
  struct child child = begin_pool_program(*state, 8 * GIB);
  for (size_t i = 0; i < sizeof synchronize / sizeof *synchronize; i++) {
    EXPECT_OK(&child, "async 0 4096 0");
    EXPECT_OK(&child, "free-async 0 0");
    expect(*state, &child, CHUNK);
    EXPECT_OK(&child, "%s", synchronize[i]);
    expect(*state, &child, 0);
  }
}

static void pool_memory_is_freed_synchronously_too(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "async 0 4096 0");
  EXPECT_OK(&child, "free 0");
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "sync 0");
  expect(*state, &child, 0);
  EXPECT_OK(&child, "alloc 0 4096");
  expect(*state, &child, 4096);
  EXPECT_OK(&child, "free-async 0 0");
  expect(*state, &child, 0);
}

static void pool_is_charged_up_to_its_threshold(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "default-pool 0 0");
  EXPECT_OK(&child, "threshold 0 %llu", (unsigned long long)GIB);
  EXPECT_OK(&child, "async 0 %llu 0", (unsigned long long)(3 * GIB));
  EXPECT_OK(&child, "free-async 0 0");
  expect(*state, &child, 3 * GIB);
  EXPECT_OK(&child, "sync 0");
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "async 0 %llu 0", (unsigned long long)GIB); /* of its cached memory */
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "free-async 0 0");
  EXPECT_OK(&child, "trim 0 %llu", (unsigned long long)(CHUNK));
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "trim 0 0");
  expect(*state, &child, 0);
}

static void pool_of_another_device_is_charged_there(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "create-pool 1 1 1");
  EXPECT_OK(&child, "from-pool 0 4096 1 0");
  expect(*state, &child, 0);
  expect_on(*state, &child, 1, CHUNK);
  EXPECT_OK(&child, "default-pool 2 1");
  EXPECT_OK(&child, "from-pool 1 4096 2 0");
  expect_on(*state, &child, 1, 2 * CHUNK);
  EXPECT_OK(&child, "get-pool-13 3 1");
  EXPECT_OK(&child, "from-pool 2 4096 3 0"); /* the same pool by CUDA 13's name */
  expect_on(*state, &child, 1, 2 * CHUNK);
  EXPECT_OK(&child, "free 0");
  EXPECT_OK(&child, "free 1");
  EXPECT_OK(&child, "free 2");
  EXPECT_OK(&child, "sync 0");
  expect_on(*state, &child, 1, 0);
}

static void stream_of_another_device_uses_the_pool_there(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "begin 1");
  EXPECT_OK(&child, "stream 1");
  EXPECT_OK(&child, "begin 0");
  EXPECT_OK(&child, "async 0 4096 1");
  expect(*state, &child, 0);
  expect_on(*state, &child, 1, CHUNK);
}

static void current_pool_of_the_device_is_used(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "create-pool 1 1 0");
  EXPECT_OK(&child, "set-pool 1 0");
  EXPECT_OK(&child, "threshold 1 %llu", (unsigned long long)CHUNK);
  EXPECT_OK(&child, "async 0 4096 0");
  EXPECT_OK(&child, "create-pool 2 1 0");
  EXPECT_OK(&child, "set-pool-13 2 0");
  EXPECT_OK(&child, "async 1 4096 0");
  expect(*state, &child, 2 * CHUNK);
  EXPECT_OK(&child, "free-async 0 0");
  EXPECT_OK(&child, "free-async 1 0");
  EXPECT_OK(&child, "sync 0");
  expect(*state, &child, CHUNK); /* pool 1 keeps it */
}

static void managed_pools_are_charged_and_those_of_the_host_are_not(void **state) {
  enum { ON_DEVICE = 1, ON_HOST = 2, MANAGED = 2 };
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "create-pool 1 %d 0 %d", ON_DEVICE, MANAGED);
  EXPECT_OK(&child, "create-pool 2 %d 0", ON_HOST);
  EXPECT_OK(&child, "from-pool 0 %llu 2 0", (unsigned long long)(9 * GIB)); /* of no budget */
  expect(*state, &child, 0);
  EXPECT_OK(&child, "from-pool 1 4096 1 0");
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "free-async 0 0");
  expect(*state, &child, CHUNK);
}

static void destroyed_pool_is_charged_until_its_last_allocation_is_freed(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "create-pool 1 1 0");
  EXPECT_OK(&child, "threshold 1 %llu", (unsigned long long)GIB);
  EXPECT_OK(&child, "from-pool 0 4096 1 0");
  EXPECT_OK(&child, "from-pool 1 %llu 1 0", (unsigned long long)GIB);
  EXPECT_OK(&child, "free-async 1 0");
  expect(*state, &child, GIB + CHUNK);
  EXPECT_OK(&child, "destroy-pool 1");
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "create-pool 2 1 0"); /* perhaps at the same address */
  EXPECT_OK(&child, "sync 0");
  EXPECT_OK(&child, "from-pool 2 4096 2 0");
  expect(*state, &child, 2 * CHUNK);
  EXPECT_OK(&child, "free-async 0 0");
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "free-async 2 0");
  EXPECT_OK(&child, "destroy-pool 2");
  expect(*state, &child, 0);
}

static void pool_that_is_not_destroyed_stays_charged(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "default-pool 1 0");
  EXPECT_OK(&child, "async 0 4096 0");
  assert_int_equal(child_ask(&child, "destroy-pool 1"), INVALID_VALUE);
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "free-async 0 0");
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "sync 0");
  expect(*state, &child, 0);
}

static void per_thread_variants_are_charged(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_pool_program(&child, *state, JOB, "per-thread");
  EXPECT_OK(&child, "async 0 4096 0");
  EXPECT_OK(&child, "default-pool 0 0");
  EXPECT_OK(&child, "from-pool 1 %llu 0 0", (unsigned long long)CHUNK);
  expect(*state, &child, 2 * CHUNK);
  EXPECT_OK(&child, "free-async 0 0");
  EXPECT_OK(&child, "free-async 1 0");
  EXPECT_OK(&child, "sync 0");
  expect(*state, &child, 0);
}

/* The runtime looks up the driver's functions in its own way. */
static void pools_of_the_runtime_are_charged(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, *state, &(struct start){.program = "runtime_shared_13", .job = JOB});
  EXPECT_OK(&child, "async 0 4096");
  assert_int_equal(node_in_use(*state, JOB, 0), CHUNK);
  EXPECT_OK(&child, "free-async 0");
  EXPECT_OK(&child, "sync");
  assert_int_equal(node_in_use(*state, JOB, 0), 0);
}

/* --- the driver's errors --- */
static void allocation_that_the_driver_refuses_is_not_charged(void **state) {
  struct node *node = *state;
  node->gpu_bytes = GIB;
  struct child child = begin_pool_program(node, 8 * GIB);
  assert_int_equal(child_ask(&child, "async 0 %llu 0", (unsigned long long)(2 * GIB)),
                   OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "async 0 0 0"), INVALID_VALUE);
  expect(node, &child, 0);
  assert_int_equal(child_said(&child, "schedgpu"), 2); /* it waits for memory, in vain */
}

static void unknown_and_double_frees_are_passed_to_the_driver(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  assert_int_equal(child_ask(&child, "free-address 4711"), INVALID_VALUE);
  EXPECT_OK(&child, "async 0 4096 0");
  EXPECT_OK(&child, "async 1 4096 0");
  EXPECT_OK(&child, "free-async 0 0");
  assert_int_equal(child_ask(&child, "free-async 0 0"), INVALID_VALUE);
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "async 0 %llu 0", (unsigned long long)(CHUNK - 4096));
  expect(*state, &child, CHUNK);
}

static int set_up_two_devices(void **state) {
  static struct node node;
  node_up(&node, 2);
  *state = &node;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(pool_is_charged_as_it_grows),
      NODE_TEST(freed_memory_is_charged_until_the_driver_frees_it),
      NODE_TEST(pool_memory_is_freed_synchronously_too),
      NODE_TEST(pool_is_charged_up_to_its_threshold),
      cmocka_unit_test_setup_teardown(pool_of_another_device_is_charged_there, set_up_two_devices,
                                      tear_down),
      cmocka_unit_test_setup_teardown(stream_of_another_device_uses_the_pool_there,
                                      set_up_two_devices, tear_down),
      NODE_TEST(current_pool_of_the_device_is_used),
      NODE_TEST(managed_pools_are_charged_and_those_of_the_host_are_not),
      NODE_TEST(destroyed_pool_is_charged_until_its_last_allocation_is_freed),
      NODE_TEST(pool_that_is_not_destroyed_stays_charged),
      NODE_TEST(per_thread_variants_are_charged),
      NODE_TEST(pools_of_the_runtime_are_charged),
      NODE_TEST(allocation_that_the_driver_refuses_is_not_charged),
      NODE_TEST(unknown_and_double_frees_are_passed_to_the_driver),
  };
  return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
