/*
 * around.c - hooks of what a turn must know of beside launches and captures: functions of the host
 * that run in a stream.
 */
#include "turns.h"
#include "../account/charge.h"
#include "../hooks/capture.h"
#include <stdlib.h>

/*
 * --- functions of the host ---
 * They compute nothing on the device, so they need no turn. The keeper waits for them: if one of
 * them launches, which the driver refuses, it must not wait for the turn. Nor may a thread of the
 * program, if it has a lock for which such a function waits (turns.c).
 */

struct host_function {
  CUhostFn function;
  CUstreamCallback callback;
  void *data;
};

static struct host_function *wrap(CUstream stream, CUhostFn function, CUstreamCallback callback,
                                  void *data) {
  if (sgp_inside)
    return NULL;
  sgp_turn_host_function(true);
  if (sgp_is_capturing(stream)) /* a graph may run it often, or never */
    return NULL;
  struct host_function *wrapped = malloc(sizeof *wrapped);
  if (wrapped)
    *wrapped = (struct host_function){function, callback, data};
  return wrapped;
}

static void drop(struct host_function *wrapped) {
  free(wrapped);
  sgp_turn_host_function(false);
}

static void run_function(void *argument) {
  struct host_function wrapped = *(struct host_function *)argument;
  free(argument);
  __attribute__((cleanup(sgp_end_hook), unused)) const bool scope = sgp_inside = true;
  wrapped.function(wrapped.data);
  sgp_turn_host_function(false);
}

static void run_callback(CUstream stream, CUresult status, void *argument) {
  struct host_function wrapped = *(struct host_function *)argument;
  free(argument);
  __attribute__((cleanup(sgp_end_hook), unused)) const bool scope = sgp_inside = true;
  wrapped.callback(stream, status, wrapped.data);
  sgp_turn_host_function(false);
}

static CUresult launch_function(sgp_type_cuLaunchHostFunc real, CUstream stream, CUstream named,
                                CUhostFn function, void *data) {
  struct host_function *wrapped = function ? wrap(named, function, NULL, data) : NULL;
  if (!wrapped)
    return real(stream, function, data);
  CUresult result = real(stream, run_function, wrapped);
  if (result != CUDA_SUCCESS)
    drop(wrapped);
  return result;
}
CUresult sgp_turn_cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  SGP_REAL(cuLaunchHostFunc);
  return launch_function(real, stream, stream, function, data);
}
CUresult sgp_turn_cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void *data) {
  SGP_REAL(cuLaunchHostFunc_ptsz);
  return launch_function(real, stream, sgp_own_stream(stream), function, data);
}

static CUresult launch_function_in_mode(sgp_type_cuLaunchHostFunc_v2 real, CUstream stream,
                                        CUstream named, CUhostFn function, void *data,
                                        unsigned mode) {
  struct host_function *wrapped = function ? wrap(named, function, NULL, data) : NULL;
  if (!wrapped)
    return real(stream, function, data, mode);
  CUresult result = real(stream, run_function, wrapped, mode);
  if (result != CUDA_SUCCESS)
    drop(wrapped);
  return result;
}
CUresult sgp_turn_cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void *data,
                                      unsigned mode) {
  SGP_REAL(cuLaunchHostFunc_v2);
  return launch_function_in_mode(real, stream, stream, function, data, mode);
}
CUresult sgp_turn_cuLaunchHostFunc_v2_ptsz(CUstream stream, CUhostFn function, void *data,
                                           unsigned mode) {
  SGP_REAL(cuLaunchHostFunc_v2_ptsz);
  return launch_function_in_mode(real, stream, sgp_own_stream(stream), function, data, mode);
}

static CUresult add_callback(sgp_type_cuStreamAddCallback real, CUstream stream, CUstream named,
                             CUstreamCallback function, void *data, unsigned flags) {
  struct host_function *wrapped = function ? wrap(named, NULL, function, data) : NULL;
  if (!wrapped)
    return real(stream, function, data, flags);
  CUresult result = real(stream, run_callback, wrapped, flags);
  if (result != CUDA_SUCCESS)
    drop(wrapped);
  return result;
}
CUresult sgp_turn_cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data,
                                      unsigned flags) {
  SGP_REAL(cuStreamAddCallback);
  return add_callback(real, stream, stream, function, data, flags);
}
CUresult sgp_turn_cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback function, void *data,
                                           unsigned flags) {
  SGP_REAL(cuStreamAddCallback_ptsz);
  return add_callback(real, stream, sgp_own_stream(stream), function, data, flags);
}

/* --- functions of the host that are nodes of a graph --- */

/** A function of the host, or what waits as it does (waits.c). */
static bool may_wait(const CUgraphNodeParams *params) {
  return params && (params->type == CU_GRAPH_NODE_TYPE_HOST ||
                    params->type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT ||
                    params->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
}

/** As one that is captured: the graph may run it often, or never. */
static CUresult added(CUresult result, bool is_function) {
  if (result == CUDA_SUCCESS && is_function && !sgp_inside)
    sgp_turn_host_function(true);
  return result;
}
CUresult sgp_turn_cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                     size_t count, const CUDA_HOST_NODE_PARAMS *params) {
  SGP_REAL(cuGraphAddHostNode);
  return added(real(node, graph, after, count, params), true);
}
CUresult sgp_turn_cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                 size_t count, CUgraphNodeParams *params) {
  SGP_REAL(cuGraphAddNode);
  bool is_function = may_wait(params);
  return added(real(node, graph, after, count, params), is_function);
}
CUresult sgp_turn_cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                    const CUgraphEdgeData *edges, size_t count,
                                    CUgraphNodeParams *params) {
  SGP_REAL(cuGraphAddNode_v2);
  bool is_function = may_wait(params);
  return added(real(node, graph, after, edges, count, params), is_function);
}
