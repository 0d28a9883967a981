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
#include "resolve.h"
#undef SGP_DRIVER_ABI_H

#define SAME(name, parameters)                                                                     \
  _Static_assert(__builtin_types_compatible_p(sgp_##name, __typeof__(&name)), #name);
SGP_CALLS(SAME)

#if CUDA_VERSION < 13020
CUresult cuMemcpyWithAttributesAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                     CUmemcpyAttributes *attributes, CUstream stream);
CUresult cuMemcpyWithAttributesAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                          CUmemcpyAttributes *attributes, CUstream stream);
CUresult cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *copy, unsigned long long flags,
                                       CUstream stream);
CUresult cuMemcpy3DWithAttributesAsync_ptsz(CUDA_MEMCPY3D_BATCH_OP *copy, unsigned long long flags,
                                            CUstream stream);
#endif
#if CUDA_VERSION < 13030
CUresult cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void *data, unsigned mode);
CUresult cuLaunchHostFunc_v2_ptsz(CUstream stream, CUhostFn function, void *data, unsigned mode);
#endif
#define SAME_LAUNCH(name, ...)                                                                     \
  _Static_assert(__builtin_types_compatible_p(sgp_type_##name, __typeof__(&name)), #name);
SGP_TURN_HOOKS(SAME_LAUNCH)

_Static_assert(offsetof(CUstreamBatchMemOpParams, operation) == 0, "kind of an operation");
_Static_assert(sizeof(CUstreamBatchMemOpParams) == 48, "an operation on a word");
_Static_assert(CU_STREAM_MEM_OP_WAIT_VALUE_32 == 1 && CU_STREAM_MEM_OP_WAIT_VALUE_64 == 4, "");
_Static_assert(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT == 9 && CU_GRAPH_NODE_TYPE_BATCH_MEM_OP == 12, "");
_Static_assert(offsetof(CUlaunchConfig, hStream) == 32, "stream of a launch");
_Static_assert(offsetof(CUDA_MEMCPY2D, srcMemoryType) == 16, "source of a copy");
_Static_assert(offsetof(CUDA_MEMCPY2D, srcDevice) == 32, "its address");
_Static_assert(offsetof(CUDA_MEMCPY2D, dstMemoryType) == 72, "destination of a copy");
_Static_assert(offsetof(CUDA_MEMCPY2D, dstDevice) == 88, "its address");
_Static_assert(sizeof(CUDA_MEMCPY2D) == 128, "a copy of a rectangle");
_Static_assert(offsetof(CUDA_MEMCPY3D, srcMemoryType) == 32, "source of a copy of a box");
_Static_assert(offsetof(CUDA_MEMCPY3D, srcDevice) == 48, "its address");
_Static_assert(offsetof(CUDA_MEMCPY3D, dstMemoryType) == 120, "destination of a copy of a box");
_Static_assert(offsetof(CUDA_MEMCPY3D, dstDevice) == 136, "its address");
_Static_assert(offsetof(CUDA_MEMCPY3D_PEER, srcMemoryType) == 32, "source in a context");
_Static_assert(offsetof(CUDA_MEMCPY3D_PEER, srcDevice) == 48, "its address");
_Static_assert(offsetof(CUDA_MEMCPY3D_PEER, dstMemoryType) == 120, "destination in a context");
_Static_assert(offsetof(CUDA_MEMCPY3D_PEER, dstDevice) == 136, "its address");
_Static_assert(offsetof(CUDA_MEMCPY3D_BATCH_OP, dst) == 40, "destination in a batch of boxes");
_Static_assert(offsetof(CUmemcpy3DOperand, op.ptr.ptr) == 8, "address of a side");
_Static_assert(sizeof(CUDA_MEMCPY3D_BATCH_OP) == 112, "a box of a batch");
_Static_assert(CU_MEMCPY_OPERAND_TYPE_POINTER == 1 && CU_MEMCPY_OPERAND_TYPE_ARRAY == 2, "sides");
_Static_assert(CU_MEMORYTYPE_DEVICE == 2 && CU_MEMORYTYPE_ARRAY == 3 && CU_MEMORYTYPE_UNIFIED == 4,
               "places of memory");
_Static_assert(CU_POINTER_ATTRIBUTE_MEMORY_TYPE == 2, "place of an address");
_Static_assert(CU_GRAPH_NODE_TYPE_HOST == 3 && offsetof(CUgraphNodeParams, type) == 0, "host node");
_Static_assert(CUDA_ERROR_OUT_OF_MEMORY == 2, "out of memory");
_Static_assert(CUDA_ERROR_STUB_LIBRARY == 34, "stub library");
_Static_assert(CUDA_ERROR_NOT_PERMITTED == 800, "not permitted");
_Static_assert(CU_MEM_LOCATION_TYPE_DEVICE == 1, "location");
_Static_assert(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM == 2, "per-thread flag");
_Static_assert(CU_LIMIT_PRINTF_FIFO_SIZE == 1 && CU_LIMIT_MALLOC_HEAP_SIZE == 2, "limits");
_Static_assert(offsetof(CUmemAllocationProp, location) == 8, "location of a cuMemCreate");
_Static_assert(offsetof(CUmemAllocationProp, location.id) == 12, "device of a cuMemCreate");
_Static_assert(nvmlMemory_v2 == 0x02000028, "version of NVML's memory");
_Static_assert(NVML_ERROR_FUNCTION_NOT_FOUND == 13, "NVML without the function");
_Static_assert(sizeof(nvmlMemory_t) == 24, "NVML's memory");
_Static_assert(offsetof(nvmlMemory_v2_t, reserved) == 16, "what the driver keeps");
_Static_assert(offsetof(nvmlMemory_v2_t, used) == 32, "what is used");
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

/* Arrays. */
_Static_assert(CUDA_ARRAY3D_LAYERED == 0x01 && CUDA_ARRAY3D_CUBEMAP == 0x04, "layers and faces");
_Static_assert(CUDA_ARRAY3D_SPARSE == 0x40 && CUDA_ARRAY3D_DEFERRED_MAPPING == 0x80,
               "mapped later");
_Static_assert(offsetof(CUDA_ARRAY3D_DESCRIPTOR, Format) == 24, "format of an array");
_Static_assert(offsetof(CUDA_ARRAY3D_DESCRIPTOR, Flags) == 32, "flags of an array");
_Static_assert(sizeof(CUDA_ARRAY3D_DESCRIPTOR) == 40, "array");
_Static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR) == 24, "array of two dimensions");
_Static_assert(offsetof(CUDA_ARRAY3D_DESCRIPTOR_v1, Flags) == 20, "flags of an old array");
_Static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR_v1) == 16, "old array of two dimensions");
_Static_assert(sizeof(CUDA_ARRAY_MEMORY_REQUIREMENTS) == 32, "needs of an array");
_Static_assert(sizeof(CUdeviceptr_v1) == 4, "old address");
_Static_assert(CU_AD_FORMAT_SIGNED_INT32 == 0x0a && CU_AD_FORMAT_HALF == 0x10 &&
                   CU_AD_FORMAT_FLOAT == 0x20,
               "formats by channels");
_Static_assert(CU_AD_FORMAT_UNORM_INT8X1 == 0xc0 && CU_AD_FORMAT_UNORM_INT16X1 == 0xc3 &&
                   CU_AD_FORMAT_SNORM_INT16X4 == 0xcb,
               "normalized formats");
_Static_assert(CU_AD_FORMAT_BC1_UNORM == 0x91 && CU_AD_FORMAT_BC7_UNORM_SRGB == 0x9e, "compressed");

/* Arrays that are mapped to memory of cuMemCreate. */
_Static_assert(CU_MEM_OPERATION_TYPE_MAP == 1 && CU_MEM_OPERATION_TYPE_UNMAP == 2, "operations");
_Static_assert(CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL == 1, "mip tail");
_Static_assert(offsetof(CUarrayMapInfo, resource) == 8, "array of a mapping");
_Static_assert(offsetof(CUarrayMapInfo, subresourceType) == 16, "kind of its part");
_Static_assert(offsetof(CUarrayMapInfo, subresource.sparseLevel.extentDepth) == 24 + 28,
               "its part");
_Static_assert(offsetof(CUarrayMapInfo, subresource.miptail.size) == 24 + 16, "its mip tail");
_Static_assert(offsetof(CUarrayMapInfo, memOperationType) == 56, "its operation");
_Static_assert(offsetof(CUarrayMapInfo, memHandle) == 64, "its handle");
_Static_assert(sizeof(CUarrayMapInfo) == 96, "a mapping");
