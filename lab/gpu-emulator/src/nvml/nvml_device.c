/* nvml_device.c - NVML's queries about a device. */
#include "nvml.h"
#include "emulated_gpu.h"
#include "../shared/account.h"
#include "../shared/compute.h"
#include "../shared/identity.h"

#include <stdio.h>
#include <string.h>

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *text, unsigned length) {
  NEED_DEVICE(physical, device);
  char name[64];
  identity_name(physical, name, sizeof name);
  return nvml_text(name, text, length);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *text, unsigned length) {
  NEED_DEVICE(physical, device);
  char uuid[UUID_TEXT_BYTES];
  identity_uuid_text(physical, uuid);
  return nvml_text(uuid, text, length);
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor_number) {
  NEED_DEVICE(physical, device);
  NEED(minor_number);
  *minor_number = physical;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *info) {
  NEED_DEVICE(physical, device);
  NEED(info);
  memset(info, 0, sizeof *info);
  info->bus = identity_pci_bus(physical);
  snprintf(info->busIdLegacy, sizeof info->busIdLegacy, "0000:%02X:00.0", info->bus & 0xff);
  snprintf(info->busId, sizeof info->busId, "00000000:%02X:00.0", info->bus & 0xff);
  return NVML_SUCCESS;
}

static uint64_t used_bytes_of(unsigned device) {
  struct shared_state *state = nvml_state();
  state_lock(state);
  state_reap(state);
  uint64_t used = account_used(state, device);
  state_unlock(state);
  return used;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  NEED_DEVICE(physical, device);
  NEED(memory);
  memory->total = nvml_state()->memory_bytes;
  memory->used = used_bytes_of(physical);
  memory->free = memory->total - memory->used;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
  NEED_DEVICE(physical, device);
  NEED(memory);
  if (memory->version != nvmlMemory_v2)
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  memory->total = nvml_state()->memory_bytes;
  memory->reserved = 0;
  memory->used = used_bytes_of(physical);
  memory->free = memory->total - memory->used;
  return NVML_SUCCESS;
}

nvmlReturn_t emulatedGpuMemoryUsed(nvmlDevice_t device, uint64_t *used_bytes) {
  NEED_DEVICE(physical, device);
  NEED(used_bytes);
  *used_bytes = used_bytes_of(physical);
  return NVML_SUCCESS;
}

nvmlReturn_t emulatedGpuBusyNs(nvmlDevice_t device, uint64_t *busy_ns) {
  NEED_DEVICE(physical, device);
  NEED(busy_ns);
  struct shared_state *state = nvml_state();
  state_lock(state);
  compute_advance(state, physical, state_now_ns());
  *busy_ns = compute_busy_ns(state, physical);
  state_unlock(state);
  return NVML_SUCCESS;
}

/* The sample period is 200 ms, within the 1/6 to 1 s of real devices. Memory traffic is not
 * emulated, so its rate is always 0. */
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *rates) {
  NEED_DEVICE(physical, device);
  NEED(rates);
  struct shared_state *state = nvml_state();
  state_lock(state);
  compute_advance(state, physical, state_now_ns());
  rates->gpu = compute_utilization(state, physical);
  state_unlock(state);
  rates->memory = 0;
  return NVML_SUCCESS;
}

/* Emulated devices have no NVLink. */
nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned link,
                                                 nvmlIntNvLinkDeviceType_t *type) {
  NEED_DEVICE(physical, device);
  NEED(type);
  (void)physical;
  return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned link,
                                                 nvmlPciInfo_t *pci) {
  NEED_DEVICE(physical, device);
  NEED(pci);
  (void)physical;
  return NVML_ERROR_NOT_SUPPORTED;
}
