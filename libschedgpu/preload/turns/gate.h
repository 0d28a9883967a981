/* gate.h - the hook of a launch passes the gate of the process (turns.h). */
#ifndef SGP_GATE_H
#define SGP_GATE_H

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

#endif
