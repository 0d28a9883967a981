/* hooks.c - see hooks.h. */
#include "hooks.h"
#include <string.h>

const struct sgp_hook_entry sgp_hooks[SGP_HOOK_COUNT] = {
#define SGP_ENTRY(name, base, since, stream, parameters)                                           \
  [SGP_##name] = {#name, base, (void *)name, since, stream, SGP_DRIVER},
    SGP_HOOKS(SGP_ENTRY)
#undef SGP_ENTRY
#define SGP_ENTRY(name, parameters)                                                                \
  [SGP_##name] = {#name, "", (void *)name, 0, SGP_LEGACY, SGP_NVML},
        SGP_NVML_HOOKS(SGP_ENTRY)
#undef SGP_ENTRY
};

int sgp_hook_named(const char *name) {
  for (int i = 0; i < SGP_HOOK_COUNT; i++)
    if (strcmp(sgp_hooks[i].name, name) == 0)
      return i;
  return -1;
}
