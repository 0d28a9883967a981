/*
 * array_size.c - sizes of arrays. On the device, rows are in blocks of 64 bytes by 8 rows, and
 * arrays begin on pages of 64 KiB. This is a guess: the rules of real devices are not published.
 */
#include "array.h"

enum { BLOCK_BYTES = 64, BLOCK_ROWS = 8, PAGE_BYTES = 64 << 10, MAX_EXTENT = 1 << 20 };

size_t array_element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  switch (descriptor->Format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8:
    return descriptor->NumChannels;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return 2 * (size_t)descriptor->NumChannels;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    return 4 * (size_t)descriptor->NumChannels;
  default:
    return 0;
  }
}

/* A cubemap with layers has six faces for each layer. */
static int shape_is_valid(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  if (!d->Width || d->Width > MAX_EXTENT || d->Height > MAX_EXTENT || d->Depth > MAX_EXTENT)
    return 0;
  if (d->Flags & CUDA_ARRAY3D_CUBEMAP)
    return d->Width == d->Height && d->Depth && d->Depth % 6 == 0 &&
           (d->Depth == 6 || d->Flags & CUDA_ARRAY3D_LAYERED);
  if (d->Flags & CUDA_ARRAY3D_LAYERED)
    return d->Depth > 0;
  return d->Height || !d->Depth;
}

int array_is_valid(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  unsigned channels = d->NumChannels;
  return (channels == 1 || channels == 2 || channels == 4) && array_element_bytes(d) &&
         shape_is_valid(d);
}

static int has_layers(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  return (d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
}

unsigned array_most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  size_t largest = d->Width > d->Height ? d->Width : d->Height;
  if (!has_layers(d) && d->Depth > largest)
    largest = d->Depth;
  unsigned levels = 1;
  while (largest >>= 1)
    levels++;
  return levels;
}

static size_t halved(size_t extent, unsigned times) {
  return extent && !(extent >> times) ? 1 : extent >> times;
}

CUDA_ARRAY3D_DESCRIPTOR array_level(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned level) {
  CUDA_ARRAY3D_DESCRIPTOR smaller = *d;
  smaller.Width = halved(d->Width, level);
  smaller.Height = halved(d->Height, level);
  smaller.Depth = has_layers(d) ? d->Depth : halved(d->Depth, level);
  return smaller;
}

static size_t at_least_one(size_t extent) {
  return extent ? extent : 1;
}

static size_t up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

size_t array_row_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  return d->Width * array_element_bytes(d);
}

size_t array_rows(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  return at_least_one(d->Height);
}

size_t array_data_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  return array_row_bytes(d) * array_rows(d) * at_least_one(d->Depth);
}

size_t array_device_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels) {
  size_t bytes = 0;
  for (unsigned level = 0; level < levels; level++) {
    CUDA_ARRAY3D_DESCRIPTOR part = array_level(d, level);
    size_t rows = part.Height ? up(part.Height, BLOCK_ROWS) : 1, slice, all;
    slice = up(array_row_bytes(&part), BLOCK_BYTES) * rows;
    if (__builtin_mul_overflow(slice, at_least_one(part.Depth), &all) ||
        __builtin_add_overflow(bytes, all, &bytes))
      return 0;
  }
  return up(bytes, PAGE_BYTES);
}
