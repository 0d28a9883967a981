/* fixture.h - a node with one device for each test, and an end that leaves no program. */
#ifndef PRELOAD_TEST_FIXTURE_H
#define PRELOAD_TEST_FIXTURE_H

#include "child.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static inline int set_up(void **state) {
  static struct node node;
  node_up(&node, 1);
  *state = &node;
  return 0;
}

/** Programs of an ordinary user, whom an agent serves: needs root. */
static inline int set_up_brokered(void **state) {
  static struct node node;
  *state = &node;
  return node_up_brokered(&node, 1) ? 0 : -1;
}

/** Runs the tests, and with root once more, brokered; returns the failures of both. */
static inline int run_in_both_modes(const char *name, struct CMUnitTest *tests, size_t count) {
  char brokered[64];
  int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
  snprintf(brokered, sizeof brokered, "%s_brokered", name);
  for (size_t i = 0; i < count; i++)
    tests[i].setup_func = set_up_brokered;
  return geteuid() == 0 ? failed + _cmocka_run_group_tests(brokered, tests, count, NULL, NULL)
                        : failed;
}

static inline int tear_down(void **state) {
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

/** The same program, linked with the driver, with another LD_PRELOAD library behind ours. */
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

/** Allocates and frees in slot 0 of a program, and expects both in the account of its job. */
static inline void expect_charged_to(struct node *node, uint64_t job, struct child *child) {
  uint64_t before = node_in_use(node, job, 0);
  assert_int_equal(child_ask(child, "alloc 0 %llu", (unsigned long long)(64 * MIB)), 0);
  assert_int_equal(node_in_use(node, job, 0), before + 64 * MIB);
  assert_int_equal(child_ask(child, "free 0"), 0);
  assert_int_equal(node_in_use(node, job, 0), before);
  node_check(node);
}

/** True if a command succeeds, without output: for what a test needs of the machine. */
static inline bool machine_has(const char *command) {
  char line[1024];
  snprintf(line, sizeof line, "(%s) >/dev/null 2>&1", command);
  return system(line) == 0;
}

#define SKIP(reason)                                                                               \
  do {                                                                                             \
    print_message("skipped: " reason "\n");                                                        \
    skip();                                                                                        \
  } while (0)

#endif
