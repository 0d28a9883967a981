/* runtime_pool.c - stream-ordered memory and its pools. */
#include "runtime.h"

cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemAllocAsync((CUdeviceptr *)address, bytes, stream));
}

cudaError_t cudaMallocFromPoolAsync(void **address, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemAllocFromPoolAsync((CUdeviceptr *)address, bytes, pool, stream));
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(address ? call.cuMemFreeAsync((CUdeviceptr)address, stream) : CUDA_SUCCESS);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  NEED_START();
  return runtime_result(call.cuDeviceGetDefaultMemPool(pool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  NEED_START();
  return runtime_result(call.cuDeviceGetMemPool(pool, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  NEED_START();
  return runtime_result(call.cuDeviceSetMemPool(device, pool));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
  NEED_START();
  return runtime_result(call.cuMemPoolCreate(pool, (const CUmemPoolProps *)properties));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  NEED_START();
  return runtime_result(call.cuMemPoolDestroy(pool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep_bytes) {
  NEED_START();
  return runtime_result(call.cuMemPoolTrimTo(pool, keep_bytes));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
  NEED_START();
  return runtime_result(call.cuMemPoolSetAttribute(pool, (CUmemPool_attribute)attribute, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
  NEED_START();
  return runtime_result(call.cuMemPoolGetAttribute(pool, (CUmemPool_attribute)attribute, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access,
                                 size_t count) {
  NEED_START();
  return runtime_result(call.cuMemPoolSetAccess(pool, (const CUmemAccessDesc *)access, count));
}
