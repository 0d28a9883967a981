/*
 * null_driver.c - a libcuda.so.1 that does nothing, so that the benchmark shows the cost of the
 * library itself.
 */
#include "cuda_abi.h"
#include <stdatomic.h>
#include <string.h>

static struct CUctx_st { int unused; } context;
static _Atomic CUdeviceptr next_address = 512;

CUresult cuInit(unsigned flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  static const unsigned char bytes[15] = {0xe0, 0xe0, 0xe0, 0xe0, 0, 0, 0x40, 0, 0x80};
  memcpy(uuid->bytes, bytes, sizeof bytes);
  uuid->bytes[15] = (char)device;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *retained, CUdevice device) {
  *retained = &context;
  return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext current) {
  return current == &context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetCurrent(CUcontext *current) {
  *current = &context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  *address = atomic_fetch_add_explicit(&next_address, bytes, memory_order_relaxed);
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxPushCurrent_v2(CUcontext pushed) {
  return pushed == &context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPopCurrent_v2(CUcontext *popped) {
  *popped = &context;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  *module = (CUmodule)&context;
  return image ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  *function = (CUfunction)module;
  return name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **params, void **extra) {
  (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
  (void)shared_bytes, (void)stream, (void)params, (void)extra;
  return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
