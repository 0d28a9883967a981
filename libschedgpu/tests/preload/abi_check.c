/*
 * Compiled against NVIDIA's cuda.h, where there is one: a hook whose parameters differ from the
 * driver's is a compile error here.
 */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <stddef.h>
#if __has_include(<nvml.h>) /* not every toolkit has it */
#include <nvml.h>
#define SGP_NVML_ABI_H
#endif
#define SGP_DRIVER_ABI_H /* NVIDIA's types in place of ours */
#include "hooks.h"
#undef SGP_DRIVER_ABI_H

_Static_assert(CUDA_ERROR_OUT_OF_MEMORY == 2, "out of memory");
_Static_assert(CUDA_ERROR_STUB_LIBRARY == 34, "stub library");
_Static_assert(CUDA_ERROR_NOT_PERMITTED == 800, "not permitted");
_Static_assert(CU_MEM_LOCATION_TYPE_DEVICE == 1, "location");
_Static_assert(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM == 2, "per-thread flag");
_Static_assert(offsetof(CUmemAllocationProp, location) == 8, "location of a cuMemCreate");
_Static_assert(offsetof(CUmemAllocationProp, location.id) == 12, "device of a cuMemCreate");
_Static_assert(nvmlMemory_v2 == 0x02000028, "version of NVML's memory");
_Static_assert(NVML_ERROR_FUNCTION_NOT_FOUND == 13, "NVML without the function");
_Static_assert(sizeof(nvmlMemory_t) == 24, "NVML's memory");
_Static_assert(offsetof(nvmlMemory_v2_t, reserved) == 16, "what the driver keeps");
_Static_assert(offsetof(nvmlMemory_v2_t, used) == 32, "what is used");
_Static_assert(sizeof(CUuuid) == 16, "UUID");
_Static_assert(sizeof(CUdeviceptr) == 8 && sizeof(CUdevice) == 4, "sizes");
