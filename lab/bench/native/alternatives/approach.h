/*
 * approach.h - the same work done by several approaches: schedGPU's, and those that the schedGPU
 * paper (IEEE TPDS 29(5), 2018, section 3) describes. Only the bench uses them, for comparison.
 *
 * The stages are the paper's (section 4). There is one device of APPROACH_TOTAL_BYTES. A process
 * has one thread. Results are those of schedgpu.h.
 */
#ifndef BENCH_APPROACH_H
#define BENCH_APPROACH_H

#include <stdint.h>

#define APPROACH_TOTAL_BYTES (UINT64_C(10) << 30)

struct schedgpu_approach {
  const char *name;
  /** Creates what the processes share. One process calls it, before it forks the others. */
  void (*set_up)(void);
  void (*tear_down)(void);
  /** Called in a client's process before its first stage; NULL: nothing to do. */
  void (*become_client)(void);
  /** The stages, in the order of a client's life. */
  int (*init)(void);
  int (*reserve)(uint64_t bytes, int64_t timeout_ns);
  int (*release)(uint64_t bytes);
  int (*shutdown)(void);
  /** Takes the lock on the shared data and keeps it: a process that dies then abandons it. NULL: a
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
