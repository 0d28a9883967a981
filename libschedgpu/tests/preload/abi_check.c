/*
 * Compiled against NVIDIA's cuda.h, where there is one: a hook whose parameters differ from the
 * driver's is a compile error here.
 */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <stddef.h>
#define SGP_DRIVER_ABI_H /* NVIDIA's types in place of ours */
#include "hooks.h"
#undef SGP_DRIVER_ABI_H

_Static_assert(CUDA_ERROR_OUT_OF_MEMORY == 2, "out of memory");
_Static_assert(CUDA_ERROR_STUB_LIBRARY == 34, "stub library");
_Static_assert(CUDA_ERROR_NOT_PERMITTED == 800, "not permitted");
_Static_assert(CU_MEM_LOCATION_TYPE_DEVICE == 1, "location");
_Static_assert(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM == 2, "per-thread flag");
_Static_assert(CU_LIMIT_PRINTF_FIFO_SIZE == 1 && CU_LIMIT_MALLOC_HEAP_SIZE == 2, "limits");
_Static_assert(offsetof(CUmemAllocationProp, location) == 8, "location of a cuMemCreate");
_Static_assert(offsetof(CUmemAllocationProp, location.id) == 12, "device of a cuMemCreate");
_Static_assert(sizeof(CUuuid) == 16, "UUID");
_Static_assert(sizeof(CUdeviceptr) == 8 && sizeof(CUdevice) == 4, "sizes");
