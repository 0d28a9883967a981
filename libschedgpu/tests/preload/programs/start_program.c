/*
 * start_program.c - the start of a CUDA program up to its first memory, as NVIDIA's runtime does
 * it: one look-up of cuGetProcAddress, several hundred names through that, then a context and an
 * allocation. The first argument says how far to go: "nothing", "names" or "memory".
 */
#include "cuda_abi.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* --- names of the driver's functions, most of them not hooked --- */
static const char *const names[] = {
#include "start_names.h"
};

static __typeof__(&cuGetProcAddress_v2) get;

static void *find(const char *name) {
  void *function = NULL;
  CUdriverProcAddressQueryResult status;
  return get(name, &function, 12080, 0, &status) ? NULL : function;
}

static int find_all(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  get = driver ? (__typeof__(get))dlsym(driver, "cuGetProcAddress_v2") : NULL;
  for (size_t i = 0; get && i < sizeof names / sizeof *names; i++)
    find(names[i]);
  return get == NULL;
}

static int allocate(void) {
  __typeof__(&cuInit) init = (__typeof__(&cuInit))find("cuInit");
  __typeof__(&cuDevicePrimaryCtxRetain) retain =
      (__typeof__(&cuDevicePrimaryCtxRetain))find("cuDevicePrimaryCtxRetain");
  __typeof__(&cuCtxSetCurrent) use = (__typeof__(&cuCtxSetCurrent))find("cuCtxSetCurrent");
  __typeof__(&cuMemAlloc_v2) alloc = (__typeof__(&cuMemAlloc_v2))find("cuMemAlloc");
  CUcontext context;
  CUdeviceptr address;
  return init(0) || retain(&context, 0) || use(context) || alloc(&address, 1 << 20);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "nothing";
  if (strcmp(how, "nothing") == 0)
    return 0;
  return find_all() || (strcmp(how, "memory") == 0 && allocate());
}
