/*
 * hook_context.c - hooks of contexts. A context costs device memory that no allocation shows, so
 * each is admitted before it is created. Memory of a context ends with it.
 */
#include "../account/admission.h"
#include "../turns/turns.h"

#define SGP_CREATE(call)                                                                           \
  do {                                                                                             \
    struct sgp_context made;                                                                       \
    struct sgp_charge charge = sgp_admit(device, false, &made);                                    \
    if (charge.refused)                                                                            \
      return charge.error;                                                                         \
    CUresult result;                                                                               \
    do                                                                                             \
      result = (call);                                                                             \
    while (sgp_charge_retry(&charge, result));                                                     \
    if (result == CUDA_SUCCESS)                                                                    \
      made.context = *context;                                                                     \
    sgp_admit_settle(&charge, result, &made);                                                      \
    return result;                                                                                 \
  } while (0)

CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device) {
  SGP_BEGIN(cuCtxCreate, context, flags, device);
  SGP_CREATE(real(context, flags, device));
}

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

static CUresult destroy(CUresult (*real)(CUcontext), CUcontext context) {
  struct sgp_context record;
  sgp_turns_lock_contexts();
  bool known = context && sgp_context_find(context, &record) && sgp_context_remove(record.id);
  CUresult result = real(context);
  sgp_turns_unlock_contexts();
  if (result == CUDA_SUCCESS)
    sgp_turn_context_ended(context);
  if (known && result == CUDA_SUCCESS)
    sgp_context_ended(&record);
  else if (known)
    sgp_context_put_back(&record);
  return result;
}

CUresult cuCtxDestroy(CUcontext context) {
  SGP_BEGIN(cuCtxDestroy, context);
  return destroy(real, context);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  SGP_BEGIN(cuCtxDestroy_v2, context);
  return destroy(real, context);
}

/* --- contexts of older versions, which live as long as a user is attached --- */
CUresult cuCtxAttach(CUcontext *context, unsigned flags) {
  SGP_BEGIN(cuCtxAttach, context, flags);
  CUresult result = real(context, flags);
  if (result == CUDA_SUCCESS)
    sgp_context_attached(*context);
  return result;
}

CUresult cuCtxDetach(CUcontext context) {
  SGP_BEGIN(cuCtxDetach, context);
  struct sgp_context record;
  sgp_turns_lock_contexts();
  enum sgp_detached how = sgp_context_detached(context, &record);
  CUresult result = real(context);
  sgp_turns_unlock_contexts();
  if (how == SGP_LAST_DETACHED && result == CUDA_SUCCESS) {
    sgp_turn_context_ended(context);
    sgp_context_ended(&record);
  } else if (how == SGP_LAST_DETACHED)
    sgp_context_put_back(&record);
  else if (how == SGP_STILL_ATTACHED && result != CUDA_SUCCESS)
    sgp_context_attached(context);
  return result;
}
