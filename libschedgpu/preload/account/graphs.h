/*
 * graphs.h - memory that graphs allocate when they run. The driver keeps it on the device for later
 * launches until cuDeviceGraphMemTrim, so the charge is what the driver says it has reserved
 * (CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT).
 */
#ifndef SGP_GRAPHS_H
#define SGP_GRAPHS_H

#include "footprint.h"
#include <stdatomic.h>

/** Records an exec that has memory nodes. */
void sgp_graph_add(CUgraphExec exec, const struct sgp_footprint *footprint);
/** Forgets it. False if it has none. Writes its footprint, to restore it. */
bool sgp_graph_remove(CUgraphExec exec, struct sgp_footprint *footprint);

/** True for an exec with memory nodes; writes its footprint. */
bool sgp_graph_find(CUgraphExec exec, struct sgp_footprint *footprint);

/** What a run may newly need on a device, in bytes. */
struct sgp_graph_need {
  uint64_t most;
  uint64_t least; /**< certainly needed */
  bool fresh;     /**< the driver may take memory */
};
/** `exec`: NULL for one that is about to be created. */
void sgp_graph_needs(CUgraphExec exec, CUstream stream, const struct sgp_footprint *footprint,
                     int ordinal, struct sgp_graph_need *need);
/** Charges bytes that were reserved for a run. */
void sgp_graphs_claim(int ordinal, uint64_t bytes);
/** Releases what the driver did not take of claimed bytes; returns what it took beyond. */
uint64_t sgp_graphs_settle_claim(int ordinal, uint64_t bytes);
/** Records a successful launch, whose memory the next one in the stream reuses. */
void sgp_graph_ran(CUgraphExec exec, CUstream stream, const struct sgp_footprint *footprint);

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
