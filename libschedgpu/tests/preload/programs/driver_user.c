/*
 * driver_user.c - the part of a program that uses the driver and is linked with it: inside the
 * executable, or in a library that the program loads in its own way.
 */
#include "cuda_abi.h"

int user_begin(void);
int user_alloc(size_t bytes);
int user_free(void);

static CUcontext context;
static CUdeviceptr address;

int user_begin(void) {
  CUresult result = cuInit(0);
  if (result == CUDA_SUCCESS)
    result = cuDevicePrimaryCtxRetain(&context, 0);
  return (int)(result ? result : cuCtxSetCurrent(context));
}

int user_alloc(size_t bytes) {
  return (int)cuMemAlloc_v2(&address, bytes);
}

int user_free(void) {
  return (int)cuMemFree_v2(address);
}
