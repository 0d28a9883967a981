/*
 * pick.c - what dlsym answers for the names that are hooked (called by trampoline.S for names
 * that begin with "cu" or "nvml").
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

/* By handle: ours only in place of what our hook would call. Another library's own function of the
   same name was asked for by name, and reaches us when it asks for the driver's. */
static struct sgp_answer pick_in(void *handle, enum sgp_hook hook) {
  sgp_dlsym_function next = sgp_next_dlsym();
  void *found = next ? next(handle, sgp_hooks[hook].name) : NULL;
  if (!found)
    return not_found;
  if (found == sgp_real(hook) || sgp_is_driver_code(found))
    found = sgp_hooks[hook].hook;
  dlerror(); /* our own look-ups may have left one behind */
  return (struct sgp_answer){found, 1};
}

struct sgp_answer sgp_pick(void *handle, const char *name, const void *caller) {
  int hook = sgp_hook_named(name);
  sgp_own_variables(caller);
  /* A driver that looks up its own parts (WSL2) must get them, not us: it would call itself. */
  if (hook < 0 || sgp_is_driver_code(caller))
    return not_ours;
  if (handle != RTLD_DEFAULT && handle != RTLD_NEXT)
    return pick_in(handle, (enum sgp_hook)hook);
  /* Our exported symbols answer these by the rules of the dynamic linker, an interposer behind us
     gets what is behind it. But where there is no driver, we must not pretend one. */
  return sgp_exists_beyond(name) ? not_ours : not_found;
}
