/*
 * endless_synchronization.c - a library behind ours whose cuCtxSynchronize() does not return before
 * there is the file $SYNCHRONIZED: as a driver that waits for a function of the host. It makes
 * $SYNCHRONIZED.begun first. And functions that the emulated driver does not have: they let a
 * stream wait for memory, or for a semaphore.
 */
#include "cuda_abi.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

CUresult cuCtxSynchronize(void) {
  const char *file = getenv("SYNCHRONIZED");
  char begun[256];
  if (file) {
    snprintf(begun, sizeof begun, "%s.begun", file);
    close(open(begun, O_CREAT | O_WRONLY, 0600));
  }
  while (file && access(file, F_OK) != 0)
    usleep(1000);
  CUresult (*next)(void) = (CUresult(*)(void))dlsym(RTLD_NEXT, "cuCtxSynchronize");
  return next ? next() : CUDA_SUCCESS;
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, unsigned value, unsigned how);
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, unsigned value,
                                unsigned how) {
  (void)stream, (void)address, (void)value, (void)how;
  return CUDA_SUCCESS;
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, void *operations, unsigned flags);
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, void *operations, unsigned flags) {
  (void)stream, (void)count, (void)operations, (void)flags;
  return CUDA_SUCCESS;
}

CUresult cuWaitExternalSemaphoresAsync(const void *semaphores, const void *params, unsigned count,
                                       CUstream stream);
CUresult cuWaitExternalSemaphoresAsync(const void *semaphores, const void *params, unsigned count,
                                       CUstream stream) {
  (void)semaphores, (void)params, (void)count, (void)stream;
  return CUDA_SUCCESS;
}
