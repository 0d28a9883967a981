/* runtime_graph.c - graphs and stream capture. */
#include "runtime.h"

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamEndCapture(stream, graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)status));
}

static cudaError_t capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                unsigned long long *id, cudaGraph_t *graph,
                                const cudaGraphNode_t **nodes, size_t *count) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamGetCaptureInfo(stream, (CUstreamCaptureStatus *)status,
                                                    (cuuint64_t *)id, graph, nodes, count));
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **nodes,
                                     const struct cudaGraphEdgeData **edges, size_t *count) {
  if (edges)
    *edges = NULL; /* all edges are the plain ones */
  return capture_info(stream, status, id, graph, nodes, count);
}
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **nodes, size_t *count) {
  return capture_info(stream, status, id, graph, nodes, count);
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  NEED_START();
  return runtime_result(call.cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode));
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  NEED_START();
  return runtime_result(call.cuGraphCreate(graph, flags));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  NEED_START();
  return runtime_result(call.cuGraphDestroy(graph));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  NEED_CONTEXT();
  return runtime_result(call.cuGraphInstantiateWithFlags(exec, graph, flags));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuGraphUpload(exec, stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuGraphLaunch(exec, stream));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  NEED_START();
  return runtime_result(call.cuGraphExecDestroy(exec));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  NEED_START();
  return runtime_result(call.cuGraphGetNodes(graph, nodes, count));
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
  NEED_START();
  return runtime_result(cudaErrorNotSupported);
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
  NEED_START();
  if (!info)
    return runtime_result(cudaErrorInvalidValue);
  *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
  return runtime_result(cudaErrorGraphExecUpdateFailure);
}
#endif

#if CUDART_VERSION >= 13000
/* The emulated driver orders nodes, but keeps no dependencies. */
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                         struct cudaGraphEdgeData *edges, size_t *count) {
  NEED_START();
  return runtime_result(cudaErrorNotSupported);
}
#endif

cudaError_t cudaDeviceGraphMemTrim(int device) {
  NEED_START();
  return runtime_result(call.cuDeviceGraphMemTrim(device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value) {
  NEED_START();
  return runtime_result(
      call.cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attribute, value));
}
