/* runtime_stream.c - streams and events: calls the driver. */
#include "runtime.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamCreateWithPriority(stream, flags, priority));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamDestroy(stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamSynchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamQuery(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamWaitEvent(stream, event, flags));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  NEED_CONTEXT();
  return runtime_result(call.cuStreamGetPriority(stream, priority));
}

/* The numbers of the errors are the driver's. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *user_data, unsigned flags) {
  NEED_CONTEXT();
  return runtime_result(
      call.cuStreamAddCallback(stream, (CUstreamCallback)callback, user_data, flags));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data) {
  NEED_CONTEXT();
  return runtime_result(call.cuLaunchHostFunc(stream, function, user_data));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  NEED_CONTEXT();
  return runtime_result(call.cuEventCreate(event, flags));
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  NEED_CONTEXT();
  return runtime_result(call.cuEventDestroy(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuEventRecord(event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  NEED_CONTEXT();
  return runtime_result(call.cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  NEED_CONTEXT();
  return runtime_result(call.cuEventSynchronize(event));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  NEED_CONTEXT();
  return runtime_result(call.cuEventQuery(event));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  NEED_CONTEXT();
  return runtime_result(call.cuEventElapsedTime(milliseconds, start, end));
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
  NEED_START();
  return runtime_result(cudaErrorNotSupported);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
  NEED_START();
  return runtime_result(cudaErrorNotSupported);
}
