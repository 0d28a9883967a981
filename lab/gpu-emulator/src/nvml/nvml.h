/* nvml.h - what the files of the emulated NVML share. */
#ifndef EMULATED_GPU_NVML_H
#define EMULATED_GPU_NVML_H

#include "nvml_abi.h"
#include "../shared/state.h"

/* The mapped state, or NULL before nvmlInit. */
struct shared_state *nvml_state(void);

/* The physical index of a handle. An error if the handle is invalid or NVML is not initialized. */
nvmlReturn_t nvml_device(nvmlDevice_t handle, unsigned *device);

/* The handle of a physical device, or NULL if this process may not open the device. */
nvmlDevice_t nvml_handle(unsigned device);

/* True if EMULATED_GPU_FAULTS says that the device is lost. */
int nvml_is_lost(unsigned device);

/* Copies a text with its terminating zero. NVML_ERROR_INSUFFICIENT_SIZE if it does not fit. */
nvmlReturn_t nvml_text(const char *text, char *to, unsigned length);

#define NEED(condition)                                                                            \
  do {                                                                                             \
    if (!(condition))                                                                              \
      return NVML_ERROR_INVALID_ARGUMENT;                                                          \
  } while (0)
#define NEED_INIT()                                                                                \
  do {                                                                                             \
    if (!nvml_state())                                                                             \
      return NVML_ERROR_UNINITIALIZED;                                                             \
  } while (0)
#define NEED_DEVICE(name, handle)                                                                  \
  unsigned name;                                                                                   \
  do {                                                                                             \
    nvmlReturn_t result_ = nvml_device(handle, &name);                                             \
    if (result_)                                                                                   \
      return result_;                                                                              \
  } while (0)

#endif
