/*
 * green_context.c - green contexts: each retains the primary context of its device and is a part of
 * it. Memory allocated in it belongs to the primary context. The emulator has no separate
 * processors, so it does not read the description of the resources.
 */
#include "context.h"

#include <stdlib.h>

/* Never freed, as contexts. */
struct CUgreenCtx_st {
  int destroyed;
  struct CUctx_st context;
};

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, unsigned type) {
  int processors;
  NEED(resource && type == CU_DEV_RESOURCE_TYPE_SM);
  TRY(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  *resource = (CUdevResource){.type = type,
                              .sm_count = (unsigned)processors,
                              .min_sm_partition_size = 1,
                              .sm_coscheduled_alignment = 1};
  return CUDA_SUCCESS;
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *description, CUdevResource *resources,
                                   unsigned count) {
  static char all_processors;
  NEED_DRIVER();
  NEED(description && resources && count == 1);
  *description = (CUdevResourceDesc)&all_processors;
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxCreate(CUgreenCtx *green, CUdevResourceDesc resources, CUdevice device,
                          unsigned flags) {
  CUcontext primary;
  NEED(green && resources && flags == CU_GREEN_CTX_DEFAULT_STREAM);
  TRY(cuDevicePrimaryCtxRetain(&primary, device));
  CUgreenCtx made = calloc(1, sizeof *made);
  if (!made) {
    cuDevicePrimaryCtxRelease_v2(device);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  made->context = (struct CUctx_st){.device = primary->device,
                                    .ordinal = device,
                                    .id = primary->id,
                                    .references = 1,
                                    .owner = primary};
  *green = made;
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx green) {
  NEED_DRIVER();
  NEED(green && !green->destroyed);
  green->destroyed = 1;
  return cuDevicePrimaryCtxRelease_v2(green->context.ordinal);
}

CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx green) {
  NEED_DRIVER();
  NEED(context && green && !green->destroyed);
  *context = &green->context;
  return CUDA_SUCCESS;
}
