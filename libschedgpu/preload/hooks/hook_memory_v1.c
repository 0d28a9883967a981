/*
 * hook_memory_v1.c - hooks of the functions from before CUDA 3.2, with addresses and sizes of 32
 * bits. Drivers still export them, and cuGetProcAddress returns them for versions below 3020. They
 * share addresses with the other functions, so each kind can free memory of the other.
 */
#include "../account/charge.h"
#include "../account/sizes.h"

CUresult cuMemAlloc(CUdeviceptr_v1 *address, unsigned bytes) {
  SGP_BEGIN(cuMemAlloc, address, bytes);
  SGP_ALLOCATE(SGP_ADDRESS, sgp_charge_here(bytes), real(address, bytes), *address);
}

CUresult cuMemFree(CUdeviceptr_v1 address) {
  SGP_BEGIN(cuMemFree, address);
  SGP_FREE_ADDRESS(address, real(address));
}

CUresult cuMemAllocPitch(CUdeviceptr_v1 *address, unsigned *pitch, unsigned width_bytes,
                         unsigned height, unsigned element_bytes) {
  SGP_BEGIN(cuMemAllocPitch, address, pitch, width_bytes, height, element_bytes);
  __typeof__(&cuMemFree) free_again = sgp_real(SGP_cuMemFree);
  SGP_ALLOCATE_MEASURED(SGP_ADDRESS, sgp_times(sgp_round_up(width_bytes, SGP_PITCH_BYTES), height),
                        real(address, pitch, width_bytes, height, element_bytes),
                        sgp_times(*pitch, height),
                        free_again ? free_again(*address) : CUDA_ERROR_STUB_LIBRARY, *address);
}
