/*
 * Memory of graphs at the limits: the budget, the driver's, waiting.
 */
#include "graphs_of_programs.h"

#define INVALID_VALUE 1
#define NOT_PERMITTED 800

/* The blocks use the same memory one after the other, so the budget need not hold their sum. */
static void graph_is_charged_its_peak(void **state) {
  struct child child = begin_pool_program(*state, 2 * GIB);
  EXPECT_OK(&child, "graph 1");
  for (int i = 0; i < 4; i++) {
    EXPECT_OK(&child, "add-alloc 1 %d %llu 0", i, ULL(GIB));
    EXPECT_OK(&child, "add-free 1 %d", i);
  }
  EXPECT_OK(&child, "instantiate 1 1 3");
  EXPECT_OK(&child, "launch 1 0");
  expect(*state, &child, GIB);
}

/* Two blocks at a time; one alone would fit. */
static void peak_that_shows_only_at_the_upload_is_over_budget(void **state) {
  struct child child = begin_pool_program(*state, 3 * GIB / 2);
  EXPECT_OK(&child, "graph 1");
  EXPECT_OK(&child, "add-alloc 1 0 %llu 0", ULL(GIB));
  EXPECT_OK(&child, "add-alloc 1 1 %llu 0", ULL(GIB));
  EXPECT_OK(&child, "add-free 1 0");
  EXPECT_OK(&child, "add-free 1 1");
  EXPECT_OK(&child, "instantiate 1 1 3");
  assert_int_equal(child_ask(&child, "launch 1 0"), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "schedgpu: job 12 asked for"), 1);
  expect(*state, &child, 0);
}

/* The first graph still runs, so none of its memory can be freed. */
static void graph_reuses_memory_of_an_earlier_one_of_its_stream(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  for (int i = 1; i <= 2; i++) {
    EXPECT_OK(&child, "graph %d", i);
    EXPECT_OK(&child, "add-alloc %d %d %llu 0", i, i, ULL(GIB));
    EXPECT_OK(&child, "add-kernel %d %llu", i, 3600000000000ULL);
    EXPECT_OK(&child, "add-free %d %d", i, i);
    EXPECT_OK(&child, "instantiate %d %d 3", i, i);
  }
  EXPECT_OK(&child, "stream 1");
  EXPECT_OK(&child, "launch 1 0");
  EXPECT_OK(&child, "launch 2 0");
  expect(*state, &child, GIB);
  assert_int_equal(child_ask(&child, "launch 2 1"), OUT_OF_MEMORY);
  expect(*state, &child, GIB);
}

static void graphs_of_one_stream_are_charged_once(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  make_graph(&child, 1, GIB, true);
  make_graph(&child, 2, GIB, true);
  EXPECT_OK(&child, "launch 1 0");
  EXPECT_OK(&child, "launch 2 0");
  EXPECT_OK(&child, "launch 1 0");
  expect(*state, &child, GIB);
}

static void launch_that_the_driver_refuses_is_not_charged(void **state) {
  struct node *node = *state;
  node->gpu_bytes = GIB;
  struct child child = begin_pool_program(node, 8 * GIB);
  make_graph(&child, 1, 2 * GIB, true);
  assert_int_equal(child_ask(&child, "launch 1 0"), OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "upload 1 0"), OUT_OF_MEMORY);
  expect(node, &child, 0);
  assert_int_equal(child_said(&child, "schedgpu"), 2); /* it waits for memory, in vain */
  make_graph(&child, 2, 4096, false);
  EXPECT_OK(&child, "launch 2 0");
  assert_int_equal(child_ask(&child, "launch 2 0"), INVALID_VALUE); /* its block is in use */
  expect(node, &child, 2 * MIB);
  assert_int_equal(child_said(&child, "schedgpu"), 2);
}

static void over_budget_is_out_of_memory(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  make_graph(&child, 1, 2 * GIB, false);
  assert_int_equal(child_ask(&child, "launch 1 0"), OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "instantiate 2 1 4"), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "schedgpu: job 12 asked for"), 1);
  expect(*state, &child, 0);
}

static void memory_kept_for_graphs_is_freed_before_a_refusal(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  make_graph(&child, 1, GIB, true);
  EXPECT_OK(&child, "launch 1 0");
  EXPECT_OK(&child, "alloc 2 %llu", ULL(GIB));
  expect(*state, &child, GIB);
  assert_int_equal(child_ask(&child, "launch 1 0"), OUT_OF_MEMORY); /* it has to be charged again */
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "free 2");
  EXPECT_OK(&child, "launch 1 0");
  expect(*state, &child, GIB);
}

static void launch_waits_for_memory(void **state) {
  struct node *node = *state;
  struct child child, neighbour;
  node_job(node, JOB, 0, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, 0, SCHEDGPU_FOREVER);
  start_pool_program(&child, node, JOB, "handle");
  start_pool_program(&neighbour, node, NEIGHBOUR, "handle");
  make_graph(&child, 2, 4 * GIB, true);
  EXPECT_OK(&child, "launch 2 0");
  EXPECT_OK(&child, "trim-graphs 0"); /* so the next launch cannot reuse it */
  EXPECT_OK(&neighbour, "alloc 0 %llu", ULL(11 * GIB));
  make_graph(&child, 1, 8 * GIB, true);
  child_tell(&child, "launch 1 0");
  node_await_waiting(node, 0, 1);
  assert_int_equal(child_end(&neighbour), 0);
  assert_int_equal(child_answer(&child), 0);
  expect(node, &child, 8 * GIB);
}

/* A launch cannot reuse memory that a graph of another stream uses. */
static void launch_waits_for_memory_of_its_own(void **state) {
  struct node *node = *state;
  struct child child, neighbour;
  node_job(node, JOB, 0, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, 0, SCHEDGPU_FOREVER);
  start_pool_program(&child, node, JOB, "handle");
  start_pool_program(&neighbour, node, NEIGHBOUR, "handle");
  EXPECT_OK(&child, "graph 1");
  EXPECT_OK(&child, "add-alloc 1 1 %llu 0", ULL(4 * GIB));
  EXPECT_OK(&child, "add-kernel 1 %llu", 3600000000000ULL);
  EXPECT_OK(&child, "add-free 1 1");
  EXPECT_OK(&child, "instantiate 1 1 3");
  EXPECT_OK(&child, "launch 1 0");
  EXPECT_OK(&neighbour, "alloc 0 %llu", ULL(7 * GIB));
  make_graph(&child, 2, 8 * GIB, true);
  EXPECT_OK(&child, "stream 1");
  child_tell(&child, "launch 2 1");
  node_await_waiting(node, 0, 1);
  assert_int_equal(child_end(&neighbour), 0);
  assert_int_equal(child_answer(&child), 0);
  expect(node, &child, 12 * GIB);
}

/* A job that cannot be scheduled and may not run unscheduled. */
static void no_graph_allocates_if_memory_is_refused(void **state) {
  struct child child;
  child_start(&child, *state,
              &(struct start){.program = "pool_program",
                              .arguments = {"handle"},
                              .job = JOB,
                              .run_dir = "/nonexistent",
                              .environment = "SCHEDGPU_ON_FAILURE=refuse"});
  EXPECT_OK(&child, "begin 0");
  EXPECT_OK(&child, "graph 1");
  for (int how = 1; how <= 4; how++)
    EXPECT_OK(&child, "instantiate 1 1 %d", how);
  EXPECT_OK(&child, "add-alloc 1 0 4096 0");
  for (int how = 1; how <= 4; how++)
    assert_int_equal(child_ask(&child, "instantiate 1 1 %d", how), NOT_PERMITTED);
}

static void graphs_without_memory_cost_nothing(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  EXPECT_OK(&child, "graph 1");
  EXPECT_OK(&child, "instantiate 1 1 4");
  EXPECT_OK(&child, "launch 1 0");
  EXPECT_OK(&child, "destroy-exec 1");
  expect(*state, &child, 0);
}

static void end_of_the_process_releases_everything(void **state) {
  struct node *node = *state;
  struct child child = begin_pool_program(node, 8 * GIB);
  make_graph(&child, 1, GIB, false);
  EXPECT_OK(&child, "launch 1 0");
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  node_check(node);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(graph_is_charged_its_peak),
      NODE_TEST(peak_that_shows_only_at_the_upload_is_over_budget),
      NODE_TEST(graph_reuses_memory_of_an_earlier_one_of_its_stream),
      NODE_TEST(graphs_of_one_stream_are_charged_once),
      NODE_TEST(launch_that_the_driver_refuses_is_not_charged),
      NODE_TEST(over_budget_is_out_of_memory),
      NODE_TEST(memory_kept_for_graphs_is_freed_before_a_refusal),
      NODE_TEST(launch_waits_for_memory),
      NODE_TEST(launch_waits_for_memory_of_its_own),
      NODE_TEST(no_graph_allocates_if_memory_is_refused),
      NODE_TEST(graphs_without_memory_cost_nothing),
      NODE_TEST(end_of_the_process_releases_everything),
  };
  return cmocka_run_group_tests_name("graph limits", tests, NULL, NULL);
}
