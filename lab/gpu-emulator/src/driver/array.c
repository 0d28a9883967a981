/* array.c - creates, describes and destroys arrays. */
#include "array.h"
#include "copy.h"
#include "memory.h"

#include <stdlib.h>
#include <sys/mman.h>

static CUarray arrays;

static int is_backed_later(const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  return (descriptor->Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING)) != 0;
}

int array_exists(CUarray array, int mipmapped) {
  CUarray a = arrays;
  while (a && a != array)
    a = a->next;
  return a && !a->levels == !mipmapped;
}

static size_t data_bytes(CUarray array) {
  size_t bytes = 0;
  for (unsigned level = 0; level < array->levels || level == 0; level++) {
    CUDA_ARRAY3D_DESCRIPTOR part = array_level(&array->descriptor, level);
    bytes += array_data_bytes(&part);
  }
  return bytes;
}

/* Gives a charged array its host memory, at the first write. */
static CUresult back(CUarray array) {
  char *at = mmap(NULL, data_bytes(array), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  array->data = at;
  for (unsigned level = 0; level < array->levels; level++) {
    array->level[level].data = at;
    at += array_data_bytes(&array->level[level].descriptor);
  }
  return CUDA_SUCCESS;
}

/* Describes the levels. They are not in the list, as they are destroyed with their array. */
static void describe_levels(CUarray array) {
  for (unsigned level = 0; level < array->levels; level++) {
    array->level[level].descriptor = array_level(&array->descriptor, level);
    array->level[level].context = array->context;
  }
}

/* Driver locked. */
static CUresult fill(CUarray array) {
  describe_levels(array);
  if (is_backed_later(&array->descriptor))
    return CUDA_SUCCESS;
  TRY(memory_charge(array->context->device, array->bytes));
  CUresult result = back(array);
  if (result)
    memory_uncharge(array->context->device, array->bytes);
  else
    array->charged = array->bytes;
  return result;
}

static CUresult create(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels,
                       CUcontext context) {
  NEED(out && array_is_valid(descriptor));
  size_t bytes = array_device_bytes(descriptor, levels ? levels : 1);
  if (!bytes || bytes > (size_t)1 << 60)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUmipmappedArray made = calloc(1, sizeof *made);
  CUarray level = levels ? calloc(levels, sizeof *level) : NULL;
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  if (made && (level || !levels)) {
    made->array = (struct CUarray_st){.descriptor = *descriptor,
                                      .context = context,
                                      .bytes = bytes,
                                      .levels = levels,
                                      .level = level};
    driver_lock();
    result = fill(&made->array);
    if (!result) {
      made->array.next = arrays;
      *out = arrays = &made->array;
    }
    driver_unlock();
  }
  if (result) {
    free(level);
    free(made);
  }
  return result;
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  NEED_CONTEXT(context);
  NEED(descriptor);
  return create(array, descriptor, 0, context);
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor) {
  NEED_CONTEXT(context);
  NEED(descriptor);
  CUDA_ARRAY3D_DESCRIPTOR flat = {.Width = descriptor->Width,
                                  .Height = descriptor->Height,
                                  .Format = descriptor->Format,
                                  .NumChannels = descriptor->NumChannels};
  return create(array, &flat, 0, context);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned levels) {
  NEED_CONTEXT(context);
  NEED(array && descriptor);
  unsigned most = array_most_levels(descriptor);
  CUarray made;
  TRY(create(&made, descriptor, !levels ? 1 : levels < most ? levels : most, context));
  *array = (CUmipmappedArray)made;
  return CUDA_SUCCESS;
}

/* Driver locked. */
static void release(CUarray *at) {
  CUarray array = *at;
  *at = array->next;
  array_unmap_all(array);
  if (array->data)
    munmap(array->data, data_bytes(array));
  if (array->charged)
    memory_uncharge(array->context->device, array->charged);
  free(array->level);
  free(array);
}

static CUresult destroy(CUarray array, int mipmapped) {
  CUresult result = CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  for (CUarray *at = &arrays; *at; at = &(*at)->next)
    if (*at == array && !array->levels == !mipmapped) {
      release(at);
      result = CUDA_SUCCESS;
      break;
    }
  driver_unlock();
  return result;
}

CUresult cuArrayDestroy(CUarray array) {
  NEED_DRIVER();
  return destroy(array, 0);
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  NEED_DRIVER();
  return destroy((CUarray)array, 1);
}

void arrays_free_all(CUcontext context) {
  for (CUarray *at = &arrays; *at;)
    if ((*at)->context == context)
      release(at);
    else
      at = &(*at)->next;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array) {
  NEED_DRIVER();
  NEED(descriptor && array);
  *descriptor = array->descriptor;
  return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array) {
  NEED_DRIVER();
  NEED(descriptor && array);
  *descriptor = (CUDA_ARRAY_DESCRIPTOR){array->descriptor.Width, array->descriptor.Height,
                                        array->descriptor.Format, array->descriptor.NumChannels};
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned level) {
  NEED_DRIVER();
  NEED(array && mipmap && level < mipmap->array.levels);
  *array = &mipmap->array.level[level];
  return CUDA_SUCCESS;
}

/* True if so many parts from the first one are among all of them. */
static int among(size_t first, size_t count, size_t all) {
  return first <= all && count <= all - first;
}

char *array_box(CUarray array, size_t x_bytes, size_t y, size_t z,
                const struct box_extent *extent) {
  const CUDA_ARRAY3D_DESCRIPTOR *d = &array->descriptor;
  size_t row = array_row_bytes(d), rows = array_rows(d);
  int inside = among(x_bytes, extent->width_bytes, row) && among(y, extent->height, rows) &&
               among(z, extent->depth, d->Depth ? d->Depth : 1);
  return array->data && inside ? array->data + (z * rows + y) * row + x_bytes : NULL;
}
