/* hook_primary.c - hooks of primary contexts, which live as long as they are retained. */
#include "../account/admission.h"
#include "../account/room.h"
#include "../turns/turns.h"

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxRetain, context, device);
  struct sgp_context primary;
  struct sgp_charge charge = sgp_admit(device, true, &primary);
  if (charge.refused)
    return charge.error;
  CUresult result;
  sgp_primary_lock();
  do
    result = real(context, device);
  while (sgp_charge_retry(&charge, result));
  if (result == CUDA_SUCCESS)
    primary.context = *context;
  sgp_admit_settle(&charge, result, &primary);
  sgp_primary_unlock();
  return result;
}

static void gone(CUdevice device) {
  struct sgp_context primary;
  if (!sgp_context_find_primary(device, &primary) || !sgp_context_remove(primary.id))
    return;
  sgp_turn_context_ended(primary.context);
  sgp_context_ended(&primary);
}

/* The driver knows whether that was the last reference, as not all of them pass through hooks. */
static bool primary_has_ended(CUdevice device) {
  sgp_cuDevicePrimaryCtxGetState state = SGP_CALL(cuDevicePrimaryCtxGetState);
  unsigned flags;
  int active = 1;
  return state && state(device, &flags, &active) == CUDA_SUCCESS && !active;
}

void sgp_primary_released(CUdevice device) {
  if (primary_has_ended(device))
    gone(device);
}

static CUresult release(CUresult (*real)(CUdevice), CUdevice device) {
  sgp_primary_lock();
  sgp_turns_lock_contexts();
  CUresult result = real(device);
  if (result == CUDA_SUCCESS)
    sgp_primary_released(device);
  sgp_turns_unlock_contexts();
  sgp_primary_unlock();
  return result;
}

static CUresult reset(CUresult (*real)(CUdevice), CUdevice device) {
  sgp_primary_lock();
  sgp_turns_lock_contexts();
  CUresult result = real(device);
  if (result == CUDA_SUCCESS)
    gone(device);
  sgp_turns_unlock_contexts();
  sgp_primary_unlock();
  if (sgp_may_make_room())
    sgp_room_settle();
  return result;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxRelease, device);
  return release(real, device);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxRelease_v2, device);
  return release(real, device);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxReset, device);
  return reset(real, device);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  SGP_BEGIN(cuDevicePrimaryCtxReset_v2, device);
  return reset(real, device);
}
