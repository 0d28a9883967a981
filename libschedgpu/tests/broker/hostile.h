/*
 * hostile.h - a node with hostile users, who send wrong, too many or malformed messages. Whatever
 * they do, another user is served afterwards.
 */
#ifndef SG_TEST_HOSTILE_H
#define SG_TEST_HOSTILE_H

#include "raw.h"

static struct node node;
static struct child agent;

static inline int set_up(void **state) {
  (void)state;
  node = closed_node(0, 0);
  job_of(&node, 1, ALICE, ONDEMAND, 0);
  job_of(&node, 2, BOB, ONDEMAND, 0);
  job_of(&node, 4, ALICE, PEAK, 3 * GIB);
  agent = agent_start();
  return 0;
}

/** Checks that the agent still serves, and that the region is right. */
static inline int tear_down(void **state) {
  (void)state;
  struct child user = user_start(BOB, 2);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&user);
  /* the job keeps its budget while no other request needs it */
  assert_int_equal(schedgpu_admin_job_end(node.admin, SCHEDGPU_JOB_SLURM, 4), SCHEDGPU_OK);
  await_used(&node, 0);
  child_kill(&agent);
  node_free(&node);
  agent_limits = (struct schedgpu_broker_limits){0};
  return 0;
}

#define hostile(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
