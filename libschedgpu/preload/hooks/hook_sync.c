/*
 * hook_sync.c - hooks of the calls at which the driver releases what its pools hold beyond their
 * thresholds. They cost one load while no pool has anything to release.
 */
#include "../account/pools.h"

#define SGP_SYNCHRONIZE(name, ...)                                                                 \
  do {                                                                                             \
    __typeof__(&name) real = (__typeof__(&name))sgp_real(SGP_##name);                              \
    if (!real)                                                                                     \
      return CUDA_ERROR_STUB_LIBRARY;                                                              \
    CUresult result = real(__VA_ARGS__);                                                           \
    if (sgp_inside || !sgp_pools_have_slack())                                                     \
      return result;                                                                               \
    __attribute__((cleanup(sgp_end_hook), unused)) const bool sgp_scope = sgp_inside = true;       \
    sgp_pools_settle(SGP_ALL_DEVICES);                                                             \
    return result;                                                                                 \
  } while (0)

CUresult cuStreamSynchronize(CUstream stream) {
  SGP_SYNCHRONIZE(cuStreamSynchronize, stream);
}
CUresult cuStreamSynchronize_ptsz(CUstream stream) {
  SGP_SYNCHRONIZE(cuStreamSynchronize_ptsz, stream);
}
CUresult cuEventSynchronize(CUevent event) {
  SGP_SYNCHRONIZE(cuEventSynchronize, event);
}
CUresult cuCtxSynchronize(void) {
  SGP_SYNCHRONIZE(cuCtxSynchronize);
}
CUresult cuCtxSynchronize_v2(CUcontext context) {
  SGP_SYNCHRONIZE(cuCtxSynchronize_v2, context);
}
