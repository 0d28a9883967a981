/*
 * The proxy driver: programs of every kind are charged without any preload, and find everything
 * else that a driver has.
 */
#include "fixture.h"

#define JOB 12

static void start(struct child *child, struct node *node, const char *program, const char *how) {
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(child, node,
              &(struct start){.program = program,
                              .arguments = {how},
                              .job = JOB,
                              .libraries = "proxy",
                              .without_preload = true});
}

static void expect_driver(struct node *node, const char *program, const char *how) {
  struct child child;
  start(&child, node, program, how);
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  expect_charged_to(node, JOB, &child);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
}

static void driver_linked(void **state) {
  expect_driver(*state, "driver_linked", "linked");
}
static void driver_by_handle(void **state) {
  expect_driver(*state, "driver_looked_up", "handle");
}
static void driver_by_rtld_default(void **state) {
  expect_driver(*state, "driver_looked_up", "default");
}
static void driver_by_get_proc_address(void **state) {
  expect_driver(*state, "driver_looked_up", "get1");
}
static void driver_by_get_proc_address_v2(void **state) {
  expect_driver(*state, "driver_looked_up", "get2");
}
static void driver_by_a_looked_up_get_proc_address(void **state) {
  expect_driver(*state, "driver_looked_up", "get-itself");
}

/* Functions that are not hooked come from the real driver; per-thread callers get their own
 * variants. */
static void the_rest_is_the_true_drivers(void **state) {
  struct child child;
  start(&child, *state, "driver_looked_up", "per-thread");
  child_ask(&child, "where SetCurrent");
  assert_string_equal(child.line, "0 cuCtxSetCurrent libcuda-real.so.1");
  child_ask(&child, "where AllocAsync");
  assert_string_equal(child.line, "0 cuMemAllocAsync_ptsz libcuda.so.1");
  child_ask(&child, "ask cuCtxCreate 3020");
  assert_string_equal(child.line, "0 cuCtxCreate_v2 libcuda.so.1");
}

/* The hook is of the function that the driver chose, not of a newer one. */
static void older_driver_chooses(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, *state,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"get2"},
                              .job = JOB,
                              .libraries = "proxy-older",
                              .without_preload = true});
  assert_int_equal(child_ask(&child, "ask cuCtxCreate 12050"), 0);
  assert_string_equal(child.line, "0 cuCtxCreate_v2 libcuda.so.1");
  child_ask(&child, "where Init");
  assert_string_equal(child.line, "0 cuInit libcuda-real.so.1");
}

static void expect_runtime(struct node *node, const char *program) {
  struct child child;
  start(&child, node, program, NULL);
  expect_charged_to(node, JOB, &child);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "info"), 0);
  assert_int_equal(child_number(&child, 2), 8 * GIB);
  assert_int_equal(child_end(&child), 0);
}

static void shared_runtime(void **state) {
  expect_runtime(*state, "runtime_shared_13");
}
static void runtime_inside_the_executable(void **state) {
  expect_runtime(*state, "runtime_static");
}

/* Look-ups that the preload library cannot intercept: the program's own, and in another
 * namespace. */
static void expect_loaded(struct node *node, const char *how) {
  struct child child;
  start(&child, node, "loading_program", how);
  assert_int_equal(child_ask(&child, "begin"), 0);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  expect_charged_to(node, JOB, &child);
}

static void plugin_with_deepbind(void **state) {
  expect_loaded(*state, "deepbind");
}
static void namespace_of_dlmopen(void **state) {
  expect_loaded(*state, "dlmopen");
}

/* Two libraries with the same hooks: only one counts. */
static void gives_way_to_the_preload_library(void **state) {
  struct node *node = *state;
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .job = JOB,
                              .libraries = "proxy"});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  expect_charged_to(node, JOB, &child);
}

static void program_of_no_job_passes(void **state) {
  struct child child;
  child_start(&child, *state,
              &(struct start){.program = "driver_linked",
                              .arguments = {"linked"},
                              .libraries = "proxy",
                              .without_preload = true});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(driver_linked),
      NODE_TEST(driver_by_handle),
      NODE_TEST(driver_by_rtld_default),
      NODE_TEST(driver_by_get_proc_address),
      NODE_TEST(driver_by_get_proc_address_v2),
      NODE_TEST(driver_by_a_looked_up_get_proc_address),
      NODE_TEST(the_rest_is_the_true_drivers),
      NODE_TEST(older_driver_chooses),
      NODE_TEST(shared_runtime),
      NODE_TEST(runtime_inside_the_executable),
      NODE_TEST(plugin_with_deepbind),
      NODE_TEST(namespace_of_dlmopen),
      NODE_TEST(gives_way_to_the_preload_library),
      NODE_TEST(program_of_no_job_passes),
  };
  return cmocka_run_group_tests_name("proxy", tests, NULL, NULL);
}
