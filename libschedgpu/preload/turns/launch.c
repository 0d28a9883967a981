/* launch.c - the hooks of launches, and of copies that are always inside the device. */
#include "gate.h"

#define SGP_LAUNCH(name, base, since, kind, parameters, arguments, where)                          \
  SGP_PASS_GATE(, sgp_turn_##name, name, parameters, arguments, where)
SGP_LAUNCHES(SGP_LAUNCH)
SGP_DEVICE_COPIES(SGP_LAUNCH)

/**
 * The hook of a launch, for libschedgpu-launches.so, which exports it. NULL: it is none.
 */
__attribute__((visibility("default"))) void *schedgpu_preload_launch(const char *name);
void *schedgpu_preload_launch(const char *name) {
  int hook = sgp_hook_named(name);
  return hook >= SGP_FIRST_LAUNCH ? sgp_hooks[hook].hook : NULL;
}
