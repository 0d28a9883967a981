/*
 * hook_memory.c - memory that belongs to the current context.
 */
#include "charge.h"

/* Rows are multiples of this apart, as a first guess; also the unit of the account. */
#define PITCH_BYTES UINT64_C(512)

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  SGP_BEGIN(cuMemAlloc_v2, address, bytes);
  SGP_ALLOCATE(SGP_ADDRESS, sgp_charge_here(bytes), real(address, bytes), *address);
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  SGP_BEGIN(cuMemAllocManaged, address, bytes, flags);
  SGP_ALLOCATE(SGP_ADDRESS, sgp_charge_here(bytes), real(address, bytes, flags), *address);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  SGP_BEGIN(cuMemFree_v2, address);
  SGP_FREE_ADDRESS(address, real(address));
}

static uint64_t area(uint64_t pitch, uint64_t height) {
  uint64_t bytes;
  return __builtin_mul_overflow(pitch, height, &bytes) ? UINT64_MAX : bytes;
}

static uint64_t least_pitch(uint64_t width) {
  return width > UINT64_MAX - PITCH_BYTES ? width
                                          : (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
}

/* What was reserved too much goes back, in whole units of the account. */
static void correct_down(struct sgp_charge *charge, uint64_t bytes) {
  if (!charge->charged || bytes >= charge->bytes)
    return;
  uint64_t spare = (charge->bytes - bytes) / PITCH_BYTES * PITCH_BYTES;
  if (spare == 0)
    return;
  sgp_release(charge->device, spare);
  charge->bytes -= spare;
}

/* The pitch is known only when the memory is there. If it is larger than what was reserved, all
   goes back and the true size is asked for: so a process never holds memory while it waits for
   more. */
CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height,
                            unsigned element_bytes) {
  SGP_BEGIN(cuMemAllocPitch_v2, address, pitch, width_bytes, height, element_bytes);
  __typeof__(&cuMemFree_v2) free_again = sgp_real(SGP_cuMemFree_v2);
  uint64_t bytes = area(least_pitch(width_bytes), height);
  for (;;) {
    struct sgp_charge charge = sgp_charge_here(bytes);
    if (charge.refused)
      return charge.error;
    CUresult result;
    do
      result = real(address, pitch, width_bytes, height, element_bytes);
    while (sgp_charge_retry(&charge, result));
    uint64_t needed = result == CUDA_SUCCESS ? area(*pitch, height) : 0;
    if (charge.charged && needed > bytes && free_again && free_again(*address) == CUDA_SUCCESS) {
      sgp_release(charge.device, charge.bytes);
      bytes = needed;
      continue;
    }
    if (result == CUDA_SUCCESS)
      correct_down(&charge, needed);
    sgp_charge_settle(&charge, result, SGP_ADDRESS, result == CUDA_SUCCESS ? *address : 0);
    return result;
  }
}
