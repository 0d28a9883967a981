/* nvml_constants.c - answers that are the same for every emulated device. */
#include "nvml.h"
#include "../shared/identity.h"

#define CONSTANT(function, type, value)                                                            \
  nvmlReturn_t function(nvmlDevice_t device, type *out) {                                          \
    NEED_DEVICE(physical, device);                                                                 \
    NEED(out);                                                                                     \
    (void)physical;                                                                                \
    *out = value;                                                                                  \
    return NVML_SUCCESS;                                                                           \
  }
CONSTANT(nvmlDeviceGetMaxMigDeviceCount, unsigned, 0)
CONSTANT(nvmlDeviceGetComputeMode, nvmlComputeMode_t, NVML_COMPUTEMODE_DEFAULT)
CONSTANT(nvmlDeviceGetPersistenceMode, nvmlEnableState_t, NVML_FEATURE_ENABLED)

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
  NEED_DEVICE(physical, device);
  NEED(major && minor);
  (void)physical;
  *major = IDENTITY_CC_MAJOR;
  *minor = IDENTITY_CC_MINOR;
  return NVML_SUCCESS;
}

/* The emulator has no temperature, power or clock, and does not invent values. */
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor,
                                      unsigned *celsius) {
  NEED_DEVICE(physical, device);
  (void)physical;
  return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts) {
  return nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, milliwatts);
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *milliwatts) {
  return nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, milliwatts);
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz) {
  return nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, mhz);
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link,
                                      nvmlEnableState_t *active) {
  return nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, NULL);
}

nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned *count,
                                                unsigned *mhz) {
  return nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, NULL);
}

nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned memory_mhz,
                                                  unsigned *count, unsigned *mhz) {
  return nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, NULL);
}
