/*
 * hook_pool.c - hooks of pools themselves. Imported pools and pointers are memory of another
 * process, which is charged there.
 */
#include "../join/devices.h"
#include "../account/pools.h"

/* Managed pools count as device memory, like managed memory. Pools of the host do not. */
static int device_of_location(const CUmemLocation *location) {
  return location->type == CU_MEM_LOCATION_TYPE_DEVICE ? sgp_device_ordinal(location->id)
                                                       : SGP_NO_DEVICE;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  SGP_BEGIN(cuMemPoolCreate, pool, properties);
  CUresult result = real(pool, properties);
  bool unplaced = properties && properties->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED &&
                  properties->location.type == CU_MEM_LOCATION_TYPE_NONE;
  if (result == CUDA_SUCCESS && sgp_mode() == SGP_MODE_ON && !unplaced)
    sgp_pool_note(*pool, device_of_location(&properties->location));
  return result;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  SGP_BEGIN(cuMemPoolDestroy, pool);
  sgp_pool_leaving(pool);
  CUresult result = real(pool);
  sgp_pool_left(pool, result);
  return result;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep_bytes) {
  SGP_BEGIN(cuMemPoolTrimTo, pool, keep_bytes);
  CUresult result = real(pool, keep_bytes);
  sgp_pools_settle(SGP_ALL_DEVICES);
  return result;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  SGP_BEGIN(cuMemPoolSetAttribute, pool, attribute, value);
  CUresult result = real(pool, attribute, value);
  if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    sgp_pools_settle(SGP_ALL_DEVICES);
  return result;
}

/* A pool of a location, which only this function of CUDA 13 gives. */
#define SGP_NOTE_POOL()                                                                            \
  do {                                                                                             \
    CUresult result = real(pool, location, type);                                                  \
    if (result == CUDA_SUCCESS && sgp_mode() == SGP_MODE_ON && location && pool && *pool &&        \
        location->type != CU_MEM_LOCATION_TYPE_NONE)                                               \
      sgp_pool_note(*pool, device_of_location(location));                                          \
    return result;                                                                                 \
  } while (0)

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                CUmemAllocationType type) {
  SGP_BEGIN(cuMemGetDefaultMemPool, pool, location, type);
  SGP_NOTE_POOL();
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  SGP_BEGIN(cuMemGetMemPool, pool, location, type);
  SGP_NOTE_POOL();
}
