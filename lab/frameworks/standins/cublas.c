/*
 * cublas.c - cuBLAS's handle takes device memory for its workspace: 32 MiB on compute capability
 * 9.0, as its documentation says. Programs that set a workspace of their own keep this one too.
 */
#include "standin.h"

enum { WORKSPACE_BYTES = 32 << 20, VERSION = 120405 };

struct handle {
  void *workspace;
};

int cublasCreate_v2(struct handle **handle);
int cublasCreate_v2(struct handle **handle) {
  *handle = calloc(1, sizeof **handle);
  if (!*handle)
    return NO_MEMORY;
  if (cudaMalloc(&(*handle)->workspace, WORKSPACE_BYTES) == cudaSuccess)
    return 0;
  (void)cudaGetLastError();
  free(*handle);
  *handle = NULL;
  return NO_MEMORY;
}

int cublasDestroy_v2(struct handle *handle);
int cublasDestroy_v2(struct handle *handle) {
  if (handle)
    cudaFree(handle->workspace);
  free(handle);
  return 0;
}

ANSWER(cublasGetMathMode, 0)
ANSWER(cublasGetPointerMode_v2, 0)
ANSWER(cublasGetVersion_v2, VERSION)
ERROR_TEXT(cublasGetStatusString)
