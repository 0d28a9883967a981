/*
 * hook_info.c - hooks of queries of a device's memory, by which the runtime asks too. Programs that
 * take a share of the total, or all free memory, then take it from what their job has.
 */
#include "../account/charge.h"
#include "../join/devices.h"
#include "../account/view.h"

/* The view of a scheduled device. False: the driver's answer is passed on. */
static bool view(int device, struct sgp_view *view) {
  return device != SGP_NO_DEVICE && sgp_view_of(device, view);
}

/* The first versions have 32 bits. */
static unsigned clamp(uint64_t bytes) {
  return bytes < UINT32_MAX ? (unsigned)bytes : UINT32_MAX;
}

#define SGP_MEMORY_INFO(number)                                                                    \
  do {                                                                                             \
    struct sgp_view seen;                                                                          \
    CUresult result = real(free_bytes, total_bytes);                                               \
    if (result != CUDA_SUCCESS || sgp_mode() != SGP_MODE_ON ||                                     \
        !view(sgp_current_ordinal(), &seen))                                                       \
      return result;                                                                               \
    if (free_bytes)                                                                                \
      *free_bytes = number(seen.free_bytes);                                                       \
    if (total_bytes)                                                                               \
      *total_bytes = number(seen.total_bytes);                                                     \
    return result;                                                                                 \
  } while (0)

CUresult cuMemGetInfo(unsigned *free_bytes, unsigned *total_bytes) {
  SGP_BEGIN(cuMemGetInfo, free_bytes, total_bytes);
  SGP_MEMORY_INFO(clamp);
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
  SGP_BEGIN(cuMemGetInfo_v2, free_bytes, total_bytes);
  SGP_MEMORY_INFO((size_t));
}

#define SGP_TOTAL(number)                                                                          \
  do {                                                                                             \
    struct sgp_view seen;                                                                          \
    CUresult result = real(bytes, device);                                                         \
    if (result == CUDA_SUCCESS && sgp_mode() == SGP_MODE_ON && bytes &&                            \
        view(sgp_device_ordinal(device), &seen))                                                   \
      *bytes = number(seen.total_bytes);                                                           \
    return result;                                                                                 \
  } while (0)

CUresult cuDeviceTotalMem(unsigned *bytes, CUdevice device) {
  SGP_BEGIN(cuDeviceTotalMem, bytes, device);
  SGP_TOTAL(clamp);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  SGP_BEGIN(cuDeviceTotalMem_v2, bytes, device);
  SGP_TOTAL((size_t));
}
