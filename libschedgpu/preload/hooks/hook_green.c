/*
 * hook_green.c - hooks of green contexts. Each retains the primary context of its device. Memory
 * allocated in it belongs to that one, so it counts as no further context.
 */
#include "../account/admission.h"
#include "../account/green.h"

#define DEVICES 64 /* more than any node has */

CUresult cuGreenCtxCreate(CUgreenCtx *green, CUdevResourceDesc resources, CUdevice device,
                          unsigned flags) {
  SGP_BEGIN(cuGreenCtxCreate, green, resources, device, flags);
  struct sgp_context primary;
  struct sgp_charge charge = sgp_admit(device, true, &primary);
  if (charge.refused)
    return charge.error;
  CUresult result;
  sgp_primary_lock();
  do
    result = real(green, resources, device, flags);
  while (sgp_charge_retry(&charge, result));
  primary.context = result == CUDA_SUCCESS ? sgp_primary_context(device) : NULL;
  sgp_admit_settle(&charge, primary.context ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY, &primary);
  sgp_primary_unlock();
  return result;
}

CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx green) {
  SGP_BEGIN(cuCtxFromGreenCtx, context, green);
  CUresult result = real(context, green);
  if (result == CUDA_SUCCESS)
    sgp_green_add(*context, green);
  return result;
}

/* The device need not be known: the driver says which primary contexts are gone. */
CUresult cuGreenCtxDestroy(CUgreenCtx green) {
  SGP_BEGIN(cuGreenCtxDestroy, green);
  struct sgp_context primary;
  sgp_primary_lock();
  CUcontext context = sgp_green_remove(green);
  CUresult result = real(green);
  if (result != CUDA_SUCCESS && context)
    sgp_green_add(context, green);
  for (CUdevice device = 0; result == CUDA_SUCCESS && device < DEVICES; device++)
    if (sgp_context_find_primary(device, &primary))
      sgp_primary_released(device);
  sgp_primary_unlock();
  return result;
}
