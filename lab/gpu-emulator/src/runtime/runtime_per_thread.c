/* runtime_per_thread.c - the variants of nvcc's --default-stream per-thread. */
#include "runtime.h"

static cudaStream_t own(cudaStream_t stream) {
  return stream ? stream : cudaStreamPerThread;
}

cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, cudaStreamPerThread);
}

cudaError_t cudaMemset_ptds(void *to, int value, size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, cudaStreamPerThread);
}

cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                 cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, kind, own(stream));
}

cudaError_t cudaMemsetAsync_ptsz(void *to, int value, size_t bytes, cudaStream_t stream) {
  return cudaMemsetAsync(to, value, bytes, own(stream));
}

cudaError_t cudaMallocAsync_ptsz(void **address, size_t bytes, cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemAllocAsync_ptsz((CUdeviceptr *)address, bytes, stream));
}

cudaError_t cudaMallocFromPoolAsync_ptsz(void **address, size_t bytes, cudaMemPool_t pool,
                                         cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(
      call.cuMemAllocFromPoolAsync_ptsz((CUdeviceptr *)address, bytes, pool, stream));
}

cudaError_t cudaFreeAsync_ptsz(void *address, cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(address ? call.cuMemFreeAsync_ptsz((CUdeviceptr)(uintptr_t)address, stream)
                                : CUDA_SUCCESS);
}

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return cudaStreamSynchronize(own(stream));
}

cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  return cudaStreamQuery(own(stream));
}

cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(own(stream), event, flags);
}

cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecord(event, own(stream));
}

cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void *user_data) {
  return cudaLaunchHostFunc(own(stream), function, user_data);
}

cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **params,
                                  size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(function, grid, block, params, shared_bytes, own(stream));
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                     void **params) {
  return cudaLaunchKernel(function, config->gridDim, config->blockDim, params,
                          config->dynamicSmemBytes, own(config->stream));
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **params,
                                    size_t shared_bytes, cudaStream_t stream) {
  return __cudaLaunchKernel(kernel, grid, block, params, shared_bytes, own(stream));
}

cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  return cudaStreamBeginCapture(own(stream), mode);
}

cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t *graph) {
  return cudaStreamEndCapture(own(stream), graph);
}

cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  return cudaStreamIsCapturing(own(stream), status);
}

cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
  return cudaGraphUpload(exec, own(stream));
}

cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
  return cudaGraphLaunch(exec, own(stream));
}
