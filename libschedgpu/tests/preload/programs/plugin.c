/* plugin.c - a library that a program loads late, and that looks up the driver itself. */
#include "cuda_abi.h"
#include <dlfcn.h>

static int allocate(void *found, size_t bytes) {
  CUdeviceptr address;
  return found ? (int)((__typeof__(&cuMemAlloc_v2))found)(&address, bytes) : -1;
}

int plugin_by_handle(size_t bytes);
int plugin_by_default(size_t bytes);

int plugin_by_handle(size_t bytes) {
  return allocate(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemAlloc_v2"), bytes);
}

int plugin_by_default(size_t bytes) {
  return allocate(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"), bytes);
}
