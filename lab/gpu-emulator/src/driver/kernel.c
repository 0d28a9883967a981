/* kernel.c - queries about a kernel. */
#include "code.h"

enum { THREADS_PER_MULTIPROCESSOR = 2048, LARGEST_BLOCK = 1024 };

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  NEED_DRIVER();
  NEED(function);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  *function = (CUfunction)kernel;
  return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  NEED_DRIVER();
  NEED(library);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  *library = kernel->library;
  return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  NEED_DRIVER();
  NEED(name);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  *name = kernel->name;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction function) {
  return cuKernelGetName(name, kernel_of(function));
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  return cuKernelGetLibrary((CUlibrary *)module, kernel_of(function));
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  NEED_DRIVER();
  NEED(value);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = LARGEST_BLOCK;
    break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32;
    break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = 90;
    break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = 49152;
    break;
  default:
    *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device) {
  return cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device) {
  return driver_ready();
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  return driver_ready();
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return driver_ready();
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return driver_ready();
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int block_size, size_t shared_bytes) {
  NEED_DRIVER();
  NEED(blocks && block_size > 0);
  *blocks = block_size > LARGEST_BLOCK ? 0 : THREADS_PER_MULTIPROCESSOR / block_size;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int block_size, size_t shared_bytes,
                                                              unsigned flags) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes);
}
