/* lane_node.h - a node with two jobs of 9 GiB that share a lane, and whose quantum is over at once.
 */
#ifndef BENCH_LANE_NODE_H
#define BENCH_LANE_NODE_H

#include "bench_node.h"

static inline struct node lane_node(void) {
  struct schedgpu_setup setup = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  setup.quantum_ns = 1;
  struct node node = node_of(&setup);
  for (uint64_t id = 1; id <= 2; id++) {
    struct schedgpu_job_spec job = job_spec(id, SCHEDGPU_MODE_PEAK, 9 * GIB, 50);
    job.uid = (uint32_t)getuid();
    job.lane = SCHEDGPU_LANE_FAIR;
    job.persistent_bytes = 512 * MIB;
    MUST(schedgpu_admin_job_begin(node.admin, &job) == SCHEDGPU_OK);
  }
  return node;
}

#endif
