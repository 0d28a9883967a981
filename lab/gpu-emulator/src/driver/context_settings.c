/* context_settings.c - settings of a context. They have no effect here, so they are not stored. */
#include "context.h"
#include "../shared/identity.h"

CUresult cuCtxGetFlags(unsigned *flags) {
  NEED_CONTEXT(context);
  NEED(flags);
  *flags = context->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext asked, unsigned long long *id) {
  NEED_CONTEXT(current);
  NEED(id);
  *id = (asked ? asked : current)->id;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
  NEED_DRIVER();
  NEED(version);
  *version = IDENTITY_DRIVER_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  NEED_CONTEXT(context);
  NEED(config);
  (void)context;
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  NEED_CONTEXT(context);
  (void)context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  NEED_CONTEXT(context);
  (void)context;
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext context, unsigned flags) {
  return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult cuCtxDisablePeerAccess(CUcontext context) {
  return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}
