/*
 * hook_array.c - hooks of arrays, which belong to the current context. Only the driver knows the
 * size of an array, and it reports that only for arrays with deferred mapping, which have no memory
 * yet. So a twin of that kind is created, queried and destroyed first. If that is not possible
 * (drivers before CUDA 11.6), the size is computed from the descriptor.
 */
#include "../account/array_size.h"
#include "../account/charge.h"
#include "../account/tiles.h"

/* For arrays that cuMemMapArrayAsync maps later: no memory of their own. */
#define MAPPED_LATER (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING)

static bool device_of_context(CUdevice *device) {
  sgp_cuCtxGetDevice get = SGP_CALL(cuCtxGetDevice);
  return get && get(device) == CUDA_SUCCESS;
}

/* The size in bytes, 0 if the driver does not report it. */
static uint64_t ask_plain(const CUDA_ARRAY3D_DESCRIPTOR *twin, CUdevice device) {
  sgp_cuArray3DCreate_v2 create = SGP_CALL(cuArray3DCreate_v2);
  sgp_cuArrayDestroy destroy = SGP_CALL(cuArrayDestroy);
  sgp_cuArrayGetMemoryRequirements ask = SGP_CALL(cuArrayGetMemoryRequirements);
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs = {0};
  CUarray array;
  if (!create || !destroy || !ask || create(&array, twin) != CUDA_SUCCESS)
    return 0;
  CUresult result = ask(&needs, array, device);
  destroy(array);
  return result == CUDA_SUCCESS ? needs.size : 0;
}

static uint64_t ask_mipmapped(const CUDA_ARRAY3D_DESCRIPTOR *twin, unsigned levels,
                              CUdevice device) {
  sgp_cuMipmappedArrayCreate create = SGP_CALL(cuMipmappedArrayCreate);
  sgp_cuMipmappedArrayDestroy destroy = SGP_CALL(cuMipmappedArrayDestroy);
  sgp_cuMipmappedArrayGetMemoryRequirements ask = SGP_CALL(cuMipmappedArrayGetMemoryRequirements);
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs = {0};
  CUmipmappedArray array;
  if (!create || !destroy || !ask || create(&array, twin, levels) != CUDA_SUCCESS)
    return 0;
  CUresult result = ask(&needs, array, device);
  destroy(array);
  return result == CUDA_SUCCESS ? needs.size : 0;
}

static uint64_t bytes_of(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels, bool plain) {
  CUDA_ARRAY3D_DESCRIPTOR twin = *descriptor;
  CUdevice device;
  uint64_t reported = 0;
  twin.Flags |= CUDA_ARRAY3D_DEFERRED_MAPPING;
  if (device_of_context(&device))
    reported = plain ? ask_plain(&twin, device) : ask_mipmapped(&twin, levels, device);
  return reported ? reported : sgp_array_bytes(descriptor, levels);
}

static CUresult mapped_later(CUresult result, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                             const void *array) {
  if (result == CUDA_SUCCESS)
    sgp_tiles_array((uint64_t)(uintptr_t)array, sgp_current_place().context_id,
                    (descriptor->Flags & CUDA_ARRAY3D_DEFERRED_MAPPING) != 0);
  return result;
}

#define SGP_CREATE_ARRAY(kind, descriptor, levels, call)                                           \
  do {                                                                                             \
    if ((descriptor)->Flags & MAPPED_LATER) {                                                      \
      CUresult made = (call);                                                                      \
      return mapped_later(made, (descriptor), made == CUDA_SUCCESS ? (void *)*array : NULL);       \
    }                                                                                              \
    SGP_ALLOCATE((kind), sgp_charge_here(bytes_of((descriptor), (levels), (kind) == SGP_ARRAY)),   \
                 call, (uintptr_t)*array);                                                         \
  } while (0)

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  SGP_BEGIN(cuArray3DCreate_v2, array, descriptor);
  if (!descriptor)
    return real(array, descriptor);
  SGP_CREATE_ARRAY(SGP_ARRAY, descriptor, 1, real(array, descriptor));
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor) {
  SGP_BEGIN(cuArray3DCreate, array, descriptor);
  if (!descriptor)
    return real(array, descriptor);
  CUDA_ARRAY3D_DESCRIPTOR wide = {descriptor->Width,  descriptor->Height,      descriptor->Depth,
                                  descriptor->Format, descriptor->NumChannels, descriptor->Flags};
  SGP_CREATE_ARRAY(SGP_ARRAY, &wide, 1, real(array, descriptor));
}

/* Two-dimensional descriptors have neither depth nor flags. */
#define SGP_FLAT(d)                                                                                \
  {                                                                                                \
    .Width = (d)->Width, .Height = (d)->Height, .Format = (d)->Format,                             \
    .NumChannels = (d)->NumChannels                                                                \
  }

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor) {
  SGP_BEGIN(cuArrayCreate_v2, array, descriptor);
  if (!descriptor)
    return real(array, descriptor);
  CUDA_ARRAY3D_DESCRIPTOR flat = SGP_FLAT(descriptor);
  SGP_CREATE_ARRAY(SGP_ARRAY, &flat, 1, real(array, descriptor));
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR_v1 *descriptor) {
  SGP_BEGIN(cuArrayCreate, array, descriptor);
  if (!descriptor)
    return real(array, descriptor);
  CUDA_ARRAY3D_DESCRIPTOR flat = SGP_FLAT(descriptor);
  SGP_CREATE_ARRAY(SGP_ARRAY, &flat, 1, real(array, descriptor));
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned levels) {
  SGP_BEGIN(cuMipmappedArrayCreate, array, descriptor, levels);
  if (!descriptor)
    return real(array, descriptor, levels);
  SGP_CREATE_ARRAY(SGP_MIPMAPPED, descriptor, levels, real(array, descriptor, levels));
}

/* An array either has its own memory, or is mapped to other memory. */
#define SGP_DESTROY_ARRAY(kind, call)                                                              \
  do {                                                                                             \
    struct sgp_node *tiled = sgp_tiles_take_array((uint64_t)(uintptr_t)array);                     \
    struct sgp_entry entry;                                                                        \
    bool known = sgp_ledger_take((kind), (uint64_t)(uintptr_t)array, &entry);                      \
    CUresult result = (call);                                                                      \
    sgp_tiles_settle_array(tiled, result == CUDA_SUCCESS);                                         \
    if (known)                                                                                     \
      sgp_free_settle(&entry, result);                                                             \
    return result;                                                                                 \
  } while (0)

CUresult cuArrayDestroy(CUarray array) {
  SGP_BEGIN(cuArrayDestroy, array);
  SGP_DESTROY_ARRAY(SGP_ARRAY, real(array));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  SGP_BEGIN(cuMipmappedArrayDestroy, array);
  SGP_DESTROY_ARRAY(SGP_MIPMAPPED, real(array));
}
