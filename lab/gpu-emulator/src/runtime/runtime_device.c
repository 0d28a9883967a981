/* runtime_device.c - devices, and the context in which a thread works. */
#include "runtime.h"

#include <pthread.h>
#include <string.h>

enum { MAX_DEVICES = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primary[MAX_DEVICES]; /* retained by the runtime; NULL before the first use */
static __thread int own_device;

static CUresult retain(int device, CUcontext *context) {
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&lock);
  if (!primary[device])
    result = call.cuDevicePrimaryCtxRetain(&primary[device], device);
  *context = primary[device];
  pthread_mutex_unlock(&lock);
  return result;
}

CUresult runtime_context(void) {
  CUcontext context, current;
  CUresult result = runtime_start();
  if (!result)
    result = retain(own_device, &context);
  if (!result)
    result = call.cuCtxGetCurrent(&current);
  if (!result && !current)
    result = call.cuCtxSetCurrent(context);
  return result;
}

static int known(int device) {
  return device >= 0 && (unsigned)device < runtime_device_count();
}

cudaError_t cudaGetDeviceCount(int *count) {
  if (!count)
    return runtime_result(cudaErrorInvalidValue);
  NEED_START();
  *count = (int)runtime_device_count();
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  NEED_START();
  *device = own_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  NEED_START();
  if (!known(device))
    return runtime_result(cudaErrorInvalidDevice);
  CUcontext context;
  CUresult result = retain(device, &context);
  if (!result)
    result = call.cuCtxSetCurrent(context);
  if (!result)
    own_device = device;
  return runtime_result(result);
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
  NEED_START();
  CUcontext context;
  return runtime_result(known(device) ? (int)retain(device, &context) : cudaErrorInvalidDevice);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  NEED_START();
  return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  NEED_START();
  *flags = 0;
  return cudaSuccess;
}

static int attribute(CUdevice_attribute which, int device) {
  int value = 0;
  call.cuDeviceGetAttribute(&value, which, device);
  return value;
}

#if CUDART_VERSION < 12000
_Static_assert(sizeof(struct cudaDeviceProp) == 728, "the layout of CUDA 11");
#elif CUDART_VERSION < 13000
_Static_assert(sizeof(struct cudaDeviceProp) == 1032, "the layout of CUDA 12");
#else
_Static_assert(sizeof(struct cudaDeviceProp) == 1008, "the layout of CUDA 13");
#endif

/* FIELD(field of cudaDeviceProp, the driver's attribute) */
#define FIELD(field, name)                                                                         \
  p->field = (__typeof__(p->field))attribute(CU_DEVICE_ATTRIBUTE_##name, device)

static void fill_limits(struct cudaDeviceProp *p, int device) {
  FIELD(sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK);
  FIELD(regsPerBlock, MAX_REGISTERS_PER_BLOCK);
  FIELD(warpSize, WARP_SIZE);
  FIELD(memPitch, MAX_PITCH);
  FIELD(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK);
  for (int i = 0; i < 3; i++) {
    p->maxThreadsDim[i] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + (unsigned)i, device);
    p->maxGridSize[i] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + (unsigned)i, device);
  }
  FIELD(totalConstMem, TOTAL_CONSTANT_MEMORY);
  FIELD(textureAlignment, TEXTURE_ALIGNMENT);
  FIELD(texturePitchAlignment, TEXTURE_PITCH_ALIGNMENT);
  FIELD(surfaceAlignment, SURFACE_ALIGNMENT);
  FIELD(multiProcessorCount, MULTIPROCESSOR_COUNT);
  FIELD(memoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH);
  FIELD(l2CacheSize, L2_CACHE_SIZE);
  FIELD(maxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR);
  FIELD(sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  FIELD(regsPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR);
  FIELD(sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  FIELD(maxBlocksPerMultiProcessor, MAX_BLOCKS_PER_MULTIPROCESSOR);
  FIELD(asyncEngineCount, ASYNC_ENGINE_COUNT);
#if CUDART_VERSION < 13000
  FIELD(clockRate, CLOCK_RATE);
  FIELD(memoryClockRate, MEMORY_CLOCK_RATE);
  p->deviceOverlap = p->asyncEngineCount > 0;
#endif
}

/* What the emulator has no answer for stays 0: textures and surfaces, and what it does not do. */
static void fill_abilities(struct cudaDeviceProp *p, int device) {
  FIELD(major, COMPUTE_CAPABILITY_MAJOR);
  FIELD(minor, COMPUTE_CAPABILITY_MINOR);
  FIELD(canMapHostMemory, CAN_MAP_HOST_MEMORY);
  FIELD(concurrentKernels, CONCURRENT_KERNELS);
  FIELD(pciBusID, PCI_BUS_ID);
  FIELD(pciDeviceID, PCI_DEVICE_ID);
  FIELD(pciDomainID, PCI_DOMAIN_ID);
  FIELD(unifiedAddressing, UNIFIED_ADDRESSING);
  FIELD(streamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED);
  FIELD(managedMemory, MANAGED_MEMORY);
  FIELD(concurrentManagedAccess, CONCURRENT_MANAGED_ACCESS);
  FIELD(computePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED);
  FIELD(cooperativeLaunch, COOPERATIVE_LAUNCH);
#if CUDART_VERSION >= 12000
  FIELD(memoryPoolsSupported, MEMORY_POOLS_SUPPORTED);
  p->hostRegisterSupported = 1;
#endif
}

static void fill(struct cudaDeviceProp *p, int device) {
  call.cuDeviceGetName(p->name, sizeof p->name, device);
  call.cuDeviceGetUuid((CUuuid *)&p->uuid, device);
  call.cuDeviceTotalMem(&p->totalGlobalMem, device);
  fill_limits(p, device);
  fill_abilities(p, device);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  NEED_START();
  if (!properties)
    return runtime_result(cudaErrorInvalidValue);
  if (!known(device))
    return runtime_result(cudaErrorInvalidDevice);
  memset(properties, 0, sizeof *properties);
  fill(properties, device);
  return cudaSuccess;
}

/* The numbers of the attributes are the driver's. */
cudaError_t cudaDeviceGetAttribute(int *value, int which, int device) {
  NEED_START();
  return runtime_result(call.cuDeviceGetAttribute(value, (CUdevice_attribute)which, device));
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
  NEED_START();
  return runtime_result(call.cuDeviceGetPCIBusId(text, length, device));
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  NEED_START();
  return runtime_result(call.cuDeviceCanAccessPeer(can, device, peer));
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  NEED_CONTEXT();
  if (!known(peer))
    return runtime_result(cudaErrorInvalidDevice);
  CUcontext context;
  CUresult result = retain(peer, &context);
  return runtime_result(result ? result : call.cuCtxEnablePeerAccess(context, flags));
}

/* It is here because it needs the contexts of both devices. */
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  NEED_CONTEXT();
  if (!known(to_device) || !known(from_device))
    return runtime_result(cudaErrorInvalidDevice);
  CUcontext to_context, from_context;
  CUresult result = retain(to_device, &to_context);
  if (!result)
    result = retain(from_device, &from_context);
  if (!result)
    result = call.cuMemcpyPeerAsync((CUdeviceptr)to, to_context, (CUdeviceptr)from, from_context,
                                    bytes, stream);
  return runtime_result(result);
}

/* There is nothing to profile. */
cudaError_t cudaProfilerStart(void) {
  NEED_START();
  return cudaSuccess;
}

cudaError_t cudaProfilerStop(void) {
  NEED_START();
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
  NEED_CONTEXT();
  return runtime_result(call.cuCtxSynchronize());
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  NEED_CONTEXT();
  return runtime_result(call.cuCtxGetStreamPriorityRange(least, greatest));
}

cudaError_t cudaDeviceReset(void) {
  NEED_START();
  pthread_mutex_lock(&lock);
  CUresult result = call.cuDevicePrimaryCtxReset(own_device);
  primary[own_device] = NULL;
  pthread_mutex_unlock(&lock);
  call.cuCtxSetCurrent(NULL);
  return runtime_result(result);
}

cudaError_t cudaDriverGetVersion(int *version) {
  runtime_start();
  *version = 0; /* the result without a driver */
  return call.cuDriverGetVersion ? runtime_result(call.cuDriverGetVersion(version)) : cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status) {
  NEED_START();
  CUdriverProcAddressQueryResult found;
  CUresult result = call.get_address(symbol, function, (int)version, flags, &found);
  if (status)
    *status = (enum cudaDriverEntryPointQueryResult)found;
  return runtime_result(result);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}
