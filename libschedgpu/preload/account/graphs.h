/*
 * graphs.h - memory that graphs allocate when they run. The driver keeps it on the device for later
 * launches, until cuDeviceGraphMemTrim: what is charged is what it says it has reserved
 * (CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT).
 *
 *   begin: reserves what a run may newly need; may wait. Nothing for an exec that ran in the stream
 *          before, if nothing was given back since.
 *   check: after the driver has backed the exec with memory; false: it took more than is to be had
 *          now. Then again() gives it back and asks for the true size.
 *   end:   after the launch.
 */
#ifndef SGP_GRAPHS_H
#define SGP_GRAPHS_H

#include "charge.h"
#include "footprint.h"
#include <stdatomic.h>

struct sgp_graph_call {
  struct sgp_charge charge; /**< `charged`: the exec has memory nodes */
  bool fresh;               /**< the driver may take memory */
  CUgraphExec exec;
  CUstream stream;
  struct sgp_footprint footprint;
  uint64_t claimed[SGP_FOOTPRINT_DEVICES]; /**< in flight for this call */
  uint64_t excess[SGP_FOOTPRINT_DEVICES];  /**< what the driver took beyond, last time */
  int rounds;                              /**< left */
};

/** Remembers an exec that has memory nodes. */
void sgp_graph_add(CUgraphExec exec, const struct sgp_footprint *footprint);
/** Forgets it; false if it has none. Its footprint, to put it back. */
bool sgp_graph_remove(CUgraphExec exec, struct sgp_footprint *footprint);

/** For an exec that is known, else a call without a charge. */
struct sgp_graph_call sgp_graph_begin(CUgraphExec exec, CUstream stream);
/** For one that is about to be made. */
struct sgp_graph_call sgp_graph_begin_new(const struct sgp_footprint *footprint, CUstream stream);
bool sgp_graph_check(struct sgp_graph_call *call);
void sgp_graph_again(struct sgp_graph_call *call);
void sgp_graph_end(struct sgp_graph_call *call, CUresult result);

/** True while a graph of this process has memory nodes, or memory is charged for graphs. */
extern _Atomic bool sgp_graphs_memory;
static inline bool sgp_graphs_have_memory(void) {
  return atomic_load_explicit(&sgp_graphs_memory, memory_order_relaxed);
}

/** Charges what the driver has reserved for graphs. */
void sgp_graphs_settle(void);
/** The same on one device, after the driver was asked to give back what it does not use. */
void sgp_graphs_trim(int device);

void sgp_graphs_after_fork(void);

#endif
