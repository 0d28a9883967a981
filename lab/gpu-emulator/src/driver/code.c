/*
 * code.c - modules and libraries. The emulator does not read images: every image has a kernel and a
 * variable of any name, created at the first request.
 */
#include "code.h"
#include "emulated_gpu.h"
#include "memory.h"
#include "../shared/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The size of a variable in an image with unknown content. */
enum { UNKNOWN_GLOBAL_BYTES = 65536 };

struct global {
  char *name;
  void *address;
  size_t bytes;
  struct global *next;
};

struct CUlib_st {
  struct CUkern_st *kernels;
  struct global *globals;
  CUdeviceptr image;         /* the block of the image on the device, 0 = none */
  unsigned long long number; /* the number of that block */
};

/* Allocates the image in the current context; without a context it takes no memory. */
static CUresult load_image(CUlibrary library) {
  uint64_t bytes = config_module_bytes();
  CUcontext context;
  if (!bytes || driver_context(&context) != CUDA_SUCCESS)
    return CUDA_SUCCESS;
  TRY(cuMemAlloc_v2(&library->image, bytes));
  driver_lock();
  library->number = block_find((void *)library->image)->id;
  driver_unlock();
  return CUDA_SUCCESS;
}

/* The block may have been freed with its context. */
static void unload_image(CUlibrary library) {
  driver_lock();
  struct block *block = library->image ? block_find((void *)library->image) : NULL;
  if (block && block->id == library->number)
    block_release(block);
  driver_unlock();
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit_options,
                           void **jit_values, unsigned jit_count, CUlibraryOption *options,
                           void **values, unsigned count) {
  NEED_DRIVER();
  NEED(library && image);
  CUlibrary made = calloc(1, sizeof *made);
  if (!made || load_image(made) != CUDA_SUCCESS) {
    free(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *library = made;
  return CUDA_SUCCESS;
}

static void free_kernels(struct CUkern_st *kernel) {
  while (kernel) {
    struct CUkern_st *next = kernel->next;
    free(kernel->name);
    free(kernel);
    kernel = next;
  }
}

static void free_globals(struct global *global) {
  while (global) {
    struct global *next = global->next;
    free(global->name);
    free(global->address);
    free(global);
    global = next;
  }
}

CUresult cuLibraryUnload(CUlibrary library) {
  NEED_DRIVER();
  if (!library)
    return CUDA_ERROR_INVALID_HANDLE;
  free_kernels(library->kernels);
  free_globals(library->globals);
  unload_image(library);
  free(library);
  return CUDA_SUCCESS;
}

static CUkernel kernel_named(CUlibrary library, const char *name) {
  for (CUkernel k = library->kernels; k; k = k->next)
    if (!strcmp(k->name, name))
      return k;
  CUkernel kernel = calloc(1, sizeof *kernel);
  if (!kernel)
    return NULL;
  kernel->name = strdup(name);
  kernel->library = library;
  kernel->next = library->kernels;
  library->kernels = kernel;
  return kernel;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  NEED_DRIVER();
  NEED(kernel && name);
  if (!library)
    return CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  *kernel = kernel_named(library, name);
  driver_unlock();
  return *kernel ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static struct global *global_named(CUlibrary library, const char *name, size_t bytes) {
  for (struct global *g = library->globals; g; g = g->next)
    if (!strcmp(g->name, name))
      return g;
  struct global *global = calloc(1, sizeof *global);
  if (!global)
    return NULL;
  global->name = strdup(name);
  global->address = calloc(1, bytes);
  global->bytes = bytes;
  global->next = library->globals;
  library->globals = global;
  return global;
}

CUresult emulatedGpuSetGlobalSize(CUlibrary library, const char *name, size_t bytes) {
  NEED_DRIVER();
  NEED(library && name && bytes);
  driver_lock();
  struct global *global = global_named(library, name, bytes);
  driver_unlock();
  return global ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                            const char *name) {
  NEED_DRIVER();
  NEED(name);
  if (!library)
    return CUDA_ERROR_INVALID_HANDLE;
  driver_lock();
  struct global *global = global_named(library, name, UNKNOWN_GLOBAL_BYTES);
  driver_unlock();
  if (!global)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (address)
    *address = (CUdeviceptr)global->address;
  if (bytes)
    *bytes = global->bytes;
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                             const char *name) {
  return cuLibraryGetGlobal(address, bytes, library, name);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  NEED_DRIVER();
  NEED(module);
  *module = (CUmodule)library;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  NEED_CONTEXT(context);
  (void)context;
  return cuLibraryLoadData((CUlibrary *)module, image, NULL, NULL, 0, NULL, NULL, 0);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
  NEED(path);
  if (access(path, R_OK))
    return CUDA_ERROR_FILE_NOT_FOUND;
  return cuModuleLoadData(module, path);
}

CUresult cuModuleUnload(CUmodule module) {
  return cuLibraryUnload((CUlibrary)module);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return cuLibraryGetKernel((CUkernel *)function, (CUlibrary)module, name);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                              const char *name) {
  return cuLibraryGetGlobal(address, bytes, (CUlibrary)module, name);
}
