/* hook_memory.c - hooks of memory that belongs to the current context. */
#include "../account/charge.h"
#include "../join/settings.h"
#include "../account/sizes.h"

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  SGP_BEGIN(cuMemAlloc_v2, address, bytes);
  SGP_ALLOCATE(SGP_ADDRESS, sgp_charge_here(bytes), real(address, bytes), *address);
}

/*
 * Managed memory, whose pages move between host and device: reserved in full, or not at all with
 * ManagedMemory=pass. Its context is admitted in any case.
 */
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  SGP_BEGIN(cuMemAllocManaged, address, bytes, flags);
  uint64_t reserved = sgp_setting_managed() == SGP_MANAGED_PASS ? 0 : bytes;
  SGP_ALLOCATE(SGP_ADDRESS, sgp_charge_here(reserved), real(address, bytes, flags), *address);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  SGP_BEGIN(cuMemFree_v2, address);
  SGP_FREE_ADDRESS(address, real(address));
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height,
                            unsigned element_bytes) {
  SGP_BEGIN(cuMemAllocPitch_v2, address, pitch, width_bytes, height, element_bytes);
  __typeof__(&cuMemFree_v2) free_again = sgp_real(SGP_cuMemFree_v2);
  SGP_ALLOCATE_MEASURED(SGP_ADDRESS, sgp_times(sgp_round_up(width_bytes, SGP_PITCH_BYTES), height),
                        real(address, pitch, width_bytes, height, element_bytes),
                        sgp_times(*pitch, height),
                        free_again ? free_again(*address) : CUDA_ERROR_STUB_LIBRARY, *address);
}
