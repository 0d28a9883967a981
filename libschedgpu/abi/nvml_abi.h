/*
 * nvml_abi.h - the part of NVML's public ABI that the hooks need, in our own declarations. The
 * emulated NVML of the tests uses it too. The test `abi_check` compares it with NVIDIA's nvml.h if
 * there is one.
 */
#ifndef SGP_NVML_ABI_H
#define SGP_NVML_ABI_H

typedef enum {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_DRIVER_NOT_LOADED = 9,
  NVML_ERROR_TIMEOUT = 10,
  NVML_ERROR_FUNCTION_NOT_FOUND = 13,
  NVML_ERROR_GPU_IS_LOST = 15,
  NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
  NVML_ERROR_UNKNOWN = 999
} nvmlReturn_t;

typedef struct nvmlDevice_st *nvmlDevice_t;

/** `used` includes memory that the driver keeps for itself; the emulator keeps none. */
typedef struct {
  unsigned long long total, free, used;
} nvmlMemory_t;

typedef struct {
  unsigned version; /**< filled in by the caller: nvmlMemory_v2 */
  unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;
/** Size, and number of the version: 0x02000028. */
#define nvmlMemory_v2 (unsigned)(sizeof(nvmlMemory_v2_t) | 2u << 24)

#endif
