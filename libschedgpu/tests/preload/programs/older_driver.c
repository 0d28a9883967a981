/*
 * older_driver.c - a libcuda.so.1 of CUDA 11 with a single cuCtxCreate, which it returns for newer
 * versions too.
 */
#include "cuda_abi.h"
#include <string.h>

CUresult cuInit(unsigned flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return address && bytes ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  return context && !flags && !device ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  (void)version, (void)flags, (void)status;
  *function = strcmp(symbol, "cuInit") == 0        ? (void *)cuInit
              : strcmp(symbol, "cuMemAlloc") == 0  ? (void *)cuMemAlloc_v2
              : strcmp(symbol, "cuCtxCreate") == 0 ? (void *)cuCtxCreate_v2
                                                   : NULL;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
