/* fill.c - fills. They take no device time and are done when the call returns. */
#include "copy.h"
#include "fill.h"

#include <string.h>

static int is_empty(const struct fill *fill) {
  return !fill->width || !fill->height;
}

/* Bytes from the first one to after the last one. The pitch of a single row means nothing. */
static CUresult length(const struct fill *fill, size_t *bytes) {
  size_t row, before = 0;
  *bytes = 0;
  NEED(fill->to % fill->element_bytes == 0);
  if (is_empty(fill))
    return CUDA_SUCCESS;
  NEED(fill->to && !__builtin_mul_overflow(fill->width, fill->element_bytes, &row));
  if (fill->height > 1) {
    NEED(fill->pitch >= row && fill->pitch % fill->element_bytes == 0);
    NEED(!__builtin_mul_overflow(fill->height - 1, fill->pitch, &before));
  }
  NEED(!__builtin_add_overflow(before, row, bytes));
  return CUDA_SUCCESS;
}

CUresult fill_check(const struct fill *fill) {
  size_t bytes;
  return length(fill, &bytes);
}

static void fill_row(char *row, const struct fill *fill) {
  switch (fill->element_bytes) {
  case 1:
    memset(row, (int)fill->value, fill->width);
    break;
  case 2:
    for (size_t i = 0; i < fill->width; i++)
      ((unsigned short *)row)[i] = (unsigned short)fill->value;
    break;
  default:
    for (size_t i = 0; i < fill->width; i++)
      ((unsigned *)row)[i] = fill->value;
  }
}

void fill_run(const struct fill *fill) {
  for (size_t y = 0; !is_empty(fill) && y < fill->height; y++)
    fill_row((char *)fill->to + y * fill->pitch, fill);
}

static CUresult run(struct fill fill, CUstream handle) {
  size_t bytes;
  CAPTURE(handle, capture_fill(stream_, &fill));
  TRY(length(&fill, &bytes));
  TRY(copy_prepare(fill.to, 0, bytes, handle));
  fill_run(&fill);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return run((struct fill){to, 0, value, sizeof value, count, 1}, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return run((struct fill){to, 0, value, sizeof value, count, 1}, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return run((struct fill){to, 0, value, sizeof value, count, 1}, stream);
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return cuMemsetD8Async(to, value, count, CU_STREAM_LEGACY);
}

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return cuMemsetD16Async(to, value, count, CU_STREAM_LEGACY);
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return cuMemsetD32Async(to, value, count, CU_STREAM_LEGACY);
}

/* --- rectangles: the width is in elements, the pitch in bytes --- */

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return run((struct fill){to, pitch, value, sizeof value, width, height}, stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return run((struct fill){to, pitch, value, sizeof value, width, height}, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                            size_t height, CUstream stream) {
  return run((struct fill){to, pitch, value, sizeof value, width, height}, stream);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                         size_t height) {
  return cuMemsetD2D8Async(to, pitch, value, width, height, CU_STREAM_LEGACY);
}

CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                          size_t height) {
  return cuMemsetD2D16Async(to, pitch, value, width, height, CU_STREAM_LEGACY);
}

CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                          size_t height) {
  return cuMemsetD2D32Async(to, pitch, value, width, height, CU_STREAM_LEGACY);
}
