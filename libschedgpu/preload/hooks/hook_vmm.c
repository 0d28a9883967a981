/*
 * hook_vmm.c - hooks of virtual memory management. Memory is charged from cuMemCreate until nothing
 * refers to it (physical.h). Addresses cost nothing, nor does memory that other processes share
 * with this one.
 *
 * What a call ends is removed before the call, because another thread may get the same handle or
 * address at once, and restored if the driver refuses. What a call begins is held during the call,
 * because another thread may end everything else that keeps the memory.
 */
#include "../account/charge.h"
#include "../account/physical.h"
#include "../account/tiles.h"

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags) {
  SGP_BEGIN(cuMemCreate, handle, bytes, properties, flags);
  if (!properties || properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return real(handle, bytes, properties, flags);
  struct sgp_charge charge = sgp_charge_on(properties->location.id, bytes);
  if (charge.refused)
    return charge.error;
  CUresult result;
  do
    result = real(handle, bytes, properties, flags);
  while (sgp_charge_retry(&charge, result));
  if (charge.charged && result == CUDA_SUCCESS)
    sgp_physical_made(*handle, charge.device, charge.bytes);
  else if (charge.charged)
    sgp_release(charge.device, charge.bytes);
  return result;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  SGP_BEGIN(cuMemRelease, handle);
  struct sgp_physical *memory = sgp_physical_take_handle(handle);
  CUresult result = real(handle);
  if (memory && result == CUDA_SUCCESS)
    sgp_physical_release(memory);
  else if (memory)
    sgp_physical_put_handle(memory, handle);
  return result;
}

/* The driver may return another handle of the same memory, and a handle of memory that has none. */
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  SGP_BEGIN(cuMemRetainAllocationHandle, handle, address);
  struct sgp_physical *memory = sgp_physical_hold_at((uint64_t)(uintptr_t)address);
  CUresult result = real(handle, address);
  if (memory && result == CUDA_SUCCESS)
    sgp_physical_put_handle(memory, *handle);
  else if (memory)
    sgp_physical_release(memory);
  return result;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  SGP_BEGIN(cuMemMap, address, bytes, offset, handle, flags);
  struct sgp_physical *memory = sgp_physical_hold(handle);
  CUresult result = real(address, bytes, offset, handle, flags);
  if (memory && result == CUDA_SUCCESS)
    sgp_physical_put_mapping(memory, address, bytes);
  else if (memory)
    sgp_physical_release(memory);
  return result;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  SGP_BEGIN(cuMemUnmap, address, bytes);
  struct sgp_node *mappings = sgp_physical_take_mappings(address, bytes);
  CUresult result = real(address, bytes);
  sgp_physical_settle_mappings(mappings, result == CUDA_SUCCESS);
  return result;
}

/* Memory that a stream will unmap counts as unmapped when the call is queued, as with frees. */
static CUresult map_arrays(CUresult (*real)(CUarrayMapInfo *, unsigned, CUstream),
                           CUarrayMapInfo *list, unsigned count, CUstream stream) {
  struct sgp_place place = sgp_current_place();
  struct sgp_tile *tiles = sgp_tiles_prepare(list, count);
  CUresult result = real(list, count, stream);
  sgp_tiles_settle(tiles, result == CUDA_SUCCESS, place.context_id);
  return result;
}

CUresult cuMemMapArrayAsync(CUarrayMapInfo *list, unsigned count, CUstream stream) {
  SGP_BEGIN(cuMemMapArrayAsync, list, count, stream);
  return map_arrays(real, list, count, stream);
}

CUresult cuMemMapArrayAsync_ptsz(CUarrayMapInfo *list, unsigned count, CUstream stream) {
  SGP_BEGIN(cuMemMapArrayAsync_ptsz, list, count, stream);
  return map_arrays(real, list, count, stream);
}
