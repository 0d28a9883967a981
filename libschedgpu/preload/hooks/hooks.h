/*
 * hooks.h - the one table of entry points. A new hook is a line here and a function somewhere.
 *
 * X(exported name, base name, since, stream, parameters)
 *
 * `base name` and `since` (the CUDA version) are what cuGetProcAddress is asked with; `stream`
 * tells the variant for callers whose default stream is their thread's own (SGP_PER_THREAD).
 */
#ifndef SGP_HOOKS_H
#define SGP_HOOKS_H

#include "../../abi/driver_abi.h"
#include "../../abi/nvml_abi.h"
#include "../turns/launches.h"
#include <stdbool.h>

enum sgp_stream { SGP_LEGACY = 0, SGP_PER_THREAD = 1 };

// clang-format off
#define SGP_HOOKS(X)                                                                               \
  X(cuGetProcAddress, "cuGetProcAddress", 11030, SGP_LEGACY,                                       \
    (const char *symbol, void **function, int version, cuuint64_t flags))                          \
  X(cuGetProcAddress_v2, "cuGetProcAddress", 12000, SGP_LEGACY,                                    \
    (const char *symbol, void **function, int version, cuuint64_t flags,                           \
     CUdriverProcAddressQueryResult *status))                                                      \
  X(cuMemAlloc_v2, "cuMemAlloc", 3020, SGP_LEGACY, (CUdeviceptr *address, size_t bytes))           \
  X(cuMemAllocPitch_v2, "cuMemAllocPitch", 3020, SGP_LEGACY,                                       \
    (CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height,                       \
     unsigned element_bytes))                                                                      \
  X(cuMemAllocManaged, "cuMemAllocManaged", 6000, SGP_LEGACY,                                      \
    (CUdeviceptr *address, size_t bytes, unsigned flags))                                          \
  X(cuMemFree_v2, "cuMemFree", 3020, SGP_LEGACY, (CUdeviceptr address))                            \
  X(cuMemAllocAsync, "cuMemAllocAsync", 11020, SGP_LEGACY,                                         \
    (CUdeviceptr *address, size_t bytes, CUstream stream))                                         \
  X(cuMemAllocAsync_ptsz, "cuMemAllocAsync", 11020, SGP_PER_THREAD,                                \
    (CUdeviceptr *address, size_t bytes, CUstream stream))                                         \
  X(cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", 11020, SGP_LEGACY,                         \
    (CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream))                      \
  X(cuMemAllocFromPoolAsync_ptsz, "cuMemAllocFromPoolAsync", 11020, SGP_PER_THREAD,                \
    (CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream))                      \
  X(cuMemFreeAsync, "cuMemFreeAsync", 11020, SGP_LEGACY, (CUdeviceptr address, CUstream stream))   \
  X(cuMemFreeAsync_ptsz, "cuMemFreeAsync", 11020, SGP_PER_THREAD,                                  \
    (CUdeviceptr address, CUstream stream))                                                        \
  X(cuMemPoolCreate, "cuMemPoolCreate", 11020, SGP_LEGACY,                                         \
    (CUmemoryPool *pool, const CUmemPoolProps *properties))                                        \
  X(cuMemPoolDestroy, "cuMemPoolDestroy", 11020, SGP_LEGACY, (CUmemoryPool pool))                  \
  X(cuMemPoolTrimTo, "cuMemPoolTrimTo", 11020, SGP_LEGACY,                                         \
    (CUmemoryPool pool, size_t keep_bytes))                                                        \
  X(cuMemPoolSetAttribute, "cuMemPoolSetAttribute", 11020, SGP_LEGACY,                             \
    (CUmemoryPool pool, CUmemPool_attribute attribute, void *value))                               \
  X(cuMemGetDefaultMemPool, "cuMemGetDefaultMemPool", 13000, SGP_LEGACY,                           \
    (CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type))                       \
  X(cuMemGetMemPool, "cuMemGetMemPool", 13000, SGP_LEGACY,                                         \
    (CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type))                       \
  X(cuStreamSynchronize, "cuStreamSynchronize", 2000, SGP_LEGACY, (CUstream stream))               \
  X(cuStreamSynchronize_ptsz, "cuStreamSynchronize", 7000, SGP_PER_THREAD, (CUstream stream))      \
  X(cuEventSynchronize, "cuEventSynchronize", 2000, SGP_LEGACY, (CUevent event))                   \
  X(cuCtxSynchronize, "cuCtxSynchronize", 2000, SGP_LEGACY, (void))                                \
  X(cuCtxSynchronize_v2, "cuCtxSynchronize", 13000, SGP_LEGACY, (CUcontext context))               \
  X(cuGraphInstantiate, "cuGraphInstantiate", 10000, SGP_LEGACY,                                   \
    (CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t log_bytes))      \
  X(cuGraphInstantiate_v2, "cuGraphInstantiate", 11000, SGP_LEGACY,                                \
    (CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t log_bytes))      \
  X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", 11040, SGP_LEGACY,                 \
    (CUgraphExec *exec, CUgraph graph, unsigned long long flags))                                  \
  X(cuGraphInstantiateWithParams, "cuGraphInstantiateWithParams", 12000, SGP_LEGACY,               \
    (CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params))                     \
  X(cuGraphInstantiateWithParams_ptsz, "cuGraphInstantiateWithParams", 12000, SGP_PER_THREAD,      \
    (CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params))                     \
  X(cuGraphUpload, "cuGraphUpload", 11010, SGP_LEGACY, (CUgraphExec exec, CUstream stream))        \
  X(cuGraphUpload_ptsz, "cuGraphUpload", 11010, SGP_PER_THREAD,                                    \
    (CUgraphExec exec, CUstream stream))                                                           \
  X(cuGraphLaunch, "cuGraphLaunch", 10000, SGP_LEGACY, (CUgraphExec exec, CUstream stream))        \
  X(cuGraphLaunch_ptsz, "cuGraphLaunch", 10000, SGP_PER_THREAD,                                    \
    (CUgraphExec exec, CUstream stream))                                                           \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", 10000, SGP_LEGACY, (CUgraphExec exec))               \
  X(cuDeviceGraphMemTrim, "cuDeviceGraphMemTrim", 11040, SGP_LEGACY, (CUdevice device))            \
  X(cuMemCreate, "cuMemCreate", 10020, SGP_LEGACY,                                                 \
    (CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,    \
     unsigned long long flags))                                                                    \
  X(cuMemRelease, "cuMemRelease", 10020, SGP_LEGACY, (CUmemGenericAllocationHandle handle))        \
  X(cuMemRetainAllocationHandle, "cuMemRetainAllocationHandle", 11000, SGP_LEGACY,                 \
    (CUmemGenericAllocationHandle * handle, void *address))                                        \
  X(cuMemMap, "cuMemMap", 10020, SGP_LEGACY,                                                       \
    (CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,        \
     unsigned long long flags))                                                                    \
  X(cuMemUnmap, "cuMemUnmap", 10020, SGP_LEGACY, (CUdeviceptr address, size_t bytes))              \
  X(cuMemMapArrayAsync, "cuMemMapArrayAsync", 11010, SGP_LEGACY,                                   \
    (CUarrayMapInfo *list, unsigned count, CUstream stream))                                       \
  X(cuMemMapArrayAsync_ptsz, "cuMemMapArrayAsync", 11010, SGP_PER_THREAD,                          \
    (CUarrayMapInfo *list, unsigned count, CUstream stream))                                       \
  X(cuArrayCreate, "cuArrayCreate", 2000, SGP_LEGACY,                                              \
    (CUarray *array, const CUDA_ARRAY_DESCRIPTOR_v1 *descriptor))                                  \
  X(cuArrayCreate_v2, "cuArrayCreate", 3020, SGP_LEGACY,                                           \
    (CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor))                                     \
  X(cuArray3DCreate, "cuArray3DCreate", 2000, SGP_LEGACY,                                          \
    (CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor))                                \
  X(cuArray3DCreate_v2, "cuArray3DCreate", 3020, SGP_LEGACY,                                       \
    (CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor))                                   \
  X(cuArrayDestroy, "cuArrayDestroy", 2000, SGP_LEGACY, (CUarray array))                           \
  X(cuMipmappedArrayCreate, "cuMipmappedArrayCreate", 5000, SGP_LEGACY,                            \
    (CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels))         \
  X(cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy", 5000, SGP_LEGACY,                          \
    (CUmipmappedArray array))                                                                      \
  X(cuMemAlloc, "cuMemAlloc", 2000, SGP_LEGACY, (CUdeviceptr_v1 *address, unsigned bytes))         \
  X(cuMemAllocPitch, "cuMemAllocPitch", 2000, SGP_LEGACY,                                          \
    (CUdeviceptr_v1 *address, unsigned *pitch, unsigned width_bytes, unsigned height,              \
     unsigned element_bytes))                                                                      \
  X(cuMemFree, "cuMemFree", 2000, SGP_LEGACY, (CUdeviceptr_v1 address))                            \
  X(cuMemGetInfo, "cuMemGetInfo", 2000, SGP_LEGACY,                                                \
    (unsigned *free_bytes, unsigned *total_bytes))                                                 \
  X(cuMemGetInfo_v2, "cuMemGetInfo", 3020, SGP_LEGACY, (size_t *free_bytes, size_t *total_bytes))  \
  X(cuDeviceTotalMem, "cuDeviceTotalMem", 2000, SGP_LEGACY, (unsigned *bytes, CUdevice device))    \
  X(cuDeviceTotalMem_v2, "cuDeviceTotalMem", 3020, SGP_LEGACY, (size_t *bytes, CUdevice device))   \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000, SGP_LEGACY,                        \
    (CUcontext *context, CUdevice device))                                                         \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease", 7000, SGP_LEGACY, (CUdevice device))   \
  X(cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", 11000, SGP_LEGACY,                  \
    (CUdevice device))                                                                             \
  X(cuDevicePrimaryCtxReset, "cuDevicePrimaryCtxReset", 7000, SGP_LEGACY, (CUdevice device))       \
  X(cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000, SGP_LEGACY, (CUdevice device))   \
  X(cuCtxCreate, "cuCtxCreate", 2000, SGP_LEGACY,                                                  \
    (CUcontext *context, unsigned flags, CUdevice device))                                         \
  X(cuCtxCreate_v2, "cuCtxCreate", 3020, SGP_LEGACY,                                               \
    (CUcontext *context, unsigned flags, CUdevice device))                                         \
  X(cuCtxCreate_v3, "cuCtxCreate", 11040, SGP_LEGACY,                                              \
    (CUcontext *context, CUexecAffinityParam *params, int count, unsigned flags,                   \
     CUdevice device))                                                                             \
  X(cuCtxCreate_v4, "cuCtxCreate", 12050, SGP_LEGACY,                                              \
    (CUcontext *context, CUctxCreateParams *params, unsigned flags, CUdevice device))              \
  X(cuCtxDestroy, "cuCtxDestroy", 2000, SGP_LEGACY, (CUcontext context))                           \
  X(cuCtxDestroy_v2, "cuCtxDestroy", 4000, SGP_LEGACY, (CUcontext context))                        \
  X(cuCtxAttach, "cuCtxAttach", 2000, SGP_LEGACY, (CUcontext *context, unsigned flags))            \
  X(cuCtxDetach, "cuCtxDetach", 2000, SGP_LEGACY, (CUcontext context))                             \
  X(cuGreenCtxCreate, "cuGreenCtxCreate", 12040, SGP_LEGACY,                                       \
    (CUgreenCtx *green, CUdevResourceDesc resources, CUdevice device, unsigned flags))             \
  X(cuGreenCtxDestroy, "cuGreenCtxDestroy", 12040, SGP_LEGACY, (CUgreenCtx green))                 \
  X(cuCtxFromGreenCtx, "cuCtxFromGreenCtx", 12040, SGP_LEGACY,                                     \
    (CUcontext *context, CUgreenCtx green))                                                        \
  X(cuCtxSetLimit, "cuCtxSetLimit", 3010, SGP_LEGACY, (CUlimit limit, size_t value))

/* NVML's, which is asked for by exported name only: X(exported name, parameters) */
#define SGP_NVML_HOOKS(X)                                                                          \
  X(nvmlDeviceGetMemoryInfo, (nvmlDevice_t device, nvmlMemory_t *memory))                          \
  X(nvmlDeviceGetMemoryInfo_v2, (nvmlDevice_t device, nvmlMemory_v2_t *memory))
// clang-format on

#define SGP_DECLARE(name, base, since, stream, parameters)                                         \
  __attribute__((visibility("default"))) CUresult name parameters;
SGP_HOOKS(SGP_DECLARE)
#undef SGP_DECLARE
#define SGP_DECLARE(name, parameters)                                                              \
  __attribute__((visibility("default"))) nvmlReturn_t name parameters;
SGP_NVML_HOOKS(SGP_DECLARE)
#undef SGP_DECLARE

enum sgp_hook {
#define SGP_ENUMERATE(name, ...) SGP_##name,
  SGP_HOOKS(SGP_ENUMERATE) SGP_NVML_HOOKS(SGP_ENUMERATE)
  /* these only in a job with a share; they are not exported */
  SGP_TURN_HOOKS(SGP_ENUMERATE)
#undef SGP_ENUMERATE
      SGP_HOOK_COUNT,
  SGP_FIRST_LAUNCH = SGP_cuLaunchKernel
};

/** The library with the function behind a hook. */
enum sgp_library { SGP_DRIVER, SGP_NVML, SGP_LIBRARIES };

/** A line of the table, for the code that looks names up. */
struct sgp_hook_entry {
  const char *name;
  const char *base; /**< "" for NVML */
  void *hook;
  int since;
  enum sgp_stream stream;
  enum sgp_library library;
};
extern const struct sgp_hook_entry sgp_hooks[SGP_HOOK_COUNT];

/** True in a process of a job with a share: decided once. */
bool sgp_turns_are_asked(void);
/** The number of hooks in force: without a share, launches have none. */
static inline int sgp_hook_count(void) {
  return sgp_turns_are_asked() ? SGP_HOOK_COUNT : SGP_FIRST_LAUNCH;
}

/** Index of the hook exported as `name`, or -1. */
int sgp_hook_named(const char *name);

#endif
