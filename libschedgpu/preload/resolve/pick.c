/*
 * pick.c - decides what dlsym returns for hooked names. trampoline.S calls it for names that begin
 * with "cu" or "nvml".
 */
#include "resolve.h"
#include "variables.h"
#include <dlfcn.h>

/** `decided` = 0: the real dlsym answers. In two registers, as the trampoline expects. */
struct sgp_answer {
  void *address;
  uintptr_t decided;
};
struct sgp_answer sgp_pick(void *handle, const char *name, const void *caller);

static const struct sgp_answer not_ours = {NULL, 0}, not_found = {NULL, 1};

/*
 * A look-up by handle gets our function only in place of the one that our hook would call. A
 * function of the same name in another library was requested explicitly, and reaches us when it
 * asks for the driver's.
 */
static struct sgp_answer pick_in(void *handle, enum sgp_hook hook) {
  sgp_dlsym_function next = sgp_next_dlsym();
  void *found = next ? next(handle, sgp_hooks[hook].name) : NULL;
  if (!found)
    return not_found;
  if (found == sgp_real(hook) || sgp_is_driver_code(found))
    found = sgp_hooks[hook].hook;
  dlerror(); /* left by our own look-ups */
  return (struct sgp_answer){found, 1};
}

/*
 * A launch has no exported hook: a look-up in the global scope gets ours if it would find the
 * driver's, and not that of an interposer. One for what is behind the caller gets what is there.
 */
static struct sgp_answer pick_launch(void *handle, enum sgp_hook hook) {
  sgp_dlsym_function next = sgp_next_dlsym();
  if (!sgp_exists_without_us(sgp_hooks[hook].name))
    return not_found;
  void *found = handle == RTLD_DEFAULT && next ? next(handle, sgp_hooks[hook].name) : NULL;
  if (!found || !sgp_is_driver_code(found))
    return not_ours;
  return (struct sgp_answer){sgp_hooks[hook].hook, 1};
}

struct sgp_answer sgp_pick(void *handle, const char *name, const void *caller) {
  int hook = sgp_hook_named(name);
  sgp_own_variables(caller);
  /* A driver that looks up its own parts (WSL2) must get them; with ours it would call itself. */
  if (hook < 0 || sgp_is_driver_code(caller))
    return not_ours;
  if (handle != RTLD_DEFAULT && handle != RTLD_NEXT)
    return pick_in(handle, (enum sgp_hook)hook);
  if (hook >= SGP_FIRST_LAUNCH)
    return pick_launch(handle, (enum sgp_hook)hook);
  /*
   * Our exported symbols answer these by the rules of the dynamic linker, so an interposer behind
   * us gets what is behind it. Without a driver we must not pretend that there is one.
   */
  return sgp_exists_without_us(name) ? not_ours : not_found;
}
