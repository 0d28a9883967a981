/*
 * procaddress_program.c - requests every hooked name from cuGetProcAddress, old and new, in every
 * version and with every flag; and from the driver's own, behind every hook. Both must agree: where
 * the driver returns a hooked function, the answer must be the hook of that very function. The
 * table of hooks is the library's; nothing else of the library is used.
 */
#include "hooks.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define UNTOUCHED ((void *)0x51)

typedef CUresult (*get1_function)(const char *, void **, int, cuuint64_t);
typedef CUresult (*get2_function)(const char *, void **, int, cuuint64_t,
                                  CUdriverProcAddressQueryResult *);
typedef void *(*dlsym_function)(void *, const char *);

/* The hooked look-ups and the driver's own. */
struct look_up {
  get1_function get1;
  get2_function get2;
};
static struct look_up ours, drivers;

struct answer {
  CUresult error;
  int status;
  void *function;
};

static const struct {
  const char *name, *base;
  int since;
} hooks[] = {
#define LINE(name, base, since, stream, parameters) {#name, base, since},
    SGP_HOOKS(LINE)
#undef LINE
};
enum { HOOKS = sizeof hooks / sizeof *hooks };
static int given[HOOKS];

static int requests, substituted, wrong;

static struct answer ask(struct look_up from, int new, const char *base, int version,
                         cuuint64_t flags, int want_status) {
  struct answer a = {.status = -7, .function = UNTOUCHED};
  CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)-7;
  a.error = new ? from.get2(base, &a.function, version, flags, want_status ? &status : NULL)
                : from.get1(base, &a.function, version, flags);
  a.status = (int)status;
  return a;
}

static int hook_of(const char *name) {
  for (int i = 0; i < HOOKS; i++)
    if (strcmp(hooks[i].name, name) == 0)
      return i;
  return -1;
}

static const char *file_of(const Dl_info *info) {
  const char *slash = strrchr(info->dli_fname, '/');
  return slash ? slash + 1 : info->dli_fname;
}

/* True if `got` is what must replace the driver's answer. */
static int is_right(void *got, void *true_one) {
  Dl_info mine, his;
  if (!true_one || true_one == UNTOUCHED || !dladdr(true_one, &his) || !his.dli_sname)
    return got == true_one;
  int hook = hook_of(his.dli_sname);
  if (hook < 0)
    return got == true_one;
  given[hook]++;
  substituted++;
  return dladdr(got, &mine) && mine.dli_sname && strcmp(mine.dli_sname, his.dli_sname) == 0 &&
         strcmp(file_of(&mine), "libschedgpu-preload.so") == 0;
}

static void compare(const char *base, int version, cuuint64_t flags) {
  for (int way = drivers.get1 ? 0 : 1; way < 3; way++) {
    struct answer got = ask(ours, way > 0, base, version, flags, way > 1),
                  truth = ask(drivers, way > 0, base, version, flags, way > 1);
    requests++;
    if (got.error == truth.error && got.status == truth.status &&
        is_right(got.function, truth.function))
      continue;
    if (wrong++ == 0)
      fprintf(stderr, "wrong: %s, version %d, flags %d, way %d\n", base, version, (int)flags, way);
  }
}

static void compare_all(const char *base) {
  for (cuuint64_t flags = 0; flags < 4; flags++) {
    for (int version = -1000; version <= 15000; version += 1000)
      compare(base, version, flags);
    for (int i = 0; i < HOOKS; i++)
      for (int off = -1; off <= 1; off++)
        compare(base, hooks[i].since + off, flags);
  }
}

/* Unknown flags. (A NULL name or a NULL place crashes NVIDIA's driver.) */
static int same_refusals(void) {
  void *function = UNTOUCHED;
  CUdriverProcAddressQueryResult status;
  return (!drivers.get1 || ours.get1("cuMemAlloc", &function, 3020, 99) ==
                               drivers.get1("cuMemAlloc", &function, 3020, 99)) &&
         ours.get2("cuMemAlloc", &function, 3020, 99, &status) ==
             drivers.get2("cuMemAlloc", &function, 3020, 99, &status);
}

int main(void) {
  static const char *const others[] = {"cuMemcpy", "cuCtxGetDevice",   "cuLaunchKernel",
                                       "cuInit",   "cuDeviceGetCount", "cuNoSuchFunction",
                                       "",         "cuMemAlloc_v2"};
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  dlsym_function libc =
      (dlsym_function)dlvsym(dlopen("libc.so.6", RTLD_NOW), "dlsym", "GLIBC_2.34");
  if (!driver || !libc)
    return 1;
  ours = (struct look_up){(get1_function)dlsym(driver, "cuGetProcAddress"),
                          (get2_function)dlsym(driver, "cuGetProcAddress_v2")};
  drivers = (struct look_up){(get1_function)libc(driver, "cuGetProcAddress"),
                             (get2_function)libc(driver, "cuGetProcAddress_v2")};
  for (int i = 0; i < HOOKS; i++) {
    compare_all(hooks[i].base);
    compare_all(hooks[i].name);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    compare_all(others[i]);
  int missing = 0;
  for (int i = 0; i < HOOKS; i++)
    if (given[i] == 0 && missing++ == 0)
      fprintf(stderr, "never given out: %s\n", hooks[i].name);
  printf("%d %d %d %d %d\n", requests, substituted, wrong, missing, same_refusals());
  return 0;
}
