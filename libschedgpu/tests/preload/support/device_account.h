/*
 * device_account.h - programs made with programs/commands.h: what they hold is compared with what
 * the emulated device says is in use.
 */
#ifndef PRELOAD_TEST_DEVICE_ACCOUNT_H
#define PRELOAD_TEST_DEVICE_ACCOUNT_H

#include "fixture.h"

#define JOB 12

/** A process of JOB, with a budget of 8 GiB, in a context on device 0. */
static inline struct child begin_program(struct node *node, const char *program, const char *how,
                                         const char *environment) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){
                  .program = program, .arguments = {how}, .job = JOB, .environment = environment});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  return child;
}

/** A line that must succeed. */
static inline void ask(struct child *child, const char *line) {
  if (child_ask(child, "%s", line) != 0)
    fail_msg("%s: %s", line, child->line);
}

/** Bytes in use on the device, without the one context. */
static inline uint64_t used_on_device(struct child *child) {
  ask(child, "used");
  return child_number(child, 1) - CONTEXT_BYTES;
}

static inline void expect_account(struct node *node, uint64_t bytes) {
  assert_int_equal(node_in_use(node, JOB, 0), bytes);
  node_check(node);
}

/** Expects that the account and the device agree. */
static inline void expect_both(struct node *node, struct child *child, uint64_t bytes) {
  expect_account(node, bytes);
  assert_int_equal(used_on_device(child), bytes);
}

/** Creates something, expects the device's size in the account, and destroys it. */
static inline void expect_charged(struct node *node, struct child *child, const char *make,
                                  const char *destroy) {
  ask(child, make);
  uint64_t bytes = used_on_device(child);
  assert_true(bytes > 0);
  expect_account(node, bytes);
  ask(child, destroy);
  expect_both(node, child, 0);
}

#endif
