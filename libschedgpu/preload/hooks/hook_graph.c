/*
 * hook_graph.c - hooks of graphs, which allocate when they run. Before the first launch the driver
 * backs a graph with memory by an upload, which runs nothing and can be undone. So its true size is
 * known before anything runs.
 */
#include "capture.h"
#include "../account/graph_call.h"
#include "../turns/turns.h"

#define UPLOAD UINT64_C(2) /* CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD */

/* If memory is refused, a graph that allocates is refused as well. */
static bool is_refused(CUgraph graph) {
  return sgp_mode() == SGP_MODE_REFUSE && sgp_footprint_of(graph).allocates;
}

static CUresult settle_instantiation(CUgraphExec *exec, CUgraph graph, CUresult result) {
  struct sgp_footprint footprint;
  if (result == CUDA_SUCCESS && sgp_mode() == SGP_MODE_ON &&
      (footprint = sgp_footprint_of(graph)).any)
    sgp_graph_add(*exec, &footprint);
  return result;
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log,
                            size_t log_bytes) {
  SGP_BEGIN(cuGraphInstantiate, exec, graph, error_node, log, log_bytes);
  if (is_refused(graph))
    return CUDA_ERROR_NOT_PERMITTED;
  return settle_instantiation(exec, graph, real(exec, graph, error_node, log, log_bytes));
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log,
                               size_t log_bytes) {
  SGP_BEGIN(cuGraphInstantiate_v2, exec, graph, error_node, log, log_bytes);
  if (is_refused(graph))
    return CUDA_ERROR_NOT_PERMITTED;
  return settle_instantiation(exec, graph, real(exec, graph, error_node, log, log_bytes));
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
  SGP_BEGIN(cuGraphInstantiateWithFlags, exec, graph, flags);
  if (is_refused(graph))
    return CUDA_ERROR_NOT_PERMITTED;
  return settle_instantiation(exec, graph, real(exec, graph, flags));
}

/* With this flag the call uploads at once, so memory is reserved before it. */
#define SGP_INSTANTIATE(named)                                                                     \
  do {                                                                                             \
    if (is_refused(graph))                                                                         \
      return CUDA_ERROR_NOT_PERMITTED;                                                             \
    if (!graph || !params || !(params->flags & UPLOAD) || sgp_mode() != SGP_MODE_ON)               \
      return settle_instantiation(exec, graph, real(exec, graph, params));                         \
    struct sgp_footprint footprint = sgp_footprint_of(graph);                                      \
    struct sgp_graph_call call = sgp_graph_begin_new(&footprint, (named));                         \
    if (call.charge.refused)                                                                       \
      return call.charge.error;                                                                    \
    CUresult result = settle_instantiation(exec, graph, real(exec, graph, params));                \
    if (result == CUDA_SUCCESS)                                                                    \
      call.exec = *exec;                                                                           \
    sgp_graph_end(&call, result);                                                                  \
    return result;                                                                                 \
  } while (0)

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  SGP_BEGIN(cuGraphInstantiateWithParams, exec, graph, params);
  SGP_INSTANTIATE(params->hUploadStream);
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *exec, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  SGP_BEGIN(cuGraphInstantiateWithParams_ptsz, exec, graph, params);
  SGP_INSTANTIATE(sgp_own_stream(params->hUploadStream));
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  SGP_BEGIN(cuGraphExecDestroy, exec);
  struct sgp_footprint footprint;
  bool known = sgp_graphs_have_memory() && sgp_graph_remove(exec, &footprint);
  CUresult result = real(exec);
  if (known && result != CUDA_SUCCESS)
    sgp_graph_add(exec, &footprint);
  else if (known)
    sgp_graphs_settle();
  return result;
}

typedef CUresult (*in_stream)(CUgraphExec exec, CUstream stream);

static CUresult call_with_retries(struct sgp_graph_call *call, in_stream function) {
  CUresult result;
  do
    result = function(call->exec, call->stream);
  while (sgp_charge_retry(&call->charge, result));
  return result;
}

/* Uploads until the memory that the driver took is charged. */
static CUresult back(struct sgp_graph_call *call) {
  in_stream upload = (in_stream)sgp_real(SGP_cuGraphUpload);
  CUresult result = CUDA_SUCCESS;
  while (upload && !call->charge.refused) {
    result = call_with_retries(call, upload);
    if (result != CUDA_SUCCESS || sgp_graph_check(call))
      break;
    sgp_graph_again(call);
  }
  return call->charge.refused ? call->charge.error : result;
}

/*
 * Execs without memory nodes, and those that become nodes of a graph, pass through. `real` has the
 * stream's variant; the driver's functions for the other one are the same.
 */
#define SGP_RUN(stream_named, launch)                                                              \
  do {                                                                                             \
    if (!sgp_graphs_have_memory() || sgp_is_capturing(stream_named))                               \
      return real(exec, stream);                                                                   \
    struct sgp_graph_call call = sgp_graph_begin(exec, (stream_named));                            \
    if (call.charge.refused)                                                                       \
      return call.charge.error;                                                                    \
    if (!call.charge.charged)                                                                      \
      return real(exec, stream);                                                                   \
    CUresult result = call.fresh || !(launch) ? back(&call) : CUDA_SUCCESS;                        \
    if (result == CUDA_ERROR_OUT_OF_MEMORY || call.charge.refused || !(launch)) {                  \
      sgp_graph_end(&call, result);                                                                \
      return result;                                                                               \
    }                                                                                              \
    do                                                                                             \
      result = real(exec, stream);                                                                 \
    while (sgp_charge_retry(&call.charge, result));                                                \
    sgp_graph_end(&call, result);                                                                  \
    return result;                                                                                 \
  } while (0)

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  SGP_BEGIN(cuGraphUpload, exec, stream);
  SGP_RUN(stream, false);
}

CUresult cuGraphUpload_ptsz(CUgraphExec exec, CUstream stream) {
  SGP_BEGIN(cuGraphUpload_ptsz, exec, stream);
  SGP_RUN(sgp_own_stream(stream), false);
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  SGP_BEGIN(cuGraphLaunch, exec, stream);
  SGP_TURN(stream);
  SGP_RUN(stream, true);
}

CUresult cuGraphLaunch_ptsz(CUgraphExec exec, CUstream stream) {
  SGP_BEGIN(cuGraphLaunch_ptsz, exec, stream);
  SGP_TURN(sgp_own_stream(stream));
  SGP_RUN(sgp_own_stream(stream), true);
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  SGP_BEGIN(cuDeviceGraphMemTrim, device);
  CUresult result = real(device);
  if (sgp_graphs_have_memory())
    sgp_graphs_settle();
  return result;
}
