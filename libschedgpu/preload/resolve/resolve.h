/*
 * resolve.h - finds the functions behind the hooks: the real dlsym, the driver, other interposers.
 * Opens and loads nothing: a driver that the program did not load does not exist.
 */
#ifndef SGP_RESOLVE_H
#define SGP_RESOLVE_H

#include "../hooks/hooks.h"
#include <stdatomic.h>
#include <stdbool.h>

/** glibc's dlsym; NULL if there is none, which is reported once. Thread-safe. */
typedef void *(*sgp_dlsym_function)(void *handle, const char *name);
sgp_dlsym_function sgp_libc_dlsym(void);

/** The dlsym that a program would have without us: another interposer's, else glibc's. Or NULL. */
sgp_dlsym_function sgp_next_dlsym(void);

/**
 * The function that a hook calls: the next interposer's of this name, else its library's. Or NULL.
 */
void *sgp_real(enum sgp_hook hook);
/** The same if it was called before; else NULL. */
extern _Atomic(void *) sgp_reals[SGP_HOOK_COUNT];
static inline void *sgp_known_real(enum sgp_hook hook) {
  return atomic_load_explicit(&sgp_reals[hook], memory_order_acquire);
}

/** Sets the function that a hook calls if none is exported under its name. */
void sgp_real_is(enum sgp_hook hook, void *address);

/**
 * The function that the driver itself (for names of NVML: NVML) exports. NULL: none, or the driver
 * is not loaded.
 */
void *sgp_driver_symbol(const char *name);

/** The same for the function behind `hook`. Cheap, because every look-up asks for all. */
void *sgp_exported(enum sgp_hook hook);

/** True if `address` is in a driver library (libcuda.so*, libnvidia-ml.so*). */
bool sgp_is_driver_code(const void *address);

/** True if a look-up in the global scope would find `name` without this library. */
bool sgp_exists_without_us(const char *name);

/** Driver functions that are called but not hooked. */
#define SGP_CALLS(X)                                                                               \
  X(cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor))              \
  X(cuArrayDestroy, (CUarray array))                                                               \
  X(cuArrayGetMemoryRequirements,                                                                  \
    (CUDA_ARRAY_MEMORY_REQUIREMENTS * requirements, CUarray array, CUdevice device))               \
  X(cuMipmappedArrayCreate,                                                                        \
    (CUmipmappedArray * array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels))        \
  X(cuMipmappedArrayDestroy, (CUmipmappedArray array))                                             \
  X(cuMipmappedArrayGetMemoryRequirements,                                                         \
    (CUDA_ARRAY_MEMORY_REQUIREMENTS * requirements, CUmipmappedArray array, CUdevice device))      \
  X(cuPointerGetAttribute, (void *value, CUpointer_attribute attribute, CUdeviceptr address))      \
  X(cuCtxPushCurrent_v2, (CUcontext context))                                                      \
  X(cuCtxPopCurrent_v2, (CUcontext * context))                                                     \
  X(cuCtxGetCurrent, (CUcontext * context))                                                        \
  X(cuCtxGetLimit, (size_t * value, CUlimit limit))                                                \
  X(cuCtxGetDevice, (CUdevice * device))                                                           \
  X(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device))                                             \
  X(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                          \
  X(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active))                   \
  X(cuDeviceGetCount, (int *count))                                                                \
  X(cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device))                                    \
  X(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device))                             \
  X(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value))        \
  X(cuStreamGetCtx, (CUstream stream, CUcontext * context))                                        \
  X(cuStreamGetDevice, (CUstream stream, CUdevice * device))                                       \
  X(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))                        \
  X(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode))                               \
  X(cuGraphGetNodes, (CUgraph graph, CUgraphNode * nodes, size_t * count))                         \
  X(cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType * type))                                \
  X(cuGraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph * child))                            \
  X(cuGraphMemAllocNodeGetParams, (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS * params))         \
  X(cuGraphMemFreeNodeGetParams, (CUgraphNode node, CUdeviceptr * address))                        \
  X(cuDeviceGetGraphMemAttribute, (CUdevice device, CUgraphMem_attribute attribute, void *value))  \
  X(cuMemAddressReserve, (CUdeviceptr * address, size_t bytes, size_t alignment,                   \
                          CUdeviceptr wanted, unsigned long long flags))                           \
  X(cuMemAddressFree, (CUdeviceptr address, size_t bytes))                                         \
  X(cuMemSetAccess,                                                                                \
    (CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count))              \
  X(cuMemExportToShareableHandle, (void *shareable, CUmemGenericAllocationHandle handle,           \
                                   CUmemAllocationHandleType type, unsigned long long flags))      \
  X(cuMemImportFromShareableHandle,                                                                \
    (CUmemGenericAllocationHandle * handle, void *shareable, CUmemAllocationHandleType type))      \
  X(cuMemsetD8_v2, (CUdeviceptr address, unsigned char value, size_t bytes))

enum sgp_call {
#define SGP_ENUMERATE(name, parameters) SGP_CALL_##name,
  SGP_CALLS(SGP_ENUMERATE)
#undef SGP_ENUMERATE
      SGP_CALL_COUNT
};
#define SGP_DECLARE(name, parameters) typedef CUresult(*sgp_##name) parameters;
SGP_CALLS(SGP_DECLARE)
#undef SGP_DECLARE

void *sgp_call_address(enum sgp_call call);
/** The driver's `name`, with its type, or NULL. */
#define SGP_CALL(name) ((sgp_##name)sgp_call_address(SGP_CALL_##name))

#endif
