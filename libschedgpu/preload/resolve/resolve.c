/* resolve.c - see resolve.h. */
#include "resolve.h"
#include "../join/message.h"
#include "other_libc.h"
#include "this_library.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* glibc 2.34 moved dlsym from libdl to libc with a new version; the old one remained. */
static const char *const versions[] = {
#if defined(__x86_64__)
    "GLIBC_2.2.5",
#elif defined(__aarch64__)
    "GLIBC_2.17",
#endif
    "GLIBC_2.34"};

static _Atomic(void *) libc_dlsym;
/* Read by the trampoline (trampoline.S), which must not call C for names that are not hooked. */
__attribute__((visibility("hidden"))) _Atomic(void *) sgp_dlsym_target;
static _Atomic(void *) handles[SGP_LIBRARIES];
_Atomic(void *) sgp_reals[SGP_HOOK_COUNT];
static _Atomic(void *) calls[SGP_CALL_COUNT];

sgp_dlsym_function sgp_libc_dlsym(void) {
  void *found = atomic_load_explicit(&libc_dlsym, memory_order_acquire);
  if (!found && !sgp_is_glibc())
    found = sgp_other_dlsym();
  for (size_t i = 0; sgp_is_glibc() && !found && i < sizeof versions / sizeof *versions; i++)
    found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
  if (!found)
    sgp_say_once(SGP_NO_DLSYM, "no real dlsym in this C library: look-ups fail; run the program "
                               "with --schedgpu=off");
  atomic_store_explicit(&libc_dlsym, found, memory_order_release);
  return (sgp_dlsym_function)found;
}

sgp_dlsym_function sgp_next_dlsym(void) {
  void *next = atomic_load_explicit(&sgp_dlsym_target, memory_order_acquire);
  if (!next) {
    sgp_dlsym_function libc = sgp_libc_dlsym();
    next = libc ? libc(RTLD_NEXT, "dlsym") : NULL;
    atomic_store_explicit(&sgp_dlsym_target, next, memory_order_release);
  }
  return (sgp_dlsym_function)next;
}

/*
 * The reference is never released, because addresses of the library are cached, here and in the
 * program.
 */
static void *handle_of(enum sgp_library library) {
  void *handle = atomic_load_explicit(&handles[library], memory_order_acquire);
  if (handle)
    return handle;
  const char *name = library == SGP_DRIVER ? sgp_driver_file : "libnvidia-ml.so.1";
  handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle)
    atomic_store_explicit(&handles[library], handle, memory_order_release);
  return handle;
}

static enum sgp_library library_of(const char *name) {
  return strncmp(name, "nvml", 4) == 0 ? SGP_NVML : SGP_DRIVER;
}

void *sgp_driver_symbol(const char *name) {
  sgp_dlsym_function libc = sgp_libc_dlsym();
  void *handle = libc ? handle_of(library_of(name)) : NULL;
  return handle ? libc(handle, name) : NULL;
}

void *sgp_exported(enum sgp_hook hook) {
  static char none; /* stands for "the driver has no such function" */
  static _Atomic(void *) exported[SGP_HOOK_COUNT];
  void *found = atomic_load_explicit(&exported[hook], memory_order_acquire);
  if (!found && handle_of(sgp_hooks[hook].library)) {
    found = sgp_driver_symbol(sgp_hooks[hook].name);
    atomic_store_explicit(&exported[hook], found ? found : &none, memory_order_release);
  }
  return found == &none ? NULL : found;
}

__attribute__((noinline, cold)) static void *find_real(enum sgp_hook hook) {
  const struct sgp_hook_entry *entry = &sgp_hooks[hook];
  sgp_dlsym_function libc = sgp_libc_dlsym(), next = sgp_next_dlsym();
  if (!libc)
    return NULL;
  void *handle = handle_of(entry->library);
  void *found = libc(RTLD_NEXT, entry->name);
  if (!found && handle)
    found = next(handle, entry->name);
  if (found == entry->hook)
    found = handle ? libc(handle, entry->name) : NULL;
  return found == entry->hook ? NULL : found;
}

void *sgp_real(enum sgp_hook hook) {
  void *real = atomic_load_explicit(&sgp_reals[hook], memory_order_acquire);
  if (!real && (real = find_real(hook)))
    atomic_store_explicit(&sgp_reals[hook], real, memory_order_release);
  return real;
}

void sgp_real_is(enum sgp_hook hook, void *address) {
  if (address != sgp_hooks[hook].hook && !sgp_real(hook))
    atomic_store_explicit(&sgp_reals[hook], address, memory_order_release);
}

void *sgp_call_address(enum sgp_call call) {
  static const char *const names[] = {
#define SGP_NAME(name, parameters) [SGP_CALL_##name] = #name,
      SGP_CALLS(SGP_NAME)
#undef SGP_NAME
  };
  void *address = atomic_load_explicit(&calls[call], memory_order_acquire);
  if (!address && (address = sgp_driver_symbol(names[call])))
    atomic_store_explicit(&calls[call], address, memory_order_release);
  return address;
}

bool sgp_is_driver_code(const void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname)
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  const char *file = slash ? slash + 1 : info.dli_fname;
  return strncmp(file, "libcuda.so", 10) == 0 || strncmp(file, "libnvidia-ml.so", 15) == 0;
}

bool sgp_exists_without_us(const char *name) {
  if (sgp_driver_symbol(name))
    return true;
  sgp_dlsym_function libc = sgp_libc_dlsym();
  return libc && libc(RTLD_NEXT, name); /* last, because the caller may ask for its dlerror() */
}
