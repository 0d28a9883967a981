/*
 * device.h - a program that uses pools or graphs. The account of its job and the memory that the
 * emulated device holds must be equal after every step.
 */
#ifndef PRELOAD_TEST_DEVICE_H
#define PRELOAD_TEST_DEVICE_H

#include "fixture.h"

#define JOB 12
#define NEIGHBOUR 13
#define CHUNK (32 * MIB) /* the growth of a pool */
#define OUT_OF_MEMORY 2

#define EXPECT_OK(child, ...) assert_int_equal(child_ask((child), __VA_ARGS__), 0)

static inline void start_pool_program(struct child *child, struct node *node, uint64_t job,
                                      const char *how) {
  child_start(child, node,
              &(struct start){.program = "pool_program", .arguments = {how}, .job = job});
  EXPECT_OK(child, "begin 0");
}

/** A scheduled program in a context on device 0, alone on the node. */
static inline struct child begin_pool_program(struct node *node, uint64_t budget_bytes) {
  struct child child;
  node_job(node, JOB, budget_bytes, SCHEDGPU_FOREVER);
  start_pool_program(&child, node, JOB, "handle");
  return child;
}

/** Expects that the job is charged `bytes` on a device, and that its processes hold that and their
 * contexts. */
static inline void expect_on(struct node *node, struct child *child, unsigned device,
                             uint64_t bytes) {
  assert_int_equal(node_in_use(node, JOB, device), bytes);
  EXPECT_OK(child, "used %u", device);
  assert_int_equal(child_number(child, 1), bytes + node_contexts(node, JOB, device));
  node_check(node);
}

static inline void expect(struct node *node, struct child *child, uint64_t bytes) {
  expect_on(node, child, 0, bytes);
}

#endif
