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

static void fill(struct cudaDeviceProp *p, int device) {
  call.cuDeviceGetName(p->name, sizeof p->name, device);
  call.cuDeviceGetUuid((CUuuid *)&p->uuid, device);
  call.cuDeviceTotalMem(&p->totalGlobalMem, device);
  p->sharedMemPerBlock = (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device);
  p->regsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, device);
  p->warpSize = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  p->memPitch = (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH, device);
  p->maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device);
  for (int i = 0; i < 3; i++) {
    p->maxThreadsDim[i] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + (unsigned)i, device);
    p->maxGridSize[i] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + (unsigned)i, device);
  }
  p->totalConstMem = (size_t)attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, device);
  p->major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  p->minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  p->textureAlignment = (size_t)attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, device);
  p->texturePitchAlignment = (size_t)attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, device);
  p->multiProcessorCount = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
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
