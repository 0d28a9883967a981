/*
 * Part of the plugin: the driver's functions in variables of the same names, as NVIDIA's dynlink
 * headers have them, and as others do with the newer names.
 */
#include <dlfcn.h>
#include <stddef.h>

int (*cuMemAlloc)(unsigned long long *address, size_t bytes);
int (*cuMemFree)(unsigned long long address);
int (*cuArrayDestroy)(void *array);
int (*cuMemCreate)(unsigned long long *handle, size_t bytes, const void *properties,
                   unsigned long long flags);

int plugin_by_variables(size_t bytes);
int plugin_free_by_variables(size_t bytes);

static unsigned long long address;

static void load(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  *(void **)&cuMemAlloc = dlsym(driver, "cuMemAlloc_v2");
  *(void **)&cuMemFree = dlsym(driver, "cuMemFree_v2");
  *(void **)&cuArrayDestroy = dlsym(driver, "cuArrayDestroy");
  *(void **)&cuMemCreate = dlsym(driver, "cuMemCreate");
}

int plugin_by_variables(size_t bytes) {
  load();
  return cuArrayDestroy && cuMemCreate ? cuMemAlloc(&address, bytes) : -1;
}

int plugin_free_by_variables(size_t bytes) {
  return bytes ? cuMemFree(address) : -1;
}
