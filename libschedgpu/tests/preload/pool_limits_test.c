/*
 * Memory pools at the limits: the budget, waiting, threads, contexts, processes.
 */
#include "device.h"

#define NOT_INITIALIZED 3

/* --- the budget --- */
static void over_budget_is_out_of_memory(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  assert_int_equal(child_ask(&child, "async 0 %llu 0", (unsigned long long)(2 * GIB)),
                   OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "schedgpu: job 12 asked for"), 1);
  expect(*state, &child, 0);
}

/* The driver takes a whole chunk: what exceeds the budget is given back at once. */
static void chunk_that_does_not_fit_is_freed(void **state) {
  struct child child = begin_pool_program(*state, CHUNK + MIB);
  EXPECT_OK(&child, "async 0 %llu 0", (unsigned long long)CHUNK);
  assert_int_equal(child_ask(&child, "async 1 4096 0"), OUT_OF_MEMORY);
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "free-async 0 0");
  EXPECT_OK(&child, "async 1 4096 0");
  expect(*state, &child, CHUNK);
}

/* Memory that was freed and not yet synchronised causes no refusal. */
static void cached_memory_is_freed_before_a_refusal(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  EXPECT_OK(&child, "default-pool 0 0");
  EXPECT_OK(&child, "threshold 0 %llu", (unsigned long long)(8 * GIB));
  EXPECT_OK(&child, "async 0 %llu 0", (unsigned long long)GIB);
  EXPECT_OK(&child, "free-async 0 0");
  EXPECT_OK(&child, "alloc 1 %llu", (unsigned long long)GIB);
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "free 1");
  EXPECT_OK(&child, "create-pool 1 1 0");
  EXPECT_OK(&child, "async 0 %llu 0", (unsigned long long)GIB);
  EXPECT_OK(&child, "free-async 0 0");
  EXPECT_OK(&child, "from-pool 1 %llu 1 0", (unsigned long long)GIB);
  expect(*state, &child, GIB);
  assert_int_equal(node_refusals(*state, JOB, NULL), 0); /* the program saw no error */
}

/* --- waiting --- */
static void a_waiter_holds_no_memory_that_its_pools_keep(void **state) {
  struct node *node = *state;
  struct child child, neighbour;
  node_job(node, JOB, 0, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, 0, SCHEDGPU_FOREVER);
  start_pool_program(&child, node, JOB, "handle");
  start_pool_program(&neighbour, node, NEIGHBOUR, "handle");
  EXPECT_OK(&neighbour, "alloc 0 %llu", (unsigned long long)(8 * GIB));
  EXPECT_OK(&child, "default-pool 0 0");
  EXPECT_OK(&child, "threshold 0 %llu", (unsigned long long)(8 * GIB));
  EXPECT_OK(&child, "async 0 %llu 0", (unsigned long long)(4 * GIB));
  EXPECT_OK(&child, "free-async 0 0");
  child_tell(&child, "async 0 %llu 0", (unsigned long long)(9 * GIB));
  node_await_waiting(node, 0, 1);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  EXPECT_OK(&neighbour, "used 0");
  assert_int_equal(child_number(&neighbour, 1), 8 * GIB + 2 * CONTEXT_BYTES);
  assert_int_equal(child_end(&neighbour), 0);
  assert_int_equal(child_answer(&child), 0);
  expect(node, &child, 9 * GIB);
}

/* The chunk that the driver takes does not fit beside the neighbour's budget. So the memory is
 * given back, and the program waits for the whole chunk. */
static void excess_memory_of_the_driver_is_freed_before_the_wait(void **state) {
  struct node *node = *state;
  struct child child, neighbour;
  node_job(node, JOB, 0, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, DEVICE_BYTES - 2 * CONTEXT_BYTES - 16 * MIB, SCHEDGPU_FOREVER);
  start_pool_program(&child, node, JOB, "handle");
  start_pool_program(&neighbour, node, NEIGHBOUR, "handle");
  EXPECT_OK(&neighbour, "alloc 0 4096");
  child_tell(&child, "async 0 4096 0");
  node_await_waiting(node, 0, 1);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  EXPECT_OK(&neighbour, "used 0");
  assert_int_equal(child_number(&neighbour, 1), 4096 + 2 * CONTEXT_BYTES);
  assert_int_equal(child_end(&neighbour), 0);
  assert_int_equal(child_answer(&child), 0);
  expect(node, &child, CHUNK);
}

/* --- threads, contexts, processes --- */
static void threads_share_a_pool(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "default-pool 0 0");
  EXPECT_OK(&child, "threads 16 100 %llu", (unsigned long long)(5 * MIB));
  EXPECT_OK(&child, "sync 0");
  expect(*state, &child, (16 * 5 * MIB + CHUNK - 1) / CHUNK * CHUNK);
  for (int i = 0; i < 16; i++)
    EXPECT_OK(&child, "free-async %d 0", i);
  EXPECT_OK(&child, "sync 0");
  expect(*state, &child, 0);
}

static void pool_memory_outlives_contexts(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "create 0");
  EXPECT_OK(&child, "async 0 4096 0");
  EXPECT_OK(&child, "destroy");
  EXPECT_OK(&child, "use-primary");
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "reset 0");
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "begin 0");
  EXPECT_OK(&child, "free-async 0 0");
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "reset 0");
  expect(*state, &child, 0);
}

static void forked_child_leaves_the_parents_pools_alone(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "async 0 4096 0");
  assert_int_equal(child_ask(&child, "fork"), NOT_INITIALIZED);
  expect(*state, &child, CHUNK);
  EXPECT_OK(&child, "free-async 0 0");
  EXPECT_OK(&child, "sync 0");
  expect(*state, &child, 0);
}

static void end_of_the_process_releases_everything(void **state) {
  struct node *node = *state;
  struct child child = begin_pool_program(node, 8 * GIB);
  EXPECT_OK(&child, "async 0 4096 0");
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  node_check(node);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(over_budget_is_out_of_memory),
      NODE_TEST(chunk_that_does_not_fit_is_freed),
      NODE_TEST(cached_memory_is_freed_before_a_refusal),
      NODE_TEST(a_waiter_holds_no_memory_that_its_pools_keep),
      NODE_TEST(excess_memory_of_the_driver_is_freed_before_the_wait),
      NODE_TEST(threads_share_a_pool),
      NODE_TEST(pool_memory_outlives_contexts),
      NODE_TEST(forked_child_leaves_the_parents_pools_alone),
      NODE_TEST(end_of_the_process_releases_everything),
  };
  return cmocka_run_group_tests_name("pool limits", tests, NULL, NULL);
}
