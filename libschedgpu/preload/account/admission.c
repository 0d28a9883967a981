/* admission.c - see admission.h. */
#include "admission.h"
#include "reserve.h"
#include "../join/devices.h"

struct sgp_charge sgp_admit(CUdevice device, bool primary, struct sgp_context *context) {
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

void sgp_admit_settle(const struct sgp_charge *charge, CUresult result,
                      struct sgp_context *context) {
  if (!charge->charged)
    return;
  if (result != CUDA_SUCCESS || !sgp_context_add(context))
    sgp_leave_context(context->ordinal);
}
