/*
 * Memory that graphs allocate: it is charged when a graph runs, as the driver holds it.
 */
#include "graphs_of_programs.h"

#define INVALID_VALUE 1

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
  EXPECT_OK(&child, "trim-graphs 0");
  EXPECT_OK(&child, "upload 1 0");
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
  EXPECT_OK(&child, "async 1 %llu 0", ULL(GIB)); /* other streams are not affected */
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
  };
  return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
