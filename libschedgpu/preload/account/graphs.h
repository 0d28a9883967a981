/*
 * graphs.h - memory that graphs allocate when they run. The driver keeps it on the device for later
 * launches until cuDeviceGraphMemTrim, so the charge is what the driver says it has reserved
 * (CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT).
 *
 *   begin: reserves what a run may newly need; may wait. Nothing for an exec that ran in the stream
 *          before, if nothing was freed since.
 *   check: after the driver has backed the exec with memory. False: the driver took more than is
 *          available now. Then again() releases it and requests the true size.
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
  int rounds;                              /**< attempts left */
};

/** Records an exec that has memory nodes. */
void sgp_graph_add(CUgraphExec exec, const struct sgp_footprint *footprint);
/** Forgets it. False if it has none. Writes its footprint, to restore it. */
bool sgp_graph_remove(CUgraphExec exec, struct sgp_footprint *footprint);

/** Begins a call for a known exec; else a call without a charge. */
struct sgp_graph_call sgp_graph_begin(CUgraphExec exec, CUstream stream);
/** Begins a call for an exec that is about to be created. */
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
/** The same on one device, after asking the driver to free what it does not use. */
void sgp_graphs_trim(int device);

void sgp_graphs_after_fork(void);

#endif
