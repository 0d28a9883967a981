/*
 * array_memory.c - arrays without memory of their own: what they need, and the memory to which they
 * are mapped.
 */
#include "array.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 << 10 };

/* NVIDIA's driver answers only for arrays with deferred mapping. */
static CUresult requirements_of(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array,
                                CUdevice device) {
  NEED_DEVICE(physical, device);
  (void)physical;
  NEED(requirements && array && array->descriptor.Flags & CUDA_ARRAY3D_DEFERRED_MAPPING);
  *requirements = (CUDA_ARRAY_MEMORY_REQUIREMENTS){.size = array->bytes, .alignment = ALIGNMENT};
  return CUDA_SUCCESS;
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array,
                                      CUdevice device) {
  NEED_DRIVER();
  return requirements_of(requirements, array, device);
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements,
                                               CUmipmappedArray array, CUdevice device) {
  NEED_DRIVER();
  return requirements_of(requirements, (CUarray)array, device);
}

static CUarray resource_of(const CUarrayMapInfo *info) {
  int mipmapped = info->resourceType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  CUarray array = mipmapped ? (CUarray)info->resource.mipmap : info->resource.array;
  return array_exists(array, mipmapped) ? array : NULL;
}

/* An array with deferred mapping is mapped as a whole. */
static int is_same_region(const struct tile *tile, const CUarrayMapInfo *info, CUarray array) {
  if (array->descriptor.Flags & CUDA_ARRAY3D_DEFERRED_MAPPING)
    return 1;
  if (tile->region.subresourceType != info->subresourceType)
    return 0;
  return info->subresourceType == CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL
             ? !memcmp(&tile->region.subresource.sparseLevel, &info->subresource.sparseLevel,
                       sizeof info->subresource.sparseLevel)
             : tile->region.subresource.miptail.layer == info->subresource.miptail.layer &&
                   tile->region.subresource.miptail.offset == info->subresource.miptail.offset;
}

static void unmap(struct tile **at) {
  struct tile *tile = *at;
  *at = tile->next;
  physical_drop_mapping(tile->memory);
  free(tile);
}

void array_unmap_all(CUarray array) {
  while (array->tiles)
    unmap(&array->tiles);
}

static struct tile **find_tile(CUarray array, const CUarrayMapInfo *info) {
  struct tile **at = &array->tiles;
  while (*at && !is_same_region(*at, info, array))
    at = &(*at)->next;
  return at;
}

static CUresult check(const CUarrayMapInfo *info) {
  CUarray array = resource_of(info);
  if (!array)
    return CUDA_ERROR_INVALID_HANDLE;
  NEED(array->descriptor.Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING));
  NEED(__builtin_popcount(info->deviceBitMask) == 1 && !info->flags);
  if (info->memOperationType == CU_MEM_OPERATION_TYPE_UNMAP)
    return CUDA_SUCCESS;
  const struct physical *memory = physical_of(info->memHandle.memHandle);
  NEED(memory && info->offset <= memory->bytes);
  return CUDA_SUCCESS;
}

static void apply(const CUarrayMapInfo *info) {
  CUarray array = resource_of(info);
  struct tile **at = find_tile(array, info);
  struct tile *tile =
      info->memOperationType == CU_MEM_OPERATION_TYPE_MAP ? malloc(sizeof *tile) : NULL;
  if (tile) {
    struct physical *memory = physical_of(info->memHandle.memHandle);
    memory->mappings++;
    *tile = (struct tile){*info, memory, *at};
    *at = tile;
    at = &tile->next;
  }
  if (*at && is_same_region(*at, info, array))
    unmap(at);
}

/* Maps all entries of the list or none. Regions that overlap without being equal stay mapped side
 * by side. */
CUresult cuMemMapArrayAsync(CUarrayMapInfo *list, unsigned count, CUstream stream) {
  NEED_DRIVER();
  NEED(list && count);
  TRY(cuStreamSynchronize(stream));
  CUresult result = CUDA_SUCCESS;
  driver_lock();
  for (unsigned i = 0; i < count && !result; i++)
    result = check(&list[i]);
  for (unsigned i = 0; i < count && !result; i++)
    apply(&list[i]);
  driver_unlock();
  return result;
}

CUresult cuMemMapArrayAsync_ptsz(CUarrayMapInfo *list, unsigned count, CUstream stream) {
  return cuMemMapArrayAsync(list, count, stream ? stream : CU_STREAM_PER_THREAD);
}
