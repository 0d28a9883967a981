/*
 * Somebody else's LD_PRELOAD library: counts allocations and passes them on, as profilers do. PLACE
 * (before, after) tells its copies apart.
 */
#include "cuda_abi.h"
#include <dlfcn.h>

#define JOIN(a, b) a##b
#define COUNTER(place) JOIN(calls_, place)
int COUNTER(PLACE);

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  __typeof__(&cuMemAlloc_v2) next = (__typeof__(&cuMemAlloc_v2))dlsym(RTLD_NEXT, "cuMemAlloc_v2");
  COUNTER(PLACE)++;
  return next ? next(address, bytes) : CUDA_ERROR_NOT_FOUND;
}
