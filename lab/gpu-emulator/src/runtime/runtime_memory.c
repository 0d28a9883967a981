/* runtime_memory.c - memory: each call ensures a context and calls the driver. */
#include "runtime.h"

#include <string.h>

enum { PITCH_ELEMENT_BYTES = 4 };

static CUdeviceptr at(const void *address) {
  return (CUdeviceptr)address;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemGetInfo(free_bytes, total_bytes));
}

cudaError_t cudaMalloc(void **address, size_t bytes) {
  NEED_CONTEXT();
  if (!address)
    return runtime_result(cudaErrorInvalidValue);
  if (!bytes) {
    *address = NULL;
    return cudaSuccess;
  }
  return runtime_result(call.cuMemAlloc((CUdeviceptr *)address, bytes));
}

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width_bytes, size_t height) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemAllocPitch((CUdeviceptr *)address, pitch, width_bytes, height,
                                             PITCH_ELEMENT_BYTES));
}

cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned flags) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemAllocManaged((CUdeviceptr *)address, bytes, flags));
}

cudaError_t cudaFree(void *address) {
  NEED_CONTEXT();
  return runtime_result(address ? call.cuMemFree(at(address)) : CUDA_SUCCESS);
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemHostAlloc(address, bytes, flags));
}

cudaError_t cudaMallocHost(void **address, size_t bytes) {
  return cudaHostAlloc(address, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *address) {
  NEED_CONTEXT();
  return runtime_result(address ? call.cuMemFreeHost(address) : CUDA_SUCCESS);
}

cudaError_t cudaHostRegister(void *address, size_t bytes, unsigned flags) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemHostRegister(address, bytes, flags));
}

cudaError_t cudaHostUnregister(void *address) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemHostUnregister(address));
}

cudaError_t cudaHostGetDevicePointer(void **device_address, void *address, unsigned flags) {
  NEED_CONTEXT();
  return runtime_result(
      call.cuMemHostGetDevicePointer((CUdeviceptr *)device_address, address, flags));
}

static enum cudaMemoryType type_of(unsigned driver_type, unsigned managed) {
  if (managed)
    return cudaMemoryTypeManaged;
  if (driver_type == CU_MEMORYTYPE_DEVICE)
    return cudaMemoryTypeDevice;
  return driver_type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *address) {
  NEED_CONTEXT();
  if (!attributes)
    return runtime_result(cudaErrorInvalidValue);
  memset(attributes, 0, sizeof *attributes);
  unsigned type = 0, managed = 0;
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                  CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void *values[] = {&type, &managed, &attributes->device, &attributes->devicePointer,
                    &attributes->hostPointer};
  CUresult result = call.cuPointerGetAttributes(5, wanted, values, at(address));
  attributes->type = type_of(type, managed);
  return runtime_result(result);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemcpy(at(to), at(from), bytes));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemcpyAsync(at(to), at(from), bytes, stream));
}

static CUDA_MEMCPY2D rectangle(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                               size_t width_bytes, size_t height) {
  return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = at(from),
                         .srcPitch = from_pitch,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = at(to),
                         .dstPitch = to_pitch,
                         .WidthInBytes = width_bytes,
                         .Height = height};
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width_bytes, size_t height, enum cudaMemcpyKind kind) {
  NEED_CONTEXT();
  CUDA_MEMCPY2D copy = rectangle(to, to_pitch, from, from_pitch, width_bytes, height);
  return runtime_result(call.cuMemcpy2DUnaligned(&copy));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width_bytes, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
  NEED_CONTEXT();
  CUDA_MEMCPY2D copy = rectangle(to, to_pitch, from, from_pitch, width_bytes, height);
  return runtime_result(call.cuMemcpy2DAsync(&copy, stream));
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemsetD8(at(to), (unsigned char)value, bytes));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  NEED_CONTEXT();
  return runtime_result(call.cuMemsetD8Async(at(to), (unsigned char)value, bytes, stream));
}

/* Finds a part of a variable in the embedded code. */
static CUresult part_of(const void *symbol, size_t offset, size_t bytes, CUdeviceptr *start) {
  size_t size;
  CUresult result = runtime_variable(symbol, start, &size);
  if (!result && (offset > size || bytes > size - offset))
    result = CUDA_ERROR_INVALID_VALUE;
  *start += offset;
  return result;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
  NEED_CONTEXT();
  CUdeviceptr start = 0;
  CUresult result = part_of(symbol, offset, bytes, &start);
  return runtime_result(result ? result : call.cuMemcpy(start, at(from), bytes));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) {
  NEED_CONTEXT();
  CUdeviceptr start = 0;
  CUresult result = part_of(symbol, offset, bytes, &start);
  return runtime_result(result ? result : call.cuMemcpy(at(to), start, bytes));
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
  NEED_CONTEXT();
  size_t bytes;
  return runtime_result(runtime_variable(symbol, (CUdeviceptr *)address, &bytes));
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  NEED_CONTEXT();
  CUdeviceptr address;
  return runtime_result(runtime_variable(symbol, &address, bytes));
}

/* Processes share emulated memory through descriptors alone. */
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *address) {
  NEED_START();
  return runtime_result(cudaErrorNotSupported);
}

cudaError_t cudaIpcOpenMemHandle(void **address, cudaIpcMemHandle_t handle, unsigned flags) {
  NEED_START();
  return runtime_result(cudaErrorNotSupported);
}

cudaError_t cudaIpcCloseMemHandle(void *address) {
  NEED_START();
  return runtime_result(cudaErrorNotSupported);
}
