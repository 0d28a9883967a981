/*
 * interposer.c - another LD_PRELOAD library, as profilers bring it: counts allocations and passes
 * them on. PLACE (before, after) distinguishes its copies. Variables of the environment make it act
 * as a driver with problems.
 */
#include "cuda_abi.h"
#include "nvml_abi.h"
#include <dlfcn.h>
#include <stdlib.h>

#define JOIN(a, b) a##b
#define COUNTER(place) JOIN(calls_, place)
int COUNTER(PLACE);

static long long setting(const char *name) {
  const char *text = getenv(name);
  return text ? atoll(text) : 0;
}

/* Out of memory for the first FLAKY_FAILURES calls. */
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  __typeof__(&cuMemAlloc_v2) next = (__typeof__(&cuMemAlloc_v2))dlsym(RTLD_NEXT, "cuMemAlloc_v2");
  if (COUNTER(PLACE)++ < setting("FLAKY_FAILURES"))
    return CUDA_ERROR_OUT_OF_MEMORY;
  return next ? next(address, bytes) : CUDA_ERROR_NOT_FOUND;
}

/* Refuses the first FREE_FAILURES frees. */
CUresult cuMemFree_v2(CUdeviceptr address) {
  static int calls;
  __typeof__(&cuMemFree_v2) next = (__typeof__(&cuMemFree_v2))dlsym(RTLD_NEXT, "cuMemFree_v2");
  return calls++ < setting("FREE_FAILURES") ? CUDA_ERROR_UNKNOWN : next(address);
}

/* Refuses to destroy a context the first DESTROY_FAILURES times. */
CUresult cuCtxDestroy_v2(CUcontext context) {
  static int calls;
  __typeof__(&cuCtxDestroy_v2) next =
      (__typeof__(&cuCtxDestroy_v2))dlsym(RTLD_NEXT, "cuCtxDestroy_v2");
  return calls++ < setting("DESTROY_FAILURES") ? CUDA_ERROR_UNKNOWN : next(context);
}

/* Rows WIDER_ROWS times as far apart as necessary, or not aligned at all: NARROW_ROWS=1. */
CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height,
                            unsigned element_bytes) {
  __typeof__(&cuMemAllocPitch_v2) next =
      (__typeof__(&cuMemAllocPitch_v2))dlsym(RTLD_NEXT, "cuMemAllocPitch_v2");
  size_t factor = setting("WIDER_ROWS") ? (size_t)setting("WIDER_ROWS") : 1;
  CUresult result = next(address, pitch, width_bytes * factor, height, element_bytes);
  if (setting("NARROW_ROWS"))
    *pitch = width_bytes;
  return result;
}

/* A driver that uses its own exported functions: MANAGED_BY_ALLOC=1. */
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  __typeof__(&cuMemAllocManaged) next =
      (__typeof__(&cuMemAllocManaged))dlsym(RTLD_NEXT, "cuMemAllocManaged");
  __typeof__(&cuMemAlloc_v2) own = (__typeof__(&cuMemAlloc_v2))dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
  return setting("MANAGED_BY_ALLOC") ? own(address, bytes) : next(address, bytes, flags);
}

/* NVML of a driver that keeps NVML_RESERVED bytes for itself; or that knows a newer struct, whose
 * total is then NVML_NEWER. */
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
  __typeof__(&nvmlDeviceGetMemoryInfo_v2) next =
      (__typeof__(&nvmlDeviceGetMemoryInfo_v2))dlsym(RTLD_NEXT, "nvmlDeviceGetMemoryInfo_v2");
  if (setting("NVML_NEWER") && memory->version != nvmlMemory_v2) {
    memory->total = (unsigned long long)setting("NVML_NEWER");
    return NVML_SUCCESS;
  }
  nvmlReturn_t result = next(device, memory);
  if (result == NVML_SUCCESS)
    memory->reserved = (unsigned long long)setting("NVML_RESERVED");
  return result;
}

/* Limits that are LARGER_LIMITS MiB larger than requested, until they are set back. */
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  __typeof__(&cuCtxSetLimit) next = (__typeof__(&cuCtxSetLimit))dlsym(RTLD_NEXT, "cuCtxSetLimit");
  size_t former = 0;
  __typeof__(&cuCtxGetLimit) get = (__typeof__(&cuCtxGetLimit))dlsym(RTLD_NEXT, "cuCtxGetLimit");
  if (get)
    get(&former, limit);
  return next(limit, value > former ? value + ((size_t)setting("LARGER_LIMITS") << 20) : value);
}

/* A driver that ends any context at a detach: DETACHES_ALL=1. */
CUresult cuCtxDetach(CUcontext context) {
  __typeof__(&cuCtxDetach) next = (__typeof__(&cuCtxDetach))dlsym(RTLD_NEXT, "cuCtxDetach");
  return setting("DETACHES_ALL") ? CUDA_SUCCESS : next(context);
}
