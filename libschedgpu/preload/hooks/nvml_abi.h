/*
 * nvml_abi.h - the part of NVML's public ABI that the hooks need, in our own declarations. The test
 * `abi_check` compares them with NVIDIA's nvml.h if there is one.
 */
#ifndef SGP_NVML_ABI_H
#define SGP_NVML_ABI_H

typedef enum { NVML_SUCCESS = 0, NVML_ERROR_FUNCTION_NOT_FOUND = 13 } nvmlReturn_t;

typedef struct nvmlDevice_st *nvmlDevice_t;

typedef struct {
  unsigned long long total, free;
  unsigned long long used; /**< with what the driver keeps for itself */
} nvmlMemory_t;

typedef struct {
  unsigned version; /**< filled in by the caller */
  unsigned long long total;
  unsigned long long reserved; /**< what the driver keeps for itself */
  unsigned long long free, used;
} nvmlMemory_v2_t;
/** Size, and number of the version: 0x02000028. */
#define nvmlMemory_v2 (unsigned)(sizeof(nvmlMemory_v2_t) | 2u << 24)

#endif
