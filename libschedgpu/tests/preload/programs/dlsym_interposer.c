/*
 * dlsym_interposer.c - the dlsym of another library, as graphics and profiling layers have it:
 * passes every call on, and counts the requests. PLACE distinguishes its copies.
 */
#include <dlfcn.h>
#include <string.h>

#define JOIN(a, b) a##b
#define COUNTER(place) JOIN(looked_up_, place)
int COUNTER(PLACE);

void *dlsym(void *restrict handle, const char *restrict name) {
  static void *(*next)(void *, const char *);
  if (!next)
    next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (!next)
    next = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  COUNTER(PLACE) += strncmp(name, "cu", 2) == 0;
  return next(handle, name);
}
