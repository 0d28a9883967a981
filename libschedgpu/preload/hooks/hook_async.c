/*
 * hook_async.c - hooks of stream-ordered memory. It belongs to a pool, not to a context, and so
 * outlives contexts. While a stream is captured nothing is allocated: the calls become nodes of a
 * graph (graphs.h).
 */
#include "capture.h"
#include "../join/devices.h"
#include "../account/pools.h"

/* The device whose pool cuMemAllocAsync uses: that of the stream. */
static bool stream_device(CUstream stream, CUdevice *device) {
  sgp_cuCtxGetDevice current = SGP_CALL(cuCtxGetDevice);
  sgp_cuStreamGetDevice of_stream =
      sgp_is_default_stream(stream) ? NULL : SGP_CALL(cuStreamGetDevice);
  if (of_stream && of_stream(stream, device) == CUDA_SUCCESS)
    return true;
  return current && current(device) == CUDA_SUCCESS;
}

/*
 * The ordinal of a pool that no hook saw: the default pool of a device, or the current pool of one.
 */
static int device_of_unhooked(CUmemoryPool pool, int current) {
  sgp_cuDeviceGetCount get_count = SGP_CALL(cuDeviceGetCount);
  sgp_cuDeviceGetDefaultMemPool get_default = SGP_CALL(cuDeviceGetDefaultMemPool);
  CUmemoryPool standard;
  int count = 0;
  if (!get_count || !get_default || get_count(&count) != CUDA_SUCCESS)
    return current;
  for (CUdevice device = 0; device < count; device++)
    if (get_default(&standard, device) == CUDA_SUCCESS && standard == pool)
      return sgp_device_ordinal(device);
  return current;
}

static struct sgp_pool_call refuse(CUresult error) {
  return (struct sgp_pool_call){.charge = {.refused = true, .error = error}};
}

/* Allocates. `pool` is NULL for the current pool of the stream's device. */
static struct sgp_pool_call begin(CUmemoryPool pool, uint64_t bytes, CUstream stream) {
  const struct sgp_pool_call nothing = {.charge = sgp_charge_nothing(false)};
  sgp_cuDeviceGetMemPool get_pool = SGP_CALL(cuDeviceGetMemPool);
  CUdevice device = -1;
  int ordinal;
  if (sgp_mode() == SGP_MODE_REFUSE)
    return refuse(CUDA_ERROR_NOT_PERMITTED);
  struct sgp_place place = sgp_current_place();
  if (place.refused)
    return refuse(place.error);
  if (bytes == 0 || sgp_is_capturing(stream))
    return nothing;
  if (!pool && (!stream_device(stream, &device) || !get_pool ||
                get_pool(&pool, device) != CUDA_SUCCESS || !pool))
    return nothing;
  if (!sgp_pool_device(pool, &ordinal))
    ordinal = device >= 0 ? sgp_device_ordinal(device) : device_of_unhooked(pool, place.ordinal);
  return sgp_pool_begin(pool, ordinal, bytes);
}

/* Frees an allocation for which the driver took too much. False: it cannot be undone. */
static bool undo(CUdeviceptr address, CUstream stream) {
  __typeof__(&cuMemFreeAsync) free_async = sgp_real(SGP_cuMemFreeAsync);
  __typeof__(&cuStreamSynchronize) synchronize = sgp_real(SGP_cuStreamSynchronize);
  if (!free_async || !synchronize || free_async(address, stream) != CUDA_SUCCESS)
    return false;
  CUstreamCaptureMode mode = sgp_allow_in_capture();
  synchronize(stream);
  sgp_restore_in_capture(mode);
  return true;
}

/* `named` is the stream that `stream` stands for in this variant of the call. */
#define SGP_ALLOCATE_POOLED(pool, named, call)                                                     \
  do {                                                                                             \
    struct sgp_pool_call pooled = begin((pool), bytes, (named));                                   \
    for (;;) {                                                                                     \
      if (pooled.charge.refused)                                                                   \
        return pooled.charge.error;                                                                \
      CUresult result;                                                                             \
      do                                                                                           \
        result = (call);                                                                           \
      while (sgp_charge_retry(&pooled.charge, result));                                            \
      if (sgp_pool_end(&pooled, result, result == CUDA_SUCCESS ? *address : 0))                    \
        return result;                                                                             \
      if (!undo(*address, (named)))                                                                \
        return result;                                                                             \
      sgp_pool_again(&pooled);                                                                     \
    }                                                                                              \
  } while (0)

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  SGP_BEGIN(cuMemAllocAsync, address, bytes, stream);
  SGP_ALLOCATE_POOLED(NULL, stream, real(address, bytes, stream));
}

CUresult cuMemAllocAsync_ptsz(CUdeviceptr *address, size_t bytes, CUstream stream) {
  SGP_BEGIN(cuMemAllocAsync_ptsz, address, bytes, stream);
  SGP_ALLOCATE_POOLED(NULL, sgp_own_stream(stream), real(address, bytes, stream));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  SGP_BEGIN(cuMemAllocFromPoolAsync, address, bytes, pool, stream);
  SGP_ALLOCATE_POOLED(pool, stream, real(address, bytes, pool, stream));
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                      CUstream stream) {
  SGP_BEGIN(cuMemAllocFromPoolAsync_ptsz, address, bytes, pool, stream);
  SGP_ALLOCATE_POOLED(pool, sgp_own_stream(stream), real(address, bytes, pool, stream));
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  SGP_BEGIN(cuMemFreeAsync, address, stream);
  if (sgp_is_capturing(stream))
    return real(address, stream);
  SGP_FREE_ADDRESS(address, real(address, stream));
}

CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
  SGP_BEGIN(cuMemFreeAsync_ptsz, address, stream);
  if (sgp_is_capturing(sgp_own_stream(stream)))
    return real(address, stream);
  SGP_FREE_ADDRESS(address, real(address, stream));
}
