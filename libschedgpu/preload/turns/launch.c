/* launch.c - the hooks of launches: each passes the gate (turns.h). */
#include "turns.h"
#include "../account/charge.h"
#include "../hooks/capture.h"

#define CALL(arguments) arguments

#define SGP_LAUNCH(name, base, since, kind, parameters, arguments, where)                          \
  CUresult sgp_turn_##name parameters {                                                            \
    sgp_type_##name real = (sgp_type_##name)sgp_real(SGP_##name);                                  \
    if (!real)                                                                                     \
      return CUDA_ERROR_STUB_LIBRARY;                                                              \
    if (sgp_inside)                                                                                \
      return real CALL(arguments);                                                                 \
    __attribute__((cleanup(sgp_turn_end))) const struct sgp_turn turn = sgp_turn_begin(where);     \
    if (turn.refused)                                                                              \
      return CUDA_ERROR_NOT_PERMITTED;                                                             \
    __attribute__((cleanup(sgp_end_hook), unused)) const bool sgp_scope = sgp_inside = true;       \
    return real CALL(arguments);                                                                   \
  }
SGP_LAUNCHES(SGP_LAUNCH)
