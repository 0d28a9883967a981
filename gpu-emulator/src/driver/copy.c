/* copy.c - copies and fills. They take no device time and are done when the call returns. */
#include "array.h"
#include "capture.h"
#include "memory.h"

#include <string.h>

/* Returns 0 if the range begins in a block and ends after it. */
static int inside(CUdeviceptr address, size_t bytes) {
  const struct block *block = block_find((void *)address);
  return !block || (char *)address + bytes <= block->address + block->bytes;
}

/* Returns the stream if it is captured, with the driver locked; else NULL. */
static CUstream lock_capturing(CUstream handle) {
  CUcontext context;
  if (!handle || handle == CU_STREAM_LEGACY || driver_context(&context))
    return NULL;
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  if (stream && stream->at.capture)
    return stream;
  driver_unlock();
  return NULL;
}

/* Makes a node of the call if the stream is capturing, and returns. */
#define CAPTURE(handle, call)                                                                      \
  do {                                                                                             \
    CUstream stream_ = lock_capturing(handle);                                                     \
    if (stream_) {                                                                                 \
      CUresult captured_ = (call);                                                                 \
      driver_unlock();                                                                             \
      return captured_;                                                                            \
    }                                                                                              \
  } while (0)

/* Waits for earlier work of the stream, then checks the ranges. */
static CUresult prepare(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream handle) {
  NEED_CONTEXT(context);
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  if (stream)
    stream_wait(stream);
  int good = (!to || inside(to, bytes)) && (!from || inside(from, bytes));
  driver_unlock();
  if (!stream)
    return CUDA_ERROR_OUT_OF_MEMORY;
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  CAPTURE(stream, capture_copy(stream_, to, from, bytes));
  TRY(prepare(to, from, bytes, stream));
  NEED(!bytes || (to && from));
  if (bytes)
    memmove((void *)to, (void *)from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return cuMemcpyAsync(to, (CUdeviceptr)from, bytes, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return cuMemcpyAsync((CUdeviceptr)to, from, bytes, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return cuMemcpyAsync(to, from, bytes, stream);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, CU_STREAM_LEGACY);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return cuMemcpy(to, (CUdeviceptr)from, bytes);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return cuMemcpy((CUdeviceptr)to, from, bytes);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return cuMemcpy(to, from, bytes);
}

/* One side of the copy of a rectangle. */
struct rectangle {
  CUmemorytype type;
  void *host;
  CUdeviceptr device;
  CUarray array;
  size_t pitch, x_bytes, y;
  char *start; /* its first byte */
};

static CUresult locate(struct rectangle *r, size_t width_bytes, size_t height) {
  if (r->type == CU_MEMORYTYPE_ARRAY) {
    NEED(r->array);
    r->pitch = array_row_bytes(&r->array->descriptor);
    r->start = array_row(r->array, r->x_bytes, r->y, width_bytes, height);
    NEED(r->start);
    return CUDA_SUCCESS;
  }
  char *base = r->type == CU_MEMORYTYPE_HOST ? r->host : (char *)r->device;
  r->pitch = r->pitch ? r->pitch : width_bytes;
  NEED(base && r->pitch >= width_bytes);
  r->start = base + r->y * r->pitch + r->x_bytes;
  return CUDA_SUCCESS;
}

/* Bytes from the first byte of a rectangle to after its last one. */
static size_t extent(const CUDA_MEMCPY2D *copy, size_t pitch) {
  return copy->Height ? (copy->Height - 1) * pitch + copy->WidthInBytes : 0;
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  NEED(copy);
  CAPTURE(stream, capture_unsupported(stream_));
  struct rectangle from = {
      copy->srcMemoryType, (void *)copy->srcHost, copy->srcDevice, copy->srcArray,
      copy->srcPitch,      copy->srcXInBytes,     copy->srcY,      NULL};
  struct rectangle to = {copy->dstMemoryType, copy->dstHost,     copy->dstDevice, copy->dstArray,
                         copy->dstPitch,      copy->dstXInBytes, copy->dstY,      NULL};
  TRY(locate(&from, copy->WidthInBytes, copy->Height));
  TRY(locate(&to, copy->WidthInBytes, copy->Height));
  TRY(prepare((CUdeviceptr)to.start, 0, extent(copy, to.pitch), stream));
  TRY(prepare(0, (CUdeviceptr)from.start, extent(copy, from.pitch), stream));
  for (size_t y = 0; y < copy->Height; y++)
    memmove(to.start + y * to.pitch, from.start + y * from.pitch, copy->WidthInBytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2DAsync_v2(copy, CU_STREAM_LEGACY);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2DAsync_v2(copy, CU_STREAM_LEGACY);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  CAPTURE(stream, capture_fill(stream_, to, value, sizeof value, count));
  NEED(to || !count);
  TRY(prepare(to, 0, count, stream));
  if (count)
    memset((void *)to, value, count);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  CAPTURE(stream, capture_fill(stream_, to, value, sizeof value, count));
  NEED((to || !count) && to % sizeof value == 0);
  TRY(prepare(to, 0, count * sizeof value, stream));
  for (size_t i = 0; i < count; i++)
    ((unsigned short *)to)[i] = value;
  return CUDA_SUCCESS;
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  CAPTURE(stream, capture_fill(stream_, to, value, sizeof value, count));
  NEED((to || !count) && to % sizeof value == 0);
  TRY(prepare(to, 0, count * sizeof value, stream));
  for (size_t i = 0; i < count; i++)
    ((unsigned *)to)[i] = value;
  return CUDA_SUCCESS;
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
