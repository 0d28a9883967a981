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
/* Pools, capture and graphs. */
_Static_assert(CU_MEM_LOCATION_TYPE_NONE == 0, "no location");
_Static_assert(CU_MEM_ALLOCATION_TYPE_PINNED == 1 && CU_MEM_ALLOCATION_TYPE_MANAGED == 2, "types");
_Static_assert(sizeof(CUmemPoolProps) == 88, "pool properties");
_Static_assert(offsetof(CUmemPoolProps, location) == 8, "location of a pool");
_Static_assert(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD == 4, "threshold");
_Static_assert(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT == 5, "what a pool holds");
_Static_assert(CU_MEMPOOL_ATTR_USED_MEM_CURRENT == 7, "what of it is used");
_Static_assert(CU_STREAM_CAPTURE_STATUS_NONE == 0, "not capturing");
_Static_assert(CU_STREAM_CAPTURE_MODE_RELAXED == 2, "relaxed capture");
_Static_assert(CU_GRAPH_NODE_TYPE_GRAPH == 4, "child graph");
_Static_assert(CU_GRAPH_NODE_TYPE_MEM_ALLOC == 10 && CU_GRAPH_NODE_TYPE_MEM_FREE == 11, "nodes");
_Static_assert(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT == 2, "what graphs hold");
_Static_assert(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD == 2, "upload at once");
_Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == 120, "allocation node");
_Static_assert(offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, bytesize) == 104, "size of an allocation node");
_Static_assert(offsetof(CUDA_GRAPH_INSTANTIATE_PARAMS, hUploadStream) == 8, "stream of an upload");
_Static_assert(sizeof(CUuuid) == 16, "UUID");
_Static_assert(sizeof(CUdeviceptr) == 8 && sizeof(CUdevice) == 4, "sizes");
