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
