/*
 * node.h - a node for tests: a region and an emulated GPU in a folder of their own, with jobs, seen
 * through the admin API.
 */
#ifndef PRELOAD_TEST_NODE_H
#define PRELOAD_TEST_NODE_H

#include "schedgpu/admin.h"
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define DEVICE_BYTES (16 * GIB)
#define CONTEXT_BYTES (256 * MIB)

struct node {
  char dir[64];
  unsigned devices;
  uint64_t gpu_bytes; /**< memory of the emulated GPU, set before the first program starts */
  schedgpu_admin *admin;
  uint32_t
      user; /**< not 0: programs and jobs are this user's, and only the agent writes the region */
  pid_t agent;
};

/** `rule` is the region's: enum schedgpu_deadlock_rule. */
void node_up_with_rule(struct node *node, unsigned devices, uint32_t rule);
/** With rule `detect`. */
void node_up(struct node *node, unsigned devices);
void node_down(struct node *node);

#define NODE_USER 54321
/** A node whose programs belong to an ordinary user and are served by an agent. False
 * without root. */
bool node_up_brokered(struct node *node, unsigned devices);
void node_start_agent(struct node *node);
void node_kill_agent(struct node *node);

/** A job with this budget on every device (0: none, mode ondemand) that waits for `wait_ns`. */
void node_job(struct node *node, uint64_t id, uint64_t budget_bytes, int64_t wait_ns);
/** The same in mode ondemand, on the devices in `mask`. */
void node_job_ondemand(struct node *node, uint64_t id, uint64_t budget_bytes, int64_t wait_ns,
                       uint32_t mask);

/** A job that takes turns with the first device, by this weight; it keeps its budget of 1 GiB. */
void node_share_job(struct node *node, uint64_t id, uint32_t weight);
/** Returns once `count` processes wait for a turn. */
void node_await_turn_waiting(struct node *node, uint32_t count);
/** The number of turns that the job has got, and its service. */
uint64_t node_turns(struct node *node, uint64_t id, uint64_t *service_ns);

/** Bytes that the processes of the job have allocated. */
uint64_t node_in_use(struct node *node, uint64_t id, unsigned device);
/** The number of refused allocations of the job, and the largest (NULL: not needed). */
uint32_t node_refusals(struct node *node, uint64_t id, uint64_t *largest_bytes);
/** Bytes of the job's CUDA contexts. */
uint64_t node_contexts(struct node *node, uint64_t id, unsigned device);
/** Returns once `count` requests wait for `device`. */
void node_await_waiting(struct node *node, unsigned device, uint32_t count);
/** Checks every invariant of the region. */
void node_check(struct node *node);

/** UUID of an emulated device. */
const char *node_uuid(unsigned device, char text[SCHEDGPU_UUID_SIZE]);

#endif
