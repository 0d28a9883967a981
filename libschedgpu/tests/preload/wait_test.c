/*
 * A request that does not fit waits and then succeeds; the program sees a slow allocation, and
 * nothing else.
 */
#include "fixture.h"
#include <string.h>
#include <sys/wait.h>

#define JOB 12
#define INVALID_VALUE 1
#define NOT_INITIALIZED 3
#define NEIGHBOUR 13
#define BUDGET (10 * GIB) /* only one of two fits on the device */

/* `first` holds its budget, `second` waits for its own. */
static void start_both(struct node *node, struct child *first, struct child *second) {
  node_job(node, JOB, BUDGET, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, BUDGET, SCHEDGPU_FOREVER);
  start_driver_program(first, node, JOB);
  start_driver_program(second, node, NEIGHBOUR);
  assert_int_equal(child_ask(first, "alloc 0 %llu", (unsigned long long)BUDGET), 0);
  child_tell(second, "alloc 0 %llu", (unsigned long long)BUDGET);
  node_await_waiting(node, 0, 1);
}

static void expect_second_runs(struct node *node, struct child *second) {
  assert_int_equal(child_answer(second), 0);
  assert_int_equal(node_in_use(node, NEIGHBOUR, 0), BUDGET);
  assert_int_equal(child_ask(second, "free 0"), 0);
  assert_int_equal(child_end(second), 0);
}

static void second_waits_until_the_first_frees(void **state) {
  struct child first, second;
  start_both(*state, &first, &second);
  assert_int_equal(child_ask(&first, "free 0"), 0);
  expect_second_runs(*state, &second);
  assert_int_equal(child_end(&first), 0);
}

static void second_waits_until_the_first_ends(void **state) {
  struct child first, second;
  start_both(*state, &first, &second);
  assert_int_equal(child_end(&first), 0);
  expect_second_runs(*state, &second);
}

static void second_waits_until_the_first_is_killed(void **state) {
  struct child first, second;
  start_both(*state, &first, &second);
  child_kill(&first);
  expect_second_runs(*state, &second);
}

/* The library finds a process dead before the driver has freed its memory. */
static void memory_that_the_driver_frees_late_is_waited_for(void **state) {
  struct node *node = *state;
  struct child first, second;
  node_job(node, JOB, BUDGET, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, BUDGET, SCHEDGPU_FOREVER);
  start_driver_program(&first, node, JOB);
  assert_int_equal(child_ask(&first, "alloc 0 %llu", (unsigned long long)BUDGET), 0);
  child_start(&second, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .job = NEIGHBOUR,
                              .environment = "EMULATED_GPU_LATE_FREE_MS=400"});
  assert_int_equal(child_ask(&second, "begin 0"), 0);
  child_tell(&second, "alloc 0 %llu", (unsigned long long)BUDGET);
  node_await_waiting(node, 0, 1);
  child_kill(&first);
  expect_second_runs(node, &second);
  assert_int_equal(child_said(&second, "has not yet freed"), 1);
}

static void second_waits_until_the_first_context_ends(void **state) {
  struct child first, second;
  start_both(*state, &first, &second);
  assert_int_equal(child_ask(&first, "release 0"), 0);
  expect_second_runs(*state, &second);
}

static void wait_is_announced_and_its_end_too(void **state) {
  struct child first, second;
  start_both(*state, &first, &second);
  assert_int_equal(child_said(&second, "schedgpu: waiting for 10.0 GiB"), 1);
  assert_int_equal(child_said(&second, "job 12"), 1);
  assert_int_equal(child_ask(&first, "free 0"), 0);
  assert_int_equal(child_answer(&second), 0);
  assert_int_equal(child_said(&second, "schedgpu: got 10.0 GiB"), 1);
  assert_int_equal(child_said(&first, "schedgpu"), 0);
}

/* The notices of a wait go to a closed pipe: the program must not be killed by that. */
static void notices_do_not_kill_a_program_without_stderr(void **state) {
  struct node *node = *state;
  struct child first, second;
  node_job(node, JOB, BUDGET, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, BUDGET, SCHEDGPU_FOREVER);
  start_driver_program(&first, node, JOB);
  assert_int_equal(child_ask(&first, "alloc 0 %llu", (unsigned long long)BUDGET), 0);
  child_start(&second, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .job = NEIGHBOUR,
                              .broken_stderr = true});
  assert_int_equal(child_ask(&second, "begin 0"), 0);
  child_tell(&second, "alloc 0 %llu", (unsigned long long)BUDGET);
  node_await_waiting(node, 0, 1);
  assert_int_equal(child_ask(&first, "free 0"), 0);
  expect_second_runs(node, &second);
}

static void waiter_that_is_killed_leaves_the_queue(void **state) {
  struct node *node = *state;
  struct child first, second, third;
  start_both(node, &first, &second);
  node_job(node, 14, BUDGET, SCHEDGPU_FOREVER);
  start_driver_program(&third, node, 14);
  child_tell(&third, "alloc 0 %llu", (unsigned long long)BUDGET);
  node_await_waiting(node, 0, 2);
  child_kill(&second);
  assert_int_equal(child_ask(&first, "free 0"), 0);
  assert_int_equal(child_answer(&third), 0);
}

static void ondemand_allocation_waits_for_its_own_size(void **state) {
  struct node *node = *state;
  struct child first, second;
  node_job(node, JOB, 0, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, 0, SCHEDGPU_FOREVER);
  start_driver_program(&first, node, JOB);
  start_driver_program(&second, node, NEIGHBOUR);
  assert_int_equal(child_ask(&first, "alloc 0 %llu", (unsigned long long)(8 * GIB)), 0);
  assert_int_equal(child_ask(&first, "alloc 1 %llu", (unsigned long long)(4 * GIB)), 0);
  assert_int_equal(child_ask(&second, "alloc 0 %llu", (unsigned long long)(2 * GIB)), 0);
  child_tell(&second, "alloc 1 %llu", (unsigned long long)(4 * GIB));
  node_await_waiting(node, 0, 1);
  assert_int_equal(child_ask(&first, "free 1"), 0);
  assert_int_equal(child_answer(&second), 0);
}

/* A context that does not fit beside the others' budgets waits, before it takes device memory. */
static void context_waits_for_its_admission(void **state) {
  struct node *node = *state;
  struct child first, second;
  node_job(node, JOB, DEVICE_BYTES - CONTEXT_BYTES, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, GIB, SCHEDGPU_FOREVER);
  start_driver_program(&first, node, JOB);
  child_start(
      &second, node,
      &(struct start){.program = "driver_looked_up", .arguments = {"handle"}, .job = NEIGHBOUR});
  child_tell(&second, "begin 0");
  node_await_waiting(node, 0, 1);
  assert_int_equal(node_contexts(node, NEIGHBOUR, 0), 0);
  assert_int_equal(child_end(&first), 0);
  assert_int_equal(child_answer(&second), 0);
  assert_int_equal(node_contexts(node, NEIGHBOUR, 0), CONTEXT_BYTES);
}

/* The threads of a process share one context, so they wait for it once. */
static void threads_wait_for_a_context_once(void **state) {
  struct node *node = *state;
  struct child first, second;
  node_job(node, JOB, DEVICE_BYTES - CONTEXT_BYTES, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, GIB, SCHEDGPU_FOREVER);
  start_driver_program(&first, node, JOB);
  child_start(&second, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"hidden-contexts"},
                              .job = NEIGHBOUR});
  assert_int_equal(child_ask(&second, "begin 0"), 0);
  child_tell(&second, "threads 32 2 4096");
  node_await_waiting(node, 0, 1);
  assert_int_equal(child_end(&first), 0);
  assert_int_equal(child_answer(&second), 0);
  assert_int_equal(node_contexts(node, NEIGHBOUR, 0), CONTEXT_BYTES);
  assert_int_equal(child_said(&second, "schedgpu: waiting"), 1);
  assert_int_equal(child_ask(&second, "release 0"), 0);
  assert_int_equal(node_contexts(node, NEIGHBOUR, 0), 0);
}

/* A request of 0 bytes does not wait, however long the queue. */
static void allocation_of_nothing_does_not_wait(void **state) {
  struct node *node = *state;
  struct child first, second, third;
  node_job(node, 14, 0, SCHEDGPU_FOREVER);
  start_driver_program(&third, node, 14);
  start_both(node, &first, &second);
  assert_int_equal(child_ask(&third, "alloc 0 0"), INVALID_VALUE);
  assert_int_equal(child_said(&third, "schedgpu"), 0);
}

/* A thread of the parent holds the lock at the fork: the child must not wait for it. */
static void forked_child_does_not_wait_for_its_parents_threads(void **state) {
  struct node *node = *state;
  struct child first, second;
  node_job(node, JOB, DEVICE_BYTES - CONTEXT_BYTES, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, GIB, SCHEDGPU_FOREVER);
  start_driver_program(&first, node, JOB);
  child_start(
      &second, node,
      &(struct start){.program = "driver_looked_up", .arguments = {"handle"}, .job = NEIGHBOUR});
  assert_int_equal(child_ask(&second, "init"), 0);
  assert_int_equal(child_ask(&second, "retain-in-thread 0"), 0);
  node_await_waiting(node, 0, 1);
  assert_int_equal(child_ask(&second, "fork 0"), 0);
  assert_int_equal(child_number(&second, 3), NOT_INITIALIZED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(second_waits_until_the_first_frees),
      NODE_TEST(second_waits_until_the_first_ends),
      NODE_TEST(second_waits_until_the_first_is_killed),
      NODE_TEST(memory_that_the_driver_frees_late_is_waited_for),
      NODE_TEST(second_waits_until_the_first_context_ends),
      NODE_TEST(wait_is_announced_and_its_end_too),
      NODE_TEST(notices_do_not_kill_a_program_without_stderr),
      NODE_TEST(waiter_that_is_killed_leaves_the_queue),
      NODE_TEST(ondemand_allocation_waits_for_its_own_size),
      NODE_TEST(context_waits_for_its_admission),
      NODE_TEST(threads_wait_for_a_context_once),
      NODE_TEST(allocation_of_nothing_does_not_wait),
      NODE_TEST(forked_child_does_not_wait_for_its_parents_threads),
  };
  return cmocka_run_group_tests_name("waiting", tests, NULL, NULL);
}
