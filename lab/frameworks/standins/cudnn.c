/* cudnn.c - handles and versions; its graph API is missing, so convolutions need another way. */
#include "standin.h"

enum { VERSION = 90000, CUDART_OF_CUDNN = 12040 };

size_t cudnnGetVersion(void);
size_t cudnnGetVersion(void) {
  return VERSION;
}

size_t cudnnGetCudartVersion(void);
size_t cudnnGetCudartVersion(void) {
  return CUDART_OF_CUDNN;
}

HANDLE(cudnnCreate)
RELEASE(cudnnDestroy)
ERROR_TEXT(cudnnGetErrorString)
