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
