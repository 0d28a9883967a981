/* copy_box.c - copies of rectangles and boxes: in memory of the host, of the device, and in arrays.
 */
#include "array.h"
#include "copy.h"

#include <string.h>

/* Where the rows of one side are. */
struct rows {
  char *start; /* the first byte of the box */
  size_t pitch, slice;
};

static CUresult locate(struct rows *rows, const struct box_side *side,
                       const struct box_extent *extent) {
  if (side->type == CU_MEMORYTYPE_ARRAY) {
    NEED(side->array);
    rows->pitch = array_row_bytes(&side->array->descriptor);
    rows->slice = rows->pitch * array_rows(&side->array->descriptor);
    rows->start = array_box(side->array, side->x_bytes, side->y, side->z, extent);
    NEED(rows->start);
    return CUDA_SUCCESS;
  }
  char *base = side->type == CU_MEMORYTYPE_HOST ? side->host : (char *)side->device;
  rows->pitch = side->pitch ? side->pitch : extent->width_bytes;
  size_t height = side->height ? side->height : extent->height;
  rows->slice = rows->pitch * height;
  NEED(base && rows->pitch >= extent->width_bytes && height >= extent->height);
  rows->start = base + side->z * rows->slice + side->y * rows->pitch + side->x_bytes;
  return CUDA_SUCCESS;
}

static int is_empty(const struct box_extent *extent) {
  return !extent->width_bytes || !extent->height || !extent->depth;
}

/* Bytes from the first byte of a box to after its last one. */
static size_t length(const struct rows *rows, const struct box_extent *extent) {
  return is_empty(extent) ? 0
                          : (extent->depth - 1) * rows->slice + (extent->height - 1) * rows->pitch +
                                extent->width_bytes;
}

CUresult copy_box(const struct box_side *to, const struct box_side *from,
                  const struct box_extent *extent, CUstream stream) {
  CAPTURE(stream, capture_unsupported(stream_));
  struct rows target, source;
  TRY(locate(&source, from, extent));
  TRY(locate(&target, to, extent));
  TRY(copy_prepare((CUdeviceptr)target.start, 0, length(&target, extent), stream));
  TRY(copy_prepare(0, (CUdeviceptr)source.start, length(&source, extent), stream));
  for (size_t z = 0; z < extent->depth; z++)
    for (size_t y = 0; y < extent->height; y++)
      memmove(target.start + z * target.slice + y * target.pitch,
              source.start + z * source.slice + y * source.pitch, extent->width_bytes);
  return CUDA_SUCCESS;
}

/* The members that descriptors of rectangles and boxes share. */
#define SIDE(c, side)                                                                              \
  .type = (c)->side##MemoryType, .host = (void *)(c)->side##Host, .device = (c)->side##Device,     \
  .array = (c)->side##Array, .pitch = (c)->side##Pitch, .x_bytes = (c)->side##XInBytes,            \
  .y = (c)->side##Y
#define BOX_SIDE(c, side)                                                                          \
  { SIDE(c, side), .z = (c)->side##Z, .height = (c)->side##Height }

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  NEED(copy);
  struct box_side from = {SIDE(copy, src)}, to = {SIDE(copy, dst)};
  struct box_extent extent = {copy->WidthInBytes, copy->Height, 1};
  return copy_box(&to, &from, &extent, stream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2DAsync_v2(copy, CU_STREAM_LEGACY);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2DAsync_v2(copy, CU_STREAM_LEGACY);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
  NEED(copy && !copy->srcLOD && !copy->dstLOD && !copy->reserved0 && !copy->reserved1);
  struct box_side from = BOX_SIDE(copy, src), to = BOX_SIDE(copy, dst);
  struct box_extent extent = {copy->WidthInBytes, copy->Height, copy->Depth};
  return copy_box(&to, &from, &extent, stream);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) {
  return cuMemcpy3DAsync_v2(copy, CU_STREAM_LEGACY);
}

/* Every context reaches the memory of all others, so the contexts change nothing. */
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
  NEED(copy && !copy->srcLOD && !copy->dstLOD);
  struct box_side from = BOX_SIDE(copy, src), to = BOX_SIDE(copy, dst);
  struct box_extent extent = {copy->WidthInBytes, copy->Height, copy->Depth};
  return copy_box(&to, &from, &extent, stream);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy) {
  return cuMemcpy3DPeerAsync(copy, CU_STREAM_LEGACY);
}

/* --- arrays of one dimension: a row of bytes --- */

static struct box_side in_array(CUarray array, size_t offset) {
  return (struct box_side){.type = CU_MEMORYTYPE_ARRAY, .array = array, .x_bytes = offset};
}

static struct box_side on_device(CUdeviceptr address) {
  return (struct box_side){.type = CU_MEMORYTYPE_DEVICE, .device = address};
}

static CUresult copy_row(struct box_side to, struct box_side from, size_t bytes, CUstream stream) {
  return copy_box(&to, &from, &(struct box_extent){bytes, 1, 1}, stream);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes) {
  return copy_row(on_device(to), in_array(from, from_offset), bytes, CU_STREAM_LEGACY);
}

CUresult cuMemcpyDtoA_v2(CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes) {
  return copy_row(in_array(to, to_offset), on_device(from), bytes, CU_STREAM_LEGACY);
}

CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                         size_t bytes) {
  return copy_row(in_array(to, to_offset), in_array(from, from_offset), bytes, CU_STREAM_LEGACY);
}

CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes) {
  return copy_row(on_device(to), in_array(from, from_offset), bytes, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpyDtoA_v2_ptds(CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes) {
  return copy_row(in_array(to, to_offset), on_device(from), bytes, CU_STREAM_PER_THREAD);
}

CUresult cuMemcpyAtoA_v2_ptds(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                              size_t bytes) {
  return copy_row(in_array(to, to_offset), in_array(from, from_offset), bytes,
                  CU_STREAM_PER_THREAD);
}
