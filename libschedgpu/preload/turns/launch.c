/* launch.c - the hooks of launches: each passes the gate (turns.h). */
#include "turns.h"
#include "../account/charge.h"
#include "../hooks/capture.h"

#define CALL(arguments) arguments

/*
 * The slow part is a function of its own, so that the arguments stay where they are. A thread
 * without a slot is `inside` during its launch, so that a launch within it does not wait.
 */
#define SGP_PASS_GATE(scope, function, name, parameters, arguments, where)                         \
  __attribute__((noinline, cold)) static CUresult wait_for_##name parameters {                     \
    sgp_type_##name real = (sgp_type_##name)sgp_real(SGP_##name);                                  \
    if (!real)                                                                                     \
      return CUDA_ERROR_STUB_LIBRARY;                                                              \
    if (sgp_inside)                                                                                \
      return real CALL(arguments);                                                                 \
    __attribute__((cleanup(sgp_turn_end))) const struct sgp_turn turn = sgp_turn_take(where);      \
    if (turn.refused)                                                                              \
      return CUDA_ERROR_NOT_PERMITTED;                                                             \
    __attribute__((cleanup(sgp_end_hook), unused)) const bool sgp_scope = sgp_inside = true;       \
    return real CALL(arguments);                                                                   \
  }                                                                                                \
  scope CUresult function parameters {                                                             \
    sgp_type_##name real = (sgp_type_##name)sgp_known_real(SGP_##name);                            \
    struct sg_reader_slot *slot = sg_own_reader_slot;                                              \
    if (__builtin_expect(!real || sgp_inside || !sgp_turn_passes(slot), 0))                        \
      return wait_for_##name CALL(arguments);                                                      \
    CUresult result = real CALL(arguments);                                                        \
    sgp_turn_passed(slot);                                                                         \
    return result;                                                                                 \
  }

#define SGP_LAUNCH(name, base, since, kind, parameters, arguments, where)                          \
  SGP_PASS_GATE(, sgp_turn_##name, name, parameters, arguments, where)
SGP_LAUNCHES(SGP_LAUNCH)

/* --- copies --- */

static bool is_on_device(CUdeviceptr address) {
  unsigned type = 0; /* the driver does not know ordinary memory of the host */
  sgp_cuPointerGetAttribute ask = SGP_CALL(cuPointerGetAttribute);
  return ask && ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_DEVICE;
}

static bool sgp_copies_inside(CUdeviceptr to, CUdeviceptr from) {
  return is_on_device(to) && is_on_device(from);
}

static bool is_side_on_device(CUmemorytype type, CUdeviceptr address) {
  return type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_ARRAY ||
         (type == CU_MEMORYTYPE_UNIFIED && is_on_device(address));
}

static bool sgp_2d_copies_inside(const CUDA_MEMCPY2D *copy) {
  return copy && is_side_on_device(copy->dstMemoryType, copy->dstDevice) &&
         is_side_on_device(copy->srcMemoryType, copy->srcDevice);
}

#define SGP_COPY(name, base, since, kind, parameters, arguments, where, computes)                  \
  SGP_PASS_GATE(static, launch_##name, name, parameters, arguments, where)                         \
  CUresult sgp_turn_##name parameters {                                                            \
    sgp_type_##name real = (sgp_type_##name)sgp_real(SGP_##name);                                  \
    if (real && !sgp_inside && !(computes))                                                        \
      return real CALL(arguments);                                                                 \
    return launch_##name CALL(arguments);                                                          \
  }
SGP_COPIES(SGP_COPY)

/**
 * The hook of a launch, for libschedgpu-launches.so, which exports it. NULL: it is none.
 */
__attribute__((visibility("default"))) void *schedgpu_preload_launch(const char *name);
void *schedgpu_preload_launch(const char *name) {
  int hook = sgp_hook_named(name);
  return hook >= SGP_FIRST_LAUNCH ? sgp_hooks[hook].hook : NULL;
}
