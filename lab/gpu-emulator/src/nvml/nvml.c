/* nvml.c - the start of NVML, versions, and the list of devices. */
#include "nvml.h"
#include "../shared/identity.h"
#include "../shared/visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static struct shared_state *state;
static struct visible permitted; /* NVML ignores CUDA_VISIBLE_DEVICES */

nvmlReturn_t nvmlInitWithFlags(unsigned flags) {
  pthread_mutex_lock(&lock);
  struct shared_state *opened = state_open();
  if (opened) {
    visible_permitted(getenv("EMULATED_GPU_DEV_DIR"), opened->device_count, visible_probe,
                      &permitted);
    __atomic_store_n(&state, opened, __ATOMIC_RELEASE);
    users++;
  }
  pthread_mutex_unlock(&lock);
  return opened ? NVML_SUCCESS : NVML_ERROR_DRIVER_NOT_LOADED;
}

nvmlReturn_t nvmlInit_v2(void) {
  return nvmlInitWithFlags(0);
}
nvmlReturn_t nvmlInit(void) {
  return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void) {
  nvmlReturn_t result = NVML_ERROR_UNINITIALIZED;
  pthread_mutex_lock(&lock);
  if (users) {
    if (--users == 0)
      __atomic_store_n(&state, NULL, __ATOMIC_RELEASE);
    result = NVML_SUCCESS;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

struct shared_state *nvml_state(void) {
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE);
}

/* A handle is the index in NVML's order, plus one. */
static nvmlDevice_t handle_of(unsigned index) {
  return (nvmlDevice_t)(uintptr_t)(index + 1);
}

nvmlReturn_t nvml_device(nvmlDevice_t handle, unsigned *device) {
  NEED_INIT();
  uintptr_t index = (uintptr_t)handle - 1;
  NEED(handle && index < permitted.count);
  *device = permitted.device[index];
  return nvml_is_lost(*device) ? NVML_ERROR_GPU_IS_LOST : NVML_SUCCESS;
}

nvmlDevice_t nvml_handle(unsigned device) {
  for (unsigned i = 0; i < permitted.count; i++)
    if (permitted.device[i] == device)
      return handle_of(i);
  return NULL;
}

nvmlReturn_t nvml_text(const char *text, char *to, unsigned length) {
  NEED(to);
  if (strlen(text) >= length)
    return NVML_ERROR_INSUFFICIENT_SIZE;
  memcpy(to, text, strlen(text) + 1);
  return NVML_SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
  case NVML_SUCCESS:
    return "Success";
  case NVML_ERROR_UNINITIALIZED:
    return "Uninitialized";
  case NVML_ERROR_INVALID_ARGUMENT:
    return "Invalid Argument";
  case NVML_ERROR_NOT_SUPPORTED:
    return "Not Supported";
  case NVML_ERROR_NOT_FOUND:
    return "Not Found";
  case NVML_ERROR_INSUFFICIENT_SIZE:
    return "Insufficient Size";
  case NVML_ERROR_DRIVER_NOT_LOADED:
    return "Driver Not Loaded";
  case NVML_ERROR_TIMEOUT:
    return "Timeout";
  case NVML_ERROR_FUNCTION_NOT_FOUND:
    return "Function Not Found";
  case NVML_ERROR_GPU_IS_LOST:
    return "GPU is lost";
  case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
    return "Argument Version Mismatch";
  case NVML_ERROR_UNKNOWN:
    return "Unknown Error";
  }
  return "Unknown Error";
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *text, unsigned length) {
  NEED_INIT();
  return nvml_text(IDENTITY_DRIVER_VERSION_TEXT, text, length);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *text, unsigned length) {
  NEED_INIT();
  return nvml_text("13." IDENTITY_DRIVER_VERSION_TEXT, text, length);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) {
  NEED(version);
  *version = IDENTITY_DRIVER_VERSION;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) {
  return nvmlSystemGetCudaDriverVersion(version);
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char *text, unsigned length) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/%u/exe", pid);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0)
    return NVML_ERROR_NOT_FOUND;
  path[size] = 0;
  return nvml_text(path, text, length);
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) {
  NEED_INIT();
  NEED(count);
  *count = permitted.count;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount(unsigned *count) {
  return nvmlDeviceGetCount_v2(count);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
  NEED_INIT();
  NEED(device && index < permitted.count);
  *device = handle_of(index);
  return nvml_is_lost(permitted.device[index]) ? NVML_ERROR_GPU_IS_LOST : NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

static nvmlReturn_t by_physical(int physical, nvmlDevice_t *device) {
  nvmlDevice_t found = physical < 0 ? NULL : nvml_handle((unsigned)physical);
  if (!found)
    return NVML_ERROR_NOT_FOUND;
  *device = found;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  NEED_INIT();
  NEED(uuid && device);
  for (unsigned i = 0; i < permitted.count; i++) {
    char own[UUID_TEXT_BYTES];
    identity_uuid_text(permitted.device[i], own);
    if (!strcasecmp(uuid, own))
      return by_physical((int)permitted.device[i], device);
  }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvmlDevice_t *device) {
  NEED_INIT();
  NEED(bus_id && device);
  return by_physical(identity_from_pci(bus_id), device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *bus_id, nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index) {
  NEED_DEVICE(physical, device);
  NEED(index);
  (void)physical;
  *index = (unsigned)((uintptr_t)device - 1);
  return NVML_SUCCESS;
}
