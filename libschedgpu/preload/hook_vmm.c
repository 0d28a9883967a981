/*
 * hook_vmm.c - physical memory of virtual memory management, in its simple form: charged from
 * cuMemCreate to cuMemRelease.
 */
#include "charge.h"

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags) {
  SGP_BEGIN(cuMemCreate, handle, bytes, properties, flags);
  if (!properties || properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return real(handle, bytes, properties, flags);
  SGP_ALLOCATE(SGP_HANDLE, sgp_charge_on(properties->location.id, bytes),
               real(handle, bytes, properties, flags), *handle);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  SGP_BEGIN(cuMemRelease, handle);
  SGP_FREE(SGP_HANDLE, handle, real(handle));
}
