/*
 * passive.c - detects a program that is linked with libschedgpu.so and so reserves by itself, and
 * lets the proxy (proxy/) leave the work to the preload library. Walks the list of loaded
 * libraries: dlopen() would wait for a thread that is loading a library, whose constructor may wait
 * for us.
 */
#include "passive.h"
#include "../resolve/this_library.h"
#include <link.h>
#include <stdatomic.h>
#include <string.h>

static bool begins(const char *file, const char *prefix) {
  return strncmp(file, prefix, strlen(prefix)) == 0;
}

static int does_accounting(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *file = slash ? slash + 1 : info->dlpi_name;
  return begins(file, "libschedgpu.so") || (sgp_is_proxy && begins(file, "libschedgpu-preload.so"));
}

/* Decided once, because in a forked child the list may be locked forever. */
bool sgp_is_passive(void) {
  enum { UNKNOWN, ACTIVE, PASSIVE };
  static atomic_int known;
  int answer = atomic_load(&known);
  if (answer == UNKNOWN) {
    answer = dl_iterate_phdr(does_accounting, NULL) ? PASSIVE : ACTIVE;
    atomic_store(&known, answer);
  }
  return answer == PASSIVE;
}
