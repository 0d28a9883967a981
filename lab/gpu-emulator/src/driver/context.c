/* context.c - primary and created contexts, and the current context of each thread. */
#include "context.h"
#include "array.h"
#include "memory.h"
#include "pool.h"
#include "../shared/account.h"
#include "../shared/identity.h"
#include "../shared/log.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_DEPTH = 32 };

static struct CUctx_st primary[MAX_DEVICES]; /* by ordinal */
static unsigned last_id;
static __thread CUcontext stack[STACK_DEPTH];
static __thread int depth;

static void set_up(CUcontext context, CUdevice ordinal) {
  context->ordinal = ordinal;
  context->device = driver.devices.device[ordinal];
  context->id = ++last_id;
  context->legacy.context = context;
  context_limits_start(context);
  work_set_add(&context->legacy.pending);
}

void contexts_start(void) {
  for (unsigned i = 0; i < driver.devices.count; i++) {
    set_up(&primary[i], (CUdevice)i);
    primary[i].primary = 1;
  }
}

CUresult driver_context(CUcontext *context) {
  NEED_DRIVER();
  if (!depth || !stack[depth - 1])
    return CUDA_ERROR_INVALID_CONTEXT;
  *context = stack[depth - 1];
  if ((*context)->owner)
    *context = (*context)->owner;
  return (*context)->references ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* The first reference costs device memory. Driver locked. */
static CUresult retain(CUcontext context) {
  CUresult result = CUDA_SUCCESS;
  if (context->references == 0) {
    state_lock(driver.state);
    result = driver_claim_slot();
    if (!result && account_take_context(driver.state, context->device, (unsigned)driver.slot))
      result = CUDA_ERROR_OUT_OF_MEMORY;
    state_unlock(driver.state);
  }
  if (!result)
    context->references++;
  return result;
}

/* Releases everything that the context has. Call with the driver locked. */
static void tear_down(CUcontext context) {
  context->references = 0;
  work_abandon(context->id);
  streams_destroy_all(context);
  memory_free_all(context);
  arrays_free_all(context);
  context_limits_end(context);
  state_lock(driver.state);
  account_give_context(driver.state, context->device, (unsigned)driver.slot);
  state_unlock(driver.state);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  NEED_DEVICE(physical, device);
  NEED(context);
  driver_lock();
  CUresult result = retain(&primary[device]);
  driver_unlock();
  if (!result)
    *context = &primary[device];
  log_call("cuDevicePrimaryCtxRetain device %u -> %d", physical, result);
  return result;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  NEED_DEVICE(physical, device);
  (void)physical;
  CUresult result = CUDA_SUCCESS;
  driver_lock();
  if (!primary[device].references)
    result = CUDA_ERROR_INVALID_CONTEXT;
  else if (primary[device].references == 1)
    tear_down(&primary[device]);
  else
    primary[device].references--;
  driver_unlock();
  return result;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  NEED_DEVICE(physical, device);
  (void)physical;
  driver_lock();
  if (primary[device].references)
    tear_down(&primary[device]);
  pools_synchronized();
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return cuDevicePrimaryCtxReset_v2(device);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  NEED_DEVICE(physical, device);
  NEED(flags && active);
  (void)physical;
  *flags = primary[device].flags;
  *active = primary[device].references > 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  NEED_DEVICE(physical, device);
  (void)physical;
  primary[device].flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

static CUresult create(CUcontext *out, unsigned flags, CUdevice device) {
  NEED_DEVICE(physical, device);
  NEED(out);
  (void)physical;
  if (depth == STACK_DEPTH)
    return CUDA_ERROR_INVALID_VALUE;
  CUcontext context = calloc(1, sizeof *context);
  if (!context)
    return CUDA_ERROR_OUT_OF_MEMORY;
  driver_lock();
  set_up(context, device);
  context->flags = flags;
  CUresult result = retain(context);
  if (result) {
    work_set_remove(&context->legacy.pending);
    free(context);
  } else {
    *out = stack[depth++] = context;
  }
  driver_unlock();
  return result;
}

CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *params, int count, unsigned flags,
                        CUdevice device) {
  return create(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags,
                        CUdevice device) {
  return create(context, flags, device);
}

/* Ends a context that this thread has made current, if it has at most `most` references. */
static CUresult destroy(CUcontext context, unsigned most) {
  NEED_DRIVER();
  if (!context || context->primary || context->owner)
    return CUDA_ERROR_INVALID_CONTEXT;
  CUresult result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  driver_lock();
  if (context->references > most) {
    result = CUDA_ERROR_INVALID_CONTEXT;
  } else if (context->references) {
    tear_down(context);
    result = CUDA_SUCCESS;
  }
  driver_unlock();
  if (!result && depth && stack[depth - 1] == context)
    depth--;
  return result;
}

/* The old function does not end a context to which other users are attached. */
CUresult cuCtxDestroy(CUcontext context) {
  return destroy(context, 1);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  return destroy(context, UINT32_MAX);
}

CUresult cuCtxAttach(CUcontext *context, unsigned flags) {
  NEED_CONTEXT(current);
  NEED(context && flags == 0);
  if (current->primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  driver_lock();
  current->references++;
  driver_unlock();
  *context = current;
  return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context) {
  NEED_CONTEXT(current);
  if (context != current || context->primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context->references == 1)
    return destroy(context, 1);
  driver_lock();
  context->references--;
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  NEED_DRIVER();
  NEED(context);
  *context = depth ? stack[depth - 1] : NULL;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  NEED_DRIVER();
  if (!context) {
    depth -= depth > 0;
    return CUDA_SUCCESS;
  }
  depth += depth == 0;
  stack[depth - 1] = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  NEED_DRIVER();
  NEED(context && depth < STACK_DEPTH);
  stack[depth++] = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  return cuCtxPushCurrent_v2(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  NEED_DRIVER();
  if (!depth)
    return CUDA_ERROR_INVALID_CONTEXT;
  depth--;
  if (context)
    *context = stack[depth];
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context) {
  return cuCtxPopCurrent_v2(context);
}

CUresult cuCtxGetDevice(CUdevice *device) {
  return cuCtxGetDevice_v2(device, NULL);
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context) {
  NEED(device);
  if (!context)
    TRY(driver_context(&context));
  *device = context->ordinal;
  return CUDA_SUCCESS;
}

static CUresult synchronize(CUcontext context) {
  driver_lock();
  work_wait(work_of_context(context->id));
  pools_synchronized();
  driver_unlock();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
  NEED_CONTEXT(context);
  return synchronize(context);
}

CUresult cuCtxSynchronize_v2(CUcontext context) {
  NEED_DRIVER();
  return context ? synchronize(context) : cuCtxSynchronize();
}
