/*
 * fixture.h - a node with one device for each test, and no program left behind.
 */
#ifndef PRELOAD_TEST_FIXTURE_H
#define PRELOAD_TEST_FIXTURE_H

#include "child.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static int set_up(void **state) {
  static struct node node;
  node_up(&node, 1);
  *state = &node;
  return 0;
}

static int tear_down(void **state) {
  child_end_all();
  node_down(*state);
  return 0;
}

/** A test with its own node. */
#define NODE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/** A program that finds the driver with dlsym, as a process of `job`, in a context on device 0. */
static inline void start_driver_program(struct child *child, struct node *node, uint64_t job) {
  child_start(child, node,
              &(struct start){.program = "driver_looked_up", .arguments = {"handle"}, .job = job});
  assert_int_equal(child_ask(child, "begin 0"), 0);
}

/** The same, linked with the driver, with another LD_PRELOAD library behind ours. */
static inline void start_with_interposer(struct child *child, struct node *node, uint64_t job,
                                         const char *environment) {
  child_start(child, node,
              &(struct start){.program = "driver_linked",
                              .arguments = {"linked"},
                              .job = job,
                              .preload_after = "libafter.so",
                              .environment = environment});
  assert_int_equal(child_ask(child, "begin 0"), 0);
}

#endif
