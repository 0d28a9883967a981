/*
 * hook_nvml.c - hooks of NVML's queries of memory, which answer as the driver's hooks do. A query
 * attaches the process to its job, and reserves nothing.
 */
#include "../account/charge.h"
#include "schedgpu/schedgpu.h"
#include "../account/view.h"

#define UUID_TEXT_BYTES 96 /* NVML's own size for it */

/*
 * The view of a device of the job. Other devices are passed on without a message, as no memory is
 * requested.
 */
static bool view_of_handle(nvmlDevice_t device, struct sgp_view *view) {
  typedef nvmlReturn_t (*uuid_function)(nvmlDevice_t device, char *text, unsigned length);
  char uuid[UUID_TEXT_BYTES];
  uuid_function get_uuid = (uuid_function)sgp_driver_symbol("nvmlDeviceGetUUID");
  if (sgp_mode() != SGP_MODE_ON || !get_uuid || get_uuid(device, uuid, sizeof uuid) != NVML_SUCCESS)
    return false;
  int ordinal = schedgpu_device_of_uuid(uuid);
  return ordinal >= 0 && sgp_view_of(ordinal, view);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  SGP_BEGIN_OR(NVML_ERROR_FUNCTION_NOT_FOUND, nvmlDeviceGetMemoryInfo, device, memory);
  struct sgp_view view;
  nvmlReturn_t result = real(device, memory);
  if (result == NVML_SUCCESS && view_of_handle(device, &view))
    *memory = (nvmlMemory_t){.total = view.total_bytes,
                             .free = view.free_bytes,
                             .used = view.total_bytes - view.free_bytes};
  return result;
}

/*
 * Memory that the driver keeps for itself is not available to a job, so it is reported as 0. A
 * struct of an unknown version is not changed.
 */
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
  SGP_BEGIN_OR(NVML_ERROR_FUNCTION_NOT_FOUND, nvmlDeviceGetMemoryInfo_v2, device, memory);
  struct sgp_view view;
  nvmlReturn_t result = real(device, memory);
  if (result == NVML_SUCCESS && memory->version == nvmlMemory_v2 && view_of_handle(device, &view))
    *memory = (nvmlMemory_v2_t){.version = memory->version,
                                .total = view.total_bytes,
                                .free = view.free_bytes,
                                .used = view.total_bytes - view.free_bytes};
  return result;
}
