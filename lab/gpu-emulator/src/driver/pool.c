/*
 * pool.c - memory pools for stream-ordered memory. A pool takes memory from the device in large
 * pieces.
 */
#include "pool.h"
#include "capture.h"
#include "memory.h"
#include "../shared/config.h"

#include <stdlib.h>

static struct CUmemPoolHandle_st default_pool[MAX_DEVICES]; /* by physical index */
static CUmemoryPool current_pool[MAX_DEVICES];
static CUmemoryPool made_pools; /* created by cuMemPoolCreate */

static CUmemoryPool default_of(unsigned device) {
  default_pool[device].device = device;
  default_pool[device].is_default = 1;
  return &default_pool[device];
}

static CUmemoryPool current_of(unsigned device) {
  return current_pool[device] ? current_pool[device] : default_of(device);
}

static void raise_to(uint64_t *high, uint64_t value) {
  if (*high < value)
    *high = value;
}

/* Grows the pool by whole chunks, or by the missing bytes if the device has no whole chunk left. */
static CUresult grow(CUmemoryPool pool, uint64_t missed) {
  if (pool->on_host)
    return CUDA_SUCCESS;
  uint64_t chunk = config_pool_chunk_bytes(), grown = (missed + chunk - 1) / chunk * chunk;
  if (memory_charge(pool->device, grown)) {
    grown = missed;
    TRY(memory_charge(pool->device, grown));
  }
  pool->reserved += grown;
  return CUDA_SUCCESS;
}

static CUresult take(CUmemoryPool pool, size_t bytes) {
  if (pool->max_bytes && pool->used + bytes > pool->max_bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (!pool->on_host && pool->used + bytes > pool->reserved)
    TRY(grow(pool, pool->used + bytes - pool->reserved));
  pool->used += bytes;
  raise_to(&pool->reserved_high, pool->reserved);
  raise_to(&pool->used_high, pool->used);
  return CUDA_SUCCESS;
}

static void shrink(CUmemoryPool pool, uint64_t keep) {
  if (keep < pool->used)
    keep = pool->used;
  if (keep >= pool->reserved) /* before rounding, which overflows for a threshold of UINT64_MAX */
    return;
  uint64_t chunk = config_pool_chunk_bytes();
  keep = (keep + chunk - 1) / chunk * chunk;
  if (keep >= pool->reserved)
    return;
  memory_uncharge(pool->device, pool->reserved - keep);
  pool->reserved = keep;
}

static void forget(CUmemoryPool pool) {
  CUmemoryPool *at = &made_pools;
  while (*at != pool)
    at = &(*at)->next;
  *at = pool->next;
  free(pool);
}

void pool_give(CUmemoryPool pool, size_t bytes) {
  pool->used -= bytes;
  if (!pool->destroyed || pool->used)
    return;
  shrink(pool, 0);
  forget(pool);
}

void pools_synchronized(void) {
  for (unsigned i = 0; i < MAX_DEVICES; i++)
    shrink(&default_pool[i], default_pool[i].threshold);
  for (CUmemoryPool pool = made_pools; pool; pool = pool->next)
    shrink(pool, pool->destroyed ? 0 : pool->threshold);
}

static CUresult allocate(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream handle,
                         CUcontext context) {
  CUstream stream = stream_resolve(handle, context);
  if (!stream)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (!pool)
    pool = current_of(stream->context->device);
  if (stream->at.capture)
    return capture_allocation(stream, address, bytes, pool);
  size_t charged = memory_granules(bytes);
  TRY(take(pool, charged));
  struct block *block = block_map(bytes, charged, BLOCK_DEVICE, stream->context);
  if (!block) {
    pool_give(pool, charged);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  block->pool = pool;
  *address = (CUdeviceptr)block->address;
  return CUDA_SUCCESS;
}

static CUresult allocate_checked(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  NEED_CONTEXT(context);
  NEED(address && bytes);
  if (bytes > (size_t)1 << 60)
    return CUDA_ERROR_OUT_OF_MEMORY;
  driver_lock();
  CUresult result = allocate(address, bytes, pool, stream, context);
  driver_unlock();
  return result;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  return allocate_checked(address, bytes, NULL, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  NEED(pool);
  return allocate_checked(address, bytes, pool, stream);
}

/* Waits for the stream instead of freeing later. This is not a synchronization, so pools do not
 * shrink. */
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  NEED_CONTEXT(context);
  NEED(address);
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  int captured = stream && stream->at.capture;
  CUresult result = !stream    ? CUDA_ERROR_OUT_OF_MEMORY
                    : captured ? capture_free(stream, address)
                               : CUDA_SUCCESS;
  if (!captured && !result)
    stream_wait(stream);
  driver_unlock();
  return captured || result ? result : cuMemFree_v2(address);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  NEED_DEVICE(physical, device);
  NEED(pool);
  *pool = default_of(physical);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  NEED_DEVICE(physical, device);
  NEED(pool);
  *pool = current_of(physical);
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  NEED_DEVICE(physical, device);
  NEED(pool && pool->device == physical && !pool->on_host && !pool->is_managed);
  current_pool[physical] = pool;
  return CUDA_SUCCESS;
}

/* CUDA 13 uses the same functions for more locations. Pools of the host or of managed memory are
 * never current here. */
#define NEED_DEVICE_LOCATION()                                                                     \
  NEED(location && location->type == CU_MEM_LOCATION_TYPE_DEVICE);                                 \
  if (type != CU_MEM_ALLOCATION_TYPE_PINNED)                                                       \
  return CUDA_ERROR_NOT_SUPPORTED

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                CUmemAllocationType type) {
  NEED_DEVICE_LOCATION();
  return cuDeviceGetDefaultMemPool(pool, location->id);
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  NEED_DEVICE_LOCATION();
  return cuDeviceGetMemPool(pool, location->id);
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
  NEED_DEVICE_LOCATION();
  return cuDeviceSetMemPool(location->id, pool);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  NEED(pool && properties);
  int on_host = properties->location.type == CU_MEM_LOCATION_TYPE_HOST;
  NEED(on_host || properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  NEED_DEVICE(physical, on_host ? 0 : properties->location.id);
  CUmemoryPool made = calloc(1, sizeof *made);
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made->device = physical;
  made->on_host = on_host;
  made->is_managed = properties->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
  made->max_bytes = properties->maxSize;
  driver_lock();
  made->next = made_pools;
  made_pools = made;
  driver_unlock();
  *pool = made;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  NEED_DRIVER();
  NEED(pool && !pool->is_default && !pool->destroyed);
  driver_lock();
  if (current_pool[pool->device] == pool)
    current_pool[pool->device] = NULL;
  pool->destroyed = 1;
  shrink(pool, 0);
  if (!pool->used)
    forget(pool);
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep_bytes) {
  NEED_DRIVER();
  NEED(pool);
  driver_lock();
  shrink(pool, keep_bytes);
  driver_unlock();
  return CUDA_SUCCESS;
}
