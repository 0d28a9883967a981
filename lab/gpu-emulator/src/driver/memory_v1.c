/* memory_v1.c - allocation from before CUDA 3.2, with addresses and sizes of 32 bits. */
#include "memory.h"

CUresult cuMemAlloc(CUdeviceptr_v1 *address, unsigned bytes) {
  NEED_CONTEXT(context);
  NEED(address && bytes);
  CUdeviceptr at;
  TRY(memory_allocate(&at, bytes, BLOCK_DEVICE, context, block_map_low));
  *address = (CUdeviceptr_v1)at;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocPitch(CUdeviceptr_v1 *address, unsigned *pitch, unsigned width_bytes,
                         unsigned height, unsigned element_bytes) {
  NEED_CONTEXT(context);
  NEED(address && pitch && width_bytes && height);
  NEED(element_bytes == 4 || element_bytes == 8 || element_bytes == 16);
  CUdeviceptr at;
  size_t row = memory_pitch(width_bytes);
  TRY(memory_allocate(&at, row * height, BLOCK_DEVICE, context, block_map_low));
  *address = (CUdeviceptr_v1)at;
  *pitch = (unsigned)row;
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr_v1 address) {
  NEED_DRIVER();
  return cuMemFree_v2(address);
}
