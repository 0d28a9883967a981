/*
 * graph_call.h - one launch of a graph that allocates:
 *
 *   begin: reserves what a run may newly need; may wait. Nothing for an exec that ran in the stream
 *          before, if nothing was freed since.
 *   check: after the driver has backed the exec with memory. False: the driver took more than is
 *          available now. Then again() releases it and requests the true size.
 *   end:   after the launch.
 */
#ifndef SGP_GRAPH_CALL_H
#define SGP_GRAPH_CALL_H

#include "charge.h"
#include "graphs.h"

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

/** Begins a call for a known exec; else a call without a charge. */
struct sgp_graph_call sgp_graph_begin(CUgraphExec exec, CUstream stream);
/** Begins a call for an exec that is about to be created. */
struct sgp_graph_call sgp_graph_begin_new(const struct sgp_footprint *footprint, CUstream stream);
bool sgp_graph_check(struct sgp_graph_call *call);
void sgp_graph_again(struct sgp_graph_call *call);
void sgp_graph_end(struct sgp_graph_call *call, CUresult result);

#endif
