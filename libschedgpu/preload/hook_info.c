/*
 * hook_info.c - what a program is told of the device: its job's budget is its device. Programs that
 * take a share of the total, or all that is free, then take it of the budget.
 */
#include "charge.h"
#include "devices.h"

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
  SGP_BEGIN(cuMemGetInfo_v2, free_bytes, total_bytes);
  CUresult result = real(free_bytes, total_bytes);
  if (result != CUDA_SUCCESS || sgp_mode() != SGP_MODE_ON)
    return result;
  int device = sgp_current_ordinal();
  uint64_t total, available;
  if (device == SGP_NO_DEVICE || !sgp_budget(device, &total, &available))
    return result;
  if (free_bytes)
    *free_bytes = available;
  if (total_bytes)
    *total_bytes = total;
  return result;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  SGP_BEGIN(cuDeviceTotalMem_v2, bytes, device);
  CUresult result = real(bytes, device);
  if (result != CUDA_SUCCESS || sgp_mode() != SGP_MODE_ON)
    return result;
  int ordinal = sgp_device_ordinal(device);
  uint64_t total, available;
  if (bytes && ordinal != SGP_NO_DEVICE && sgp_budget(ordinal, &total, &available))
    *bytes = total;
  return result;
}
