#include "pool.h"
#include "memory.h"

#include <stdlib.h>

struct CUmemPoolHandle_st {
  unsigned device;
  int is_default;
  int destroyed;      /* freed with its last block */
  uint64_t threshold; /* memory that the pool keeps */
  uint64_t max_bytes; /* 0: no limit */
  uint64_t reserved;  /* charged to the device */
  uint64_t used;      /* of that, in blocks */
  uint64_t reserved_high, used_high;
  uint64_t reuse[3]; /* settings without effect here */
};

static struct CUmemPoolHandle_st default_pool[MAX_DEVICES]; /* by physical index */
static CUmemoryPool current_pool[MAX_DEVICES];

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

static CUresult take(CUmemoryPool pool, size_t bytes) {
  if (pool->max_bytes && pool->used + bytes > pool->max_bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  uint64_t kept = pool->reserved - pool->used;
  if (bytes > kept) {
    TRY(memory_charge(pool->device, bytes - kept));
    pool->reserved += bytes - kept;
  }
  pool->used += bytes;
  raise_to(&pool->reserved_high, pool->reserved);
  raise_to(&pool->used_high, pool->used);
  return CUDA_SUCCESS;
}

static void shrink(CUmemoryPool pool, uint64_t keep) {
  if (keep < pool->used)
    keep = pool->used;
  if (keep >= pool->reserved)
    return;
  memory_uncharge(pool->device, pool->reserved - keep);
  pool->reserved = keep;
}

/* A real pool shrinks to its threshold at the next synchronization, this one at once. */
void pool_give(CUmemoryPool pool, size_t bytes) {
  pool->used -= bytes;
  shrink(pool, pool->destroyed ? 0 : pool->threshold);
  if (pool->destroyed && !pool->used)
    free(pool);
}

static CUresult allocate(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream handle,
                         CUcontext context) {
  CUstream stream = stream_resolve(handle, context);
  if (!stream)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (!pool)
    pool = current_of(stream->context->device);
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

/* Waits for the stream instead of freeing later: the result is the same. */
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  TRY(cuStreamSynchronize(stream));
  NEED(address);
  return cuMemFree_v2(address);
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
  NEED(pool && pool->device == physical);
  current_pool[physical] = pool;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  NEED(pool && properties && properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  NEED_DEVICE(physical, properties->location.id);
  CUmemoryPool made = calloc(1, sizeof *made);
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made->device = physical;
  made->max_bytes = properties->maxSize;
  *pool = made;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  NEED_DRIVER();
  NEED(pool && !pool->is_default);
  driver_lock();
  if (current_pool[pool->device] == pool)
    current_pool[pool->device] = NULL;
  pool->destroyed = 1;
  shrink(pool, 0);
  if (!pool->used)
    free(pool);
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

/* Settings can be written; of the readings only the high marks, and only with 0. */
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  NEED_DRIVER();
  NEED(pool && value);
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] =
        (uint64_t) * (int *)value;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    pool->threshold = *(cuuint64_t *)value;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    NEED(*(cuuint64_t *)value == 0);
    pool->reserved_high = pool->reserved;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    NEED(*(cuuint64_t *)value == 0);
    pool->used_high = pool->used;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  NEED_DRIVER();
  NEED(pool && value);
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    *(int *)value = (int)pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    *(cuuint64_t *)value = pool->threshold;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    *(cuuint64_t *)value = pool->reserved;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    *(cuuint64_t *)value = pool->reserved_high;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    *(cuuint64_t *)value = pool->used;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    *(cuuint64_t *)value = pool->used_high;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
  NEED_DRIVER();
  NEED(pool && access);
  return CUDA_SUCCESS;
}
