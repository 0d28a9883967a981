/* hooks.c - see hooks.h. */
#include "hooks.h"
#include "../join/order.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

const struct sgp_hook_entry sgp_hooks[SGP_HOOK_COUNT] = {
#define SGP_ENTRY(name, base, since, stream, parameters)                                           \
  [SGP_##name] = {#name, base, (void *)name, since, stream, SGP_DRIVER},
    SGP_HOOKS(SGP_ENTRY)
#undef SGP_ENTRY
#define SGP_ENTRY(name, parameters)                                                                \
  [SGP_##name] = {#name, "", (void *)name, 0, SGP_LEGACY, SGP_NVML},
        SGP_NVML_HOOKS(SGP_ENTRY)
#undef SGP_ENTRY
#define SGP_ENTRY(name, base, since, stream, ...)                                                  \
  [SGP_##name] = {#name, base, (void *)sgp_turn_##name, since, stream, SGP_DRIVER},
            SGP_TURN_HOOKS(SGP_ENTRY)
#undef SGP_ENTRY
};

/** A program that changes its environment later changes nothing here. */
__attribute__((constructor)) static void decide_at_start(void) {
  sgp_turns_are_asked();
  sgp_tell_of_driver_before_us();
}

bool sgp_turns_are_asked(void) {
  static _Atomic int known; /* 0: not asked, 1: no, 2: yes */
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) {
    const char *share = getenv("SCHEDGPU_SHARE"), *job = getenv("SCHEDGPU_JOB");
    answer = share && *share && job && *job && !getauxval(AT_SECURE) ? 2 : 1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2;
}

int sgp_hook_named(const char *name) {
  for (int i = 0, count = sgp_hook_count(); i < count; i++)
    if (strcmp(sgp_hooks[i].name, name) == 0)
      return i;
  return -1;
}
