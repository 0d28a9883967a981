/*
 * cuda_abi.h - the part of the CUDA driver ABI that the emulator implements, in our own
 * declarations, so that a build needs no CUDA toolkit. Names, values and layouts are those of the
 * public ABI; the test `abi_check` compares them with NVIDIA's cuda.h if there is one.
 *
 * All functions are thread-safe and return a CUresult.
 */
#ifndef CUDA_ABI_H
#define CUDA_ABI_H

#include "../../../libschedgpu/abi/driver_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Start, versions, symbols, errors. */
CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags);
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status);
CUresult cuGetExportTable(const void **table, const CUuuid *id);
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);

/* Devices. */
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetLuid(char *luid, unsigned *node_mask, CUdevice device);
CUresult cuDeviceTotalMem(unsigned *bytes, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice a,
                                 CUdevice b);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice a, CUdevice b);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);

/* Contexts. */
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags);
CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *params, int count, unsigned flags,
                        CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags,
                        CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxAttach(CUcontext *context, unsigned flags);
CUresult cuCtxDetach(CUcontext context);

/* The part of a device that a green context gets: here always all processors. */
#define CU_DEV_RESOURCE_TYPE_SM 1
typedef struct {
  unsigned type;
  unsigned char internal_padding[92];
  unsigned sm_count, min_sm_partition_size, sm_coscheduled_alignment;
  unsigned char oversize[36];
} CUdevResource;
CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, unsigned type);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *description, CUdevResource *resources,
                                   unsigned count);
CUresult cuGreenCtxCreate(CUgreenCtx *green, CUdevResourceDesc resources, CUdevice device,
                          unsigned flags);
CUresult cuGreenCtxDestroy(CUgreenCtx green);
CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx green);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult cuCtxGetFlags(unsigned *flags);
CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version);
CUresult cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetCacheConfig(CUfunc_cache *config);
CUresult cuCtxSetCacheConfig(CUfunc_cache config);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxEnablePeerAccess(CUcontext context, unsigned flags);
CUresult cuCtxDisablePeerAccess(CUcontext context);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSynchronize_v2(CUcontext context);

/* Memory. */
CUresult cuMemGetInfo(unsigned *free_bytes, unsigned *total_bytes);
CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes);
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height,
                            unsigned element_bytes);
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemAllocHost_v2(void **address, size_t bytes);
CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags);
CUresult cuMemFreeHost(void *address);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device_address, void *address, unsigned flags);
CUresult cuMemHostGetFlags(unsigned *flags, void *address);
CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *address);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address);
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address);
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                                CUdeviceptr address);
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                               CUdeviceptr address);

/* The functions of CUDA before 3.2, for addresses and sizes of 32 bits. */
CUresult cuMemAlloc(CUdeviceptr_v1 *address, unsigned bytes);
CUresult cuMemAllocPitch(CUdeviceptr_v1 *address, unsigned *pitch, unsigned width_bytes,
                         unsigned height, unsigned element_bytes);
CUresult cuMemFree(CUdeviceptr_v1 address);
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR_v1 *descriptor);
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1 *descriptor, CUarray array);
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor);
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor, CUarray array);

/* Arrays. */
CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array);
CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array,
                                      CUdevice device);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned levels);
CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned level);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array);
CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements,
                                               CUmipmappedArray array, CUdevice device);

/* Stream-ordered memory and pools. */
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);
CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                CUmemAllocationType type);
CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type);
CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool);
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties);
CUresult cuMemPoolDestroy(CUmemoryPool pool);
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep_bytes);
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count);

/* Virtual memory management. */
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address);
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags);
CUresult cuMemMapArrayAsync(CUarrayMapInfo *list, unsigned count, CUstream stream);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
                        size_t count);
CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                CUmemGenericAllocationHandle handle);
CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                        CUmemAllocationHandleType type);

/* Fills; copies and fills of rectangles are in cuda_copy_abi.h. */
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream);

/* Streams and events. */
CUresult cuStreamCreate(CUstream *stream, unsigned flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
CUresult cuStreamDestroy_v2(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user_data,
                             unsigned flags);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user_data);
CUresult cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void *user_data, unsigned mode);
CUresult cuEventCreate(CUevent *event, unsigned flags);
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventQuery(CUevent event);
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end);

/* Code. */
CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                              const char *name);
typedef struct CUlinkState_st *CUlinkState;
typedef enum { CU_JIT_INPUT_CUBIN = 0, CU_JIT_INPUT_PTX = 1 } CUjitInputType;
CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state);
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                          const char *name, unsigned count, CUjit_option *options, void **values);
CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values);
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState state);
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit_options,
                           void **jit_values, unsigned jit_count, CUlibraryOption *options,
                           void **values, unsigned count);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                            const char *name);
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                             const char *name);
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult cuKernelGetName(const char **name, CUkernel kernel);
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device);
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device);
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device);
CUresult cuFuncGetName(const char **name, CUfunction function);
CUresult cuFuncGetModule(CUmodule *module, CUfunction function);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **params, void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, CUstream stream,
                                   void **params);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int block_size, size_t shared_bytes);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int block_size, size_t shared_bytes,
                                                              unsigned flags);

/* The same calls for callers with one default stream per thread. */
CUresult cuMemAllocAsync_ptsz(CUdeviceptr *address, size_t bytes, CUstream stream);
CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                      CUstream stream);
CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream);
CUresult cuMemMapArrayAsync_ptsz(CUarrayMapInfo *list, unsigned count, CUstream stream);
CUresult cuMemsetD8_v2_ptds(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD16_v2_ptds(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD32_v2_ptds(CUdeviceptr to, unsigned value, size_t count);
CUresult cuMemsetD8Async_ptsz(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD16Async_ptsz(CUdeviceptr to, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD32Async_ptsz(CUdeviceptr to, unsigned value, size_t count, CUstream stream);
CUresult cuStreamSynchronize_ptsz(CUstream stream);
CUresult cuStreamQuery_ptsz(CUstream stream);
CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags);
CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void *user_data,
                                  unsigned flags);
CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void *user_data);
CUresult cuLaunchHostFunc_v2_ptsz(CUstream stream, CUhostFn function, void *user_data,
                                  unsigned mode);
CUresult cuEventRecord_ptsz(CUevent event, CUstream stream);
CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags);
CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z,
                             unsigned shared_bytes, CUstream stream, void **params, void **extra);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **params,
                               void **extra);
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y,
                                        unsigned block_z, unsigned shared_bytes, CUstream stream,
                                        void **params);

#pragma GCC visibility pop

#include "cuda_copy_abi.h"
#include "cuda_graph_abi.h"
#include "cuda_launch_abi.h"
#include "cuda_multicast_abi.h"

#ifdef __cplusplus
}
#endif
#endif
