/*
 * hook_context.c - contexts cost device memory that no allocation shows: each is admitted before it
 * is made. Whatever a context owned goes with it.
 */
#include "charge.h"
#include "devices.h"
#include "room.h"

/* Admits a context on `device`. `*context` is filled as far as known. */
static struct sgp_charge admit(CUdevice device, bool primary, struct sgp_context *context) {
  *context = (struct sgp_context){.device = device, .ordinal = SGP_NO_DEVICE, .primary = primary};
  if (sgp_mode() != SGP_MODE_ON)
    return sgp_charge_nothing(false);
  context->ordinal = sgp_device_ordinal(device);
  if (context->ordinal == SGP_NO_DEVICE)
    return sgp_charge_nothing(false);
  struct sgp_verdict verdict = sgp_admit_context(context->ordinal);
  if (verdict.refused)
    return (struct sgp_charge){.refused = true, .error = verdict.error};
  return sgp_charge_nothing(verdict.charged);
}

/* Remembers the context, or leaves it if there is none or it was admitted before. */
static void settle(const struct sgp_charge *charge, CUresult result, struct sgp_context *context) {
  if (!charge->charged)
    return;
  if (result != CUDA_SUCCESS || !sgp_context_add(context))
    sgp_leave_context(context->ordinal);
}

#define SGP_CREATE(call)                                                                           \
  do {                                                                                             \
    struct sgp_context made;                                                                       \
    struct sgp_charge charge = admit(device, false, &made);                                        \
    if (charge.refused)                                                                            \
      return charge.error;                                                                         \
    CUresult result;                                                                               \
    do                                                                                             \
      result = (call);                                                                             \
    while (sgp_charge_retry(&charge, result));                                                     \
    if (result == CUDA_SUCCESS)                                                                    \
      made.context = *context;                                                                     \
    settle(&charge, result, &made);                                                                \
    return result;                                                                                 \
  } while (0)

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  SGP_BEGIN(cuCtxCreate_v2, context, flags, device);
  SGP_CREATE(real(context, flags, device));
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *params, int count, unsigned flags,
                        CUdevice device) {
  SGP_BEGIN(cuCtxCreate_v3, context, params, count, flags, device);
  SGP_CREATE(real(context, params, count, flags, device));
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags,
                        CUdevice device) {
  SGP_BEGIN(cuCtxCreate_v4, context, params, flags, device);
  SGP_CREATE(real(context, params, flags, device));
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  SGP_BEGIN(cuCtxDestroy_v2, context);
  struct sgp_context record;
  bool known = context && sgp_context_find(context, &record) && sgp_context_remove(record.id);
  CUresult result = real(context);
  if (known && result == CUDA_SUCCESS)
    sgp_context_gone(&record);
  else if (known)
    sgp_context_put_back(&record);
  return result;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxRetain, context, device);
  struct sgp_context primary;
  struct sgp_charge charge = admit(device, true, &primary);
  if (charge.refused)
    return charge.error;
  CUresult result;
  sgp_primary_lock();
  do
    result = real(context, device);
  while (sgp_charge_retry(&charge, result));
  if (result == CUDA_SUCCESS)
    primary.context = *context;
  settle(&charge, result, &primary);
  sgp_primary_unlock();
  return result;
}

static void primary_gone(CUdevice device) {
  struct sgp_context primary;
  if (sgp_context_find_primary(device, &primary) && sgp_context_remove(primary.id))
    sgp_context_gone(&primary);
}

/* The driver knows best whether that was the last reference: not every one passes through us. */
static bool primary_is_gone(CUdevice device) {
  sgp_cuDevicePrimaryCtxGetState state = SGP_CALL(cuDevicePrimaryCtxGetState);
  unsigned flags;
  int active = 1;
  return state && state(device, &flags, &active) == CUDA_SUCCESS && !active;
}

static CUresult release_primary(CUresult (*real)(CUdevice), CUdevice device) {
  sgp_primary_lock();
  CUresult result = real(device);
  if (result == CUDA_SUCCESS && primary_is_gone(device))
    primary_gone(device);
  sgp_primary_unlock();
  return result;
}

static CUresult reset_primary(CUresult (*real)(CUdevice), CUdevice device) {
  sgp_primary_lock();
  CUresult result = real(device);
  if (result == CUDA_SUCCESS)
    primary_gone(device);
  sgp_primary_unlock();
  if (sgp_may_make_room())
    sgp_room_settle();
  return result;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxRelease, device);
  return release_primary(real, device);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxRelease_v2, device);
  return release_primary(real, device);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxReset, device);
  return reset_primary(real, device);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxReset_v2, device);
  return reset_primary(real, device);
}
