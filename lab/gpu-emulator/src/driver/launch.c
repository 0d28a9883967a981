/* launch.c - launches. A kernel computes nothing; it takes time. */
#include "launch.h"
#include "capture.h"
#include "../shared/config.h"
#include "../shared/log.h"

#include <string.h>

/* The first bytes of the packed parameters in `extra`, or NULL. */
static const void *packed_params(void **extra) {
  for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      return extra[1];
  return NULL;
}

/* The caller of `busy_ns` gives its duration as the first parameter: uint64_t, in ns. */
uint64_t kernel_duration_ns(CUkernel kernel, void **params, void **extra) {
  if (strcmp(kernel->name, "busy_ns"))
    return config_kernel_ns();
  const void *first = params ? params[0] : packed_params(extra);
  uint64_t ns = 0;
  if (first)
    memcpy(&ns, first, sizeof ns);
  return ns;
}

static CUresult launch(CUfunction function, CUstream handle, void **params, void **extra) {
  NEED_CONTEXT(context);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  uint64_t ns = kernel_duration_ns(kernel_of(function), params, extra);
  driver_lock();
  CUstream stream = stream_resolve(handle, context);
  CUresult result = stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  if (stream && stream->at.capture) {
    result = capture_kernel(stream, ns);
  } else if (stream) {
    work_update();
    CUcontext in = stream->context;
    uint64_t launched = work_launch(in->device, in->id, ns, stream_predecessors(stream));
    stream->pending.tasks = launched;
  }
  driver_unlock();
  log_call("launch %s, %llu ns", kernel_of(function)->name, (unsigned long long)ns);
  return result;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **params, void **extra) {
  NEED(grid_x && grid_y && grid_z && block_x && block_y && block_z);
  return launch(function, stream, params, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **extra) {
  NEED(config);
  return cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ,
                        config->blockDimX, config->blockDimY, config->blockDimZ,
                        config->sharedMemBytes, config->hStream, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, CUstream stream,
                                   void **params) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                        stream, params, NULL);
}

/* Launches that came before one that fails stay. */
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *list, unsigned count,
                                              unsigned flags) {
  NEED(list && count);
  for (const CUDA_LAUNCH_PARAMS *l = list; l < list + count; l++) {
    NEED((uintptr_t)l->hStream > (uintptr_t)CU_STREAM_PER_THREAD);
    TRY(cuLaunchKernel(l->function, l->gridDimX, l->gridDimY, l->gridDimZ, l->blockDimX,
                       l->blockDimY, l->blockDimZ, l->sharedMemBytes, l->hStream, l->kernelParams,
                       NULL));
  }
  return CUDA_SUCCESS;
}

/* --- launches of before CUDA 4.0: here without parameters and shapes of blocks --- */

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  NEED(width > 0 && height > 0);
  return launch(function, stream, NULL, NULL);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return cuLaunchGridAsync(function, width, height, CU_STREAM_LEGACY);
}

CUresult cuLaunch(CUfunction function) {
  return cuLaunchGrid(function, 1, 1);
}
