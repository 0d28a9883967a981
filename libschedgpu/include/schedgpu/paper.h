/*
 * paper.h - the three calls of the schedGPU paper (IEEE TPDS 29(5), 2018, section 4) over
 * schedgpu.h.
 *
 *   schedGPUInit();                        at the beginning of the program
 *   preCudaMalloc(device, bytes, 60000);   before cudaMalloc: waits up to 60 s for the memory
 *   postCudaFree(device, bytes);           after cudaFree
 *
 * The shutdown stage is implicit, as in the paper. They return values of cudaError_t as int, so
 * that this header needs no toolkit: 0 cudaSuccess, 600 cudaErrorNotReady (the paper's answer of a
 * call that does not block or whose time is over), 2 cudaErrorMemoryAllocation (can never be
 * given), 101 cudaErrorInvalidDevice, 1 cudaErrorInvalidValue, 3 cudaErrorInitializationError.
 */
#ifndef SCHEDGPU_PAPER_H
#define SCHEDGPU_PAPER_H

#include "schedgpu.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline int schedgpu_paper_error(int error) {
  switch (error) {
  case SCHEDGPU_OK:
    return 0;
  case SCHEDGPU_EINVAL:
  case SCHEDGPU_EUNDERFLOW:
    return 1;
  case SCHEDGPU_EBUDGET:
  case SCHEDGPU_ETOOBIG:
  case SCHEDGPU_EDEADLOCK:
    return 2;
  case SCHEDGPU_EDEVICE:
    return 101;
  case SCHEDGPU_EWOULDBLOCK:
  case SCHEDGPU_ETIMEDOUT:
    return 600;
  default:
    return 3;
  }
}

/** Attaches the process. Waits are printed on stderr. */
static inline int schedGPUInit(void) {
  schedgpu_set_wait_observer(schedgpu_print_wait, (void *)0);
  return schedgpu_paper_error(schedgpu_attach());
}

/**
 * Reserves `bytes` on `device`. `timeout_ms`: 0 does not wait, a negative value waits without a
 * limit.
 */
static inline int preCudaMalloc(int device, size_t bytes, int timeout_ms) {
  int64_t timeout_ns = timeout_ms < 0 ? SCHEDGPU_FOREVER : (int64_t)timeout_ms * 1000000;
  return schedgpu_paper_error(schedgpu_reserve(device, bytes, timeout_ns));
}

/** Releases `bytes` on `device`, and serves waiting programs. */
static inline int postCudaFree(int device, size_t bytes) {
  return schedgpu_paper_error(schedgpu_release(device, bytes));
}

#ifdef __cplusplus
}
#endif
#endif
