/*
 * hook_async.c - stream-ordered memory. It belongs to a pool, not to the context: it outlives the
 * context's end. Its reservation ends when the free is queued.
 */
#include "charge.h"

/* In the current context's device, owned by no context. */
static struct sgp_charge charge_pool(uint64_t bytes) {
  struct sgp_charge charge = sgp_charge_here(bytes);
  charge.context = 0;
  return charge;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  SGP_BEGIN(cuMemAllocAsync, address, bytes, stream);
  SGP_ALLOCATE(SGP_ADDRESS, charge_pool(bytes), real(address, bytes, stream), *address);
}

CUresult cuMemAllocAsync_ptsz(CUdeviceptr *address, size_t bytes, CUstream stream) {
  SGP_BEGIN(cuMemAllocAsync_ptsz, address, bytes, stream);
  SGP_ALLOCATE(SGP_ADDRESS, charge_pool(bytes), real(address, bytes, stream), *address);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  SGP_BEGIN(cuMemAllocFromPoolAsync, address, bytes, pool, stream);
  SGP_ALLOCATE(SGP_ADDRESS, charge_pool(bytes), real(address, bytes, pool, stream), *address);
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                      CUstream stream) {
  SGP_BEGIN(cuMemAllocFromPoolAsync_ptsz, address, bytes, pool, stream);
  SGP_ALLOCATE(SGP_ADDRESS, charge_pool(bytes), real(address, bytes, pool, stream), *address);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  SGP_BEGIN(cuMemFreeAsync, address, stream);
  SGP_FREE(SGP_ADDRESS, address, real(address, stream));
}

CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
  SGP_BEGIN(cuMemFreeAsync_ptsz, address, stream);
  SGP_FREE(SGP_ADDRESS, address, real(address, stream));
}
