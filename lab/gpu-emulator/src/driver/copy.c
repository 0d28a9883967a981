/* copy.c - copies of bytes. They take no device time and are done when the call returns. */
#include "copy.h"
#include "memory.h"

#include <string.h>

/* Returns 0 if the range begins in a block and ends after it. */
static int inside(CUdeviceptr address, size_t bytes) {
  const struct block *block = block_find((void *)address);
  return !block || bytes <= (size_t)(block->address + block->bytes - (char *)address);
}

CUstream copy_lock_capturing(CUstream handle) {
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

CUresult copy_prepare(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream handle) {
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
  TRY(copy_prepare(to, from, bytes, stream));
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

/* Every context reaches the memory of all others, so the contexts change nothing. */
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream) {
  NEED(to_context && from_context);
  return cuMemcpyAsync(to, from, bytes, stream);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes) {
  return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, CU_STREAM_LEGACY);
}
