/*
 * Memory that graphs allocate: it is charged when a graph runs, as the driver holds it.
 */
#include "device.h"

#define INVALID_VALUE 1
#define ULL(bytes) ((unsigned long long)(bytes))

/* Graph `n`: allocates a block (in slot n), and frees it if asked; instantiated as exec n. */
static void make_graph(struct child *child, int n, uint64_t bytes, bool freed) {
  EXPECT_OK(child, "graph %d", n);
  EXPECT_OK(child, "add-alloc %d %d %llu 0", n, n, ULL(bytes));
  if (freed)
    EXPECT_OK(child, "add-free %d %d", n, n);
  EXPECT_OK(child, "instantiate %d %d 3", n, n);
}

static void expect_launch_is_charged(struct node *node, struct child *child) {
  for (int how = 1; how <= 3; how++) {
    EXPECT_OK(child, "graph 1");
    EXPECT_OK(child, "add-alloc 1 0 %llu 0", ULL(GIB));
    EXPECT_OK(child, "add-free 1 0");
    EXPECT_OK(child, "instantiate 1 1 %d", how);
    expect(node, child, 0);
    EXPECT_OK(child, "launch 1 0");
    expect(node, child, GIB);
    EXPECT_OK(child, "launch 1 0");
    expect(node, child, GIB);
    EXPECT_OK(child, "destroy-exec 1");
    expect(node, child, GIB); /* the driver keeps it */
    EXPECT_OK(child, "trim-graphs 0");
    expect(node, child, 0);
  }
}

static void launch_is_charged_however_the_graph_was_instantiated(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  expect_launch_is_charged(*state, &child);
}

static void per_thread_variants_are_charged(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_pool_program(&child, *state, JOB, "per-thread");
  expect_launch_is_charged(*state, &child);
  EXPECT_OK(&child, "stream 1");
  EXPECT_OK(&child, "begin-capture 1");
  EXPECT_OK(&child, "async 0 %llu 1", ULL(GIB));
  EXPECT_OK(&child, "free-async 0 1");
  EXPECT_OK(&child, "end-capture 1 1");
  EXPECT_OK(&child, "instantiate 1 1 4");
  expect(*state, &child, GIB);
}

static void upload_is_charged(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  make_graph(&child, 1, GIB, true);
  EXPECT_OK(&child, "upload 1 0");
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "trim-graphs 0");
  expect(*state, &child, 0);
  EXPECT_OK(&child, "instantiate 2 1 4"); /* with the flag to upload */
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "launch 2 0");
  expect(*state, &child, GIB);
}

static void memory_left_by_a_launch_is_freed_outside(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  make_graph(&child, 1, GIB, false);
  EXPECT_OK(&child, "launch 1 0");
  EXPECT_OK(&child, "free-async 1 0");
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "launch 1 0");
  EXPECT_OK(&child, "free 1");
  assert_int_equal(child_ask(&child, "free 1"), INVALID_VALUE);
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "trim-graphs 0");
  expect(*state, &child, 0);
}

static void captured_allocation_is_charged_at_the_launch(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "stream 1");
  EXPECT_OK(&child, "begin-capture 1");
  EXPECT_OK(&child, "async 0 %llu 1", ULL(GIB));
  EXPECT_OK(&child, "async 1 %llu 0", ULL(GIB)); /* another stream goes on as ever */
  EXPECT_OK(&child, "free-async 0 1");
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "end-capture 1 1");
  EXPECT_OK(&child, "instantiate 1 1 3");
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "launch 1 1");
  expect(*state, &child, 2 * GIB);
}

/* It allocates nothing, so nothing can be over the budget yet. */
static void capture_is_not_refused(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  EXPECT_OK(&child, "stream 1");
  EXPECT_OK(&child, "begin-capture 1");
  EXPECT_OK(&child, "async 0 %llu 1", ULL(2 * GIB));
  EXPECT_OK(&child, "end-capture 1 1");
  EXPECT_OK(&child, "instantiate 1 1 3");
  expect(*state, &child, 0);
  assert_int_equal(child_ask(&child, "launch 1 1"), OUT_OF_MEMORY);
  expect(*state, &child, 0);
}

static void graphs_of_the_runtime_are_charged(void **state) {
  static const char *const programs[] = {"runtime_shared_12", "runtime_shared_13",
                                         "runtime_static"};
  struct node *node = *state;
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    struct child child;
    node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
    child_start(&child, node, &(struct start){.program = programs[i], .job = JOB});
    EXPECT_OK(&child, "launch-captured %llu", ULL(GIB));
    assert_int_equal(node_in_use(node, JOB, 0), GIB);
    assert_int_equal(child_end(&child), 0);
    assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
  }
}

static void memory_of_a_graph_inside_a_graph_is_charged(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "graph 2");
  EXPECT_OK(&child, "add-alloc 2 0 %llu 0", ULL(GIB));
  EXPECT_OK(&child, "graph 1");
  EXPECT_OK(&child, "add-child 1 2");
  EXPECT_OK(&child, "instantiate 1 1 3");
  EXPECT_OK(&child, "launch 1 0");
  expect(*state, &child, GIB);
}

static void memory_is_charged_on_its_device(void **state) {
  struct child child = begin_pool_program(*state, 8 * GIB);
  EXPECT_OK(&child, "graph 1");
  EXPECT_OK(&child, "add-alloc 1 0 %llu 1", ULL(GIB));
  EXPECT_OK(&child, "add-alloc 1 1 %llu 0", ULL(2 * GIB));
  EXPECT_OK(&child, "instantiate 1 1 3");
  EXPECT_OK(&child, "launch 1 0");
  expect_on(*state, &child, 0, 2 * GIB);
  expect_on(*state, &child, 1, GIB);
}

/* One block after the other in the same memory: the budget need not hold their sum. */
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

/* Two blocks at a time, of which one alone would fit. */
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

/* The first still runs, so nothing of it could be given back. */
static void graph_gets_what_an_earlier_one_of_its_stream_uses(void **state) {
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
  make_graph(&child, 2, 4096, false);
  EXPECT_OK(&child, "launch 2 0");
  assert_int_equal(child_ask(&child, "launch 2 0"), INVALID_VALUE); /* its block is in use */
  expect(node, &child, 2 * MIB);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
}

static void over_budget_is_out_of_memory(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  make_graph(&child, 1, 2 * GIB, false);
  assert_int_equal(child_ask(&child, "launch 1 0"), OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "instantiate 2 1 4"), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "schedgpu: job 12 asked for"), 1);
  expect(*state, &child, 0);
}

static void memory_kept_for_graphs_goes_back_before_anything_is_refused(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  make_graph(&child, 1, GIB, true);
  EXPECT_OK(&child, "launch 1 0");
  EXPECT_OK(&child, "alloc 2 %llu", ULL(GIB));
  expect(*state, &child, GIB);
  EXPECT_OK(&child, "free 2");
  EXPECT_OK(&child, "launch 1 0"); /* charged anew */
  expect(*state, &child, GIB);
}

static void launch_waits_for_memory(void **state) {
  struct node *node = *state;
  struct child child, neighbour;
  node_job(node, JOB, 0, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, 0, SCHEDGPU_FOREVER);
  start_pool_program(&child, node, JOB, "handle");
  start_pool_program(&neighbour, node, NEIGHBOUR, "handle");
  EXPECT_OK(&neighbour, "alloc 0 %llu", ULL(12 * GIB));
  make_graph(&child, 1, 8 * GIB, true);
  child_tell(&child, "launch 1 0");
  node_await_waiting(node, 0, 1);
  assert_int_equal(child_end(&neighbour), 0);
  assert_int_equal(child_answer(&child), 0);
  expect(node, &child, 8 * GIB);
}

static void graphs_without_memory_cost_nothing(void **state) {
  struct child child = begin_pool_program(*state, GIB);
  EXPECT_OK(&child, "graph 1");
  EXPECT_OK(&child, "instantiate 1 1 4");
  EXPECT_OK(&child, "launch 1 0");
  EXPECT_OK(&child, "destroy-exec 1");
  expect(*state, &child, 0);
}

static void end_of_the_process_gives_everything_back(void **state) {
  struct node *node = *state;
  struct child child = begin_pool_program(node, 8 * GIB);
  make_graph(&child, 1, GIB, false);
  EXPECT_OK(&child, "launch 1 0");
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  node_check(node);
}

static int set_up_two_devices(void **state) {
  static struct node node;
  node_up(&node, 2);
  *state = &node;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(launch_is_charged_however_the_graph_was_instantiated),
      NODE_TEST(per_thread_variants_are_charged),
      NODE_TEST(upload_is_charged),
      NODE_TEST(memory_left_by_a_launch_is_freed_outside),
      NODE_TEST(captured_allocation_is_charged_at_the_launch),
      NODE_TEST(capture_is_not_refused),
      NODE_TEST(graphs_of_the_runtime_are_charged),
      NODE_TEST(memory_of_a_graph_inside_a_graph_is_charged),
      cmocka_unit_test_setup_teardown(memory_is_charged_on_its_device, set_up_two_devices,
                                      tear_down),
      NODE_TEST(graph_is_charged_its_peak),
      NODE_TEST(peak_that_shows_only_at_the_upload_is_over_budget),
      NODE_TEST(graph_gets_what_an_earlier_one_of_its_stream_uses),
      NODE_TEST(graphs_of_one_stream_are_charged_once),
      NODE_TEST(launch_that_the_driver_refuses_is_not_charged),
      NODE_TEST(over_budget_is_out_of_memory),
      NODE_TEST(memory_kept_for_graphs_goes_back_before_anything_is_refused),
      NODE_TEST(launch_waits_for_memory),
      NODE_TEST(graphs_without_memory_cost_nothing),
      NODE_TEST(end_of_the_process_gives_everything_back),
  };
  return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
