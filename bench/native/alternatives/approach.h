/*
 * approach.h - the same job done in several ways: ours, and those that the schedGPU paper (IEEE
 * TPDS 29(5), 2018, section 3) describes. For comparison only: nothing but the bench uses it.
 *
 * The stages are the paper's (section 4). One device of APPROACH_TOTAL_BYTES. A process has one
 * thread. Results are those of schedgpu.h.
 */
#ifndef BENCH_APPROACH_H
#define BENCH_APPROACH_H

#include <stdint.h>

#define APPROACH_TOTAL_BYTES (UINT64_C(10) << 30)

struct schedgpu_approach {
  const char *name;
  /** Makes what the processes share; by one process, before it forks the others. */
  void (*set_up)(void);
  void (*tear_down)(void);
  /** In a client's process, before its first stage; NULL: nothing to do. */
  void (*become_client)(void);
  /** The stages, in the order of a client's life. */
  int (*init)(void);
  int (*reserve)(uint64_t bytes, int64_t timeout_ns);
  int (*release)(uint64_t bytes);
  int (*shutdown)(void);
  /** Takes the lock on the shared data and keeps it: whoever then dies, abandons it. NULL: a
   * client has none. */
  void (*take_lock)(void);
};

extern const struct schedgpu_approach approach_ours;
extern const struct schedgpu_approach approach_file_lock;
extern const struct schedgpu_approach approach_mutex_condition;
extern const struct schedgpu_approach approach_client_server;
/** The same for a job with a budget. */
extern const struct schedgpu_approach approach_server_budget;

#endif
