/*
 * exports.c - libschedgpu-launches.so: the launches by their own names, for programs that are
 * linked with the driver and do not look them up. It is preloaded only in jobs with a share, before
 * libschedgpu-preload.so, which has the hooks: without a share no launch may be hooked.
 */
#include "../preload/turns/launches.h"
#include <dlfcn.h>
#include <stdatomic.h>

enum launch {
#define ENUMERATE(name, ...) LAUNCH_##name,
  SGP_TURN_HOOKS(ENUMERATE)
#undef ENUMERATE
      LAUNCHES
};

/** The hook of the preload library; without that the function of the next library. */
__attribute__((noinline, cold)) static void *find(_Atomic(void *) *known, const char *name) {
  void *(*hook_of)(const char *) =
      (void *(*)(const char *))dlsym(RTLD_DEFAULT, "schedgpu_preload_launch");
  void *found = hook_of ? hook_of(name) : NULL;
  if (!found)
    found = dlsym(RTLD_NEXT, name);
  if (found)
    atomic_store_explicit(known, found, memory_order_release);
  return found;
}

static _Atomic(void *) functions[LAUNCHES];

#define CALL(arguments) arguments
#define EXPORT(name, base, since, kind, parameters, arguments, ...)                                \
  __attribute__((visibility("default"))) CUresult name parameters;                                 \
  CUresult name parameters {                                                                       \
    void *hook = atomic_load_explicit(&functions[LAUNCH_##name], memory_order_acquire);            \
    if (__builtin_expect(!hook, 0))                                                                \
      hook = find(&functions[LAUNCH_##name], #name);                                               \
    return hook ? ((sgp_type_##name)hook)CALL(arguments) : CUDA_ERROR_STUB_LIBRARY;                \
  }
SGP_TURN_HOOKS(EXPORT)
