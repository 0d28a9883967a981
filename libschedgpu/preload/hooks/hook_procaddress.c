/*
 * hook_procaddress.c - hooks of cuGetProcAddress, which the runtime uses for every function. The
 * driver chooses the function (by version and default stream); the hook only replaces that very
 * function by ours.
 */
#include "../account/charge.h"
#include "../join/message.h"
#include <stdio.h>
#include <string.h>

#define PER_THREAD_DEFAULT_STREAM UINT64_C(2)
#define NEWEST_VARIANT 9

/*
 * The hook of the function at `address`, under whatever name it was requested: a newer version may
 * be a separate function (cuGraphInstantiate became cuGraphInstantiateWithFlags).
 */
static int hook_of_address(const void *address) {
  for (int i = 0, count = sgp_hook_count(); i < count; i++)
    if (sgp_hooks[i].library == SGP_DRIVER && sgp_exported((enum sgp_hook)i) == address)
      return i;
  return -1;
}

/*
 * True if `address` is a variant of `base` that the table lacks: an older one, or one of a newer
 * driver. Its parameters may differ.
 */
static bool is_other_variant(const char *base, const void *address) {
  static const char *const endings[] = {"", "_ptsz", "_ptds"};
  char name[128];
  for (int variant = 1; variant <= NEWEST_VARIANT; variant++)
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
      int length = variant == 1
                       ? snprintf(name, sizeof name, "%s%s", base, endings[i])
                       : snprintf(name, sizeof name, "%s_v%d%s", base, variant, endings[i]);
      if (length < (int)sizeof name && sgp_driver_symbol(name) == address)
        return true;
    }
  return false;
}

/* For drivers that return other addresses than they export: by the request. */
static int hook_of_request(const char *base, int version, cuuint64_t flags) {
  int best = -1, exact = sgp_hook_named(base);
  if (exact >= 0 && strcmp(sgp_hooks[exact].base, base) != 0)
    return exact;
  for (int i = 0, count = sgp_hook_count(); i < count; i++) {
    const struct sgp_hook_entry *entry = &sgp_hooks[i];
    if (strcmp(entry->base, base) != 0 || entry->since > version ||
        (entry->stream == SGP_PER_THREAD && !(flags & PER_THREAD_DEFAULT_STREAM)))
      continue;
    if (best < 0 || entry->stream > sgp_hooks[best].stream ||
        (entry->stream == sgp_hooks[best].stream && entry->since > sgp_hooks[best].since))
      best = i;
  }
  return best;
}

/* A driver may also know its functions by their exported names. */
static bool is_hooked(const char *symbol) {
  for (int i = 0, count = sgp_hook_count(); i < count; i++)
    if (strcmp(sgp_hooks[i].base, symbol) == 0 || strcmp(sgp_hooks[i].name, symbol) == 0)
      return true;
  return false;
}

static void substitute(const char *base, void **function, int version, cuuint64_t flags) {
  if (!base || !function || !*function)
    return;
  int hook = hook_of_address(*function);
  if (hook < 0 && (!is_hooked(base) || is_other_variant(base, *function)))
    return;
  if (hook < 0)
    hook = hook_of_request(base, version, flags);
  if (hook < 0)
    return;
  sgp_real_is((enum sgp_hook)hook, *function);
  *function = sgp_hooks[hook].hook;
}

/* Look-ups by the driver itself, and by its helpers, get the driver's functions. */
#define SGP_LOOK_UP(name, call)                                                                    \
  do {                                                                                             \
    __typeof__(&name) real = (__typeof__(&name))sgp_real(SGP_##name);                              \
    if (!real)                                                                                     \
      return CUDA_ERROR_STUB_LIBRARY;                                                              \
    CUresult result = (call);                                                                      \
    if (result == CUDA_SUCCESS && !sgp_inside)                                                     \
      substitute(symbol, function, version, flags);                                                \
    return result;                                                                                 \
  } while (0)

CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags) {
  SGP_LOOK_UP(cuGetProcAddress, real(symbol, function, version, flags));
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  SGP_LOOK_UP(cuGetProcAddress_v2, real(symbol, function, version, flags, status));
}
