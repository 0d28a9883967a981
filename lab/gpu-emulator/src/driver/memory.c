/* memory.c - allocates device, managed and pinned memory. */
#include "memory.h"
#include "graph_memory.h"
#include "../shared/account.h"
#include "../shared/log.h"

#include <sys/mman.h>

enum { PITCH_GRANULE = 512 };

size_t memory_granules(size_t bytes) {
  return (bytes + CHARGE_GRANULE - 1) & ~(size_t)(CHARGE_GRANULE - 1);
}

CUresult memory_charge(unsigned device, uint64_t bytes) {
  state_lock(driver.state);
  int result = account_take(driver.state, device, (unsigned)driver.slot, bytes);
  state_unlock(driver.state);
  return result ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

void memory_uncharge(unsigned device, uint64_t bytes) {
  state_lock(driver.state);
  account_give(driver.state, device, (unsigned)driver.slot, bytes);
  state_unlock(driver.state);
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
  NEED_CONTEXT(context);
  NEED(free_bytes && total_bytes);
  state_lock(driver.state);
  state_reap(driver.state);
  *total_bytes = driver.state->memory_bytes;
  *free_bytes = *total_bytes - account_used(driver.state, context->device);
  state_unlock(driver.state);
  return CUDA_SUCCESS;
}

/* The first version has 32 bits. */
CUresult cuMemGetInfo(unsigned *free_bytes, unsigned *total_bytes) {
  NEED(free_bytes && total_bytes);
  size_t available, all;
  CUresult result = cuMemGetInfo_v2(&available, &all);
  if (result == CUDA_SUCCESS) {
    *free_bytes = available < UINT32_MAX ? (unsigned)available : UINT32_MAX;
    *total_bytes = all < UINT32_MAX ? (unsigned)all : UINT32_MAX;
  }
  return result;
}

/* Sizes beyond any device are refused, so rounding up cannot overflow. */
static int size_is_sane(size_t bytes) {
  return bytes && bytes <= (size_t)1 << 60;
}

CUresult memory_allocate(CUdeviceptr *address, size_t bytes, enum block_kind kind,
                         CUcontext context, block_mapper *map) {
  if (!size_is_sane(bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  size_t charged = memory_granules(bytes);
  driver_lock();
  CUresult result = memory_charge(context->device, charged);
  if (!result) {
    struct block *block = map(bytes, charged, kind, context);
    if (block)
      *address = (CUdeviceptr)block->address;
    else {
      memory_uncharge(context->device, charged);
      result = CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  driver_unlock();
  log_call("allocate %zu bytes on device %u -> %d", bytes, context->device, result);
  return result;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  NEED_CONTEXT(context);
  NEED(address && bytes);
  return memory_allocate(address, bytes, BLOCK_DEVICE, context, block_map);
}

size_t memory_pitch(size_t width_bytes) {
  size_t row = (width_bytes + PITCH_GRANULE - 1) & ~(size_t)(PITCH_GRANULE - 1);
  return row < width_bytes ? 0 : row;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height,
                            unsigned element_bytes) {
  NEED_CONTEXT(context);
  NEED(address && pitch && width_bytes && height);
  NEED(element_bytes == 4 || element_bytes == 8 || element_bytes == 16);
  size_t row = memory_pitch(width_bytes), bytes;
  if (!row || __builtin_mul_overflow(row, height, &bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  TRY(memory_allocate(address, bytes, BLOCK_DEVICE, context, block_map));
  *pitch = row;
  return CUDA_SUCCESS;
}

/* Managed memory counts as if all of it were on the device. */
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  NEED_CONTEXT(context);
  NEED(address && bytes);
  return memory_allocate(address, bytes, BLOCK_MANAGED, context, block_map);
}

/* Frees the block at this address, if it is of the given kind. */
static CUresult free_block(const void *address, enum block_kind kind, enum block_kind or_kind) {
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  driver_lock();
  struct block *block = block_find(address);
  if (block && block->address == address && block->graph_memory) {
    result = graph_memory_free(block->graph_memory);
  } else if (block && block->address == address &&
             (block->kind == kind || block->kind == or_kind)) {
    block_release(block);
    result = CUDA_SUCCESS;
  }
  driver_unlock();
  return result;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  NEED_DRIVER();
  if (!address)
    return CUDA_SUCCESS;
  log_call("cuMemFree %llx", address);
  return free_block((void *)address, BLOCK_DEVICE, BLOCK_MANAGED);
}

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
  NEED_CONTEXT(context);
  NEED(address && bytes);
  if (!size_is_sane(bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  driver_lock();
  struct block *block = block_map(bytes, 0, BLOCK_HOST, context);
  if (block) {
    block->flags = flags;
    *address = block->address;
  }
  driver_unlock();
  return block ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAllocHost_v2(void **address, size_t bytes) {
  return cuMemHostAlloc(address, bytes, 0);
}

CUresult cuMemFreeHost(void *address) {
  NEED_DRIVER();
  return free_block(address, BLOCK_HOST, BLOCK_HOST);
}

CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
  NEED_CONTEXT(context);
  NEED(address && bytes);
  struct block block = {.address = address,
                        .bytes = bytes,
                        .kind = BLOCK_REGISTERED,
                        .context = context,
                        .flags = flags};
  driver_lock();
  int taken = block_enter(&block);
  driver_unlock();
  return taken ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED : CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *address) {
  NEED_DRIVER();
  CUresult result = free_block(address, BLOCK_REGISTERED, BLOCK_REGISTERED);
  return result ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED : CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device_address, void *address, unsigned flags) {
  NEED_DRIVER();
  NEED(device_address && address);
  *device_address = (CUdeviceptr)address;
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned *flags, void *address) {
  NEED_DRIVER();
  NEED(flags);
  driver_lock();
  struct block *block = block_find(address);
  if (block)
    *flags = block->flags;
  driver_unlock();
  return block ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  NEED_DRIVER();
  driver_lock();
  struct block *block = block_find((void *)address);
  if (block && base)
    *base = (CUdeviceptr)block->address;
  if (block && bytes)
    *bytes = block->bytes;
  driver_unlock();
  return block ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
