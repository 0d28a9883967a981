/* runtime_code.c - the code that nvcc embeds in a program, and its launches. */
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>

/* One embedded image, loaded at its first use. */
struct image {
  const void *data;
  CUlibrary library;
};

/* A kernel or a variable: its host address, and its name in the image. */
struct symbol {
  const void *host;
  const char *name;
  struct image *image;
  size_t bytes; /* size of a variable, 0 for a kernel */
  CUkernel kernel;
  struct symbol *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct symbol *symbols;

static void add(struct image *image, const void *host, const char *name, size_t bytes,
                CUkernel kernel) {
  struct symbol *symbol = calloc(1, sizeof *symbol);
  if (!symbol)
    return;
  *symbol =
      (struct symbol){.host = host, .name = name, .image = image, .bytes = bytes, .kernel = kernel};
  pthread_mutex_lock(&lock);
  symbol->next = symbols;
  symbols = symbol;
  pthread_mutex_unlock(&lock);
}

void **__cudaRegisterFatBinary(void *data) {
  struct image *image = calloc(1, sizeof *image);
  if (image)
    image->data = data;
  return (void **)image;
}

void __cudaRegisterFatBinaryEnd(void **module) {}
char __cudaInitModule(void **module) {
  return 1;
}

/* Called at the end of the program, perhaps after the driver has gone, so it does nothing. */
void __cudaUnregisterFatBinary(void **module) {}

void __cudaRegisterFunction(void **module, const char *host, char *device, const char *name,
                            int thread_limit, void *thread_id, void *block_id, dim3 *block,
                            dim3 *grid, int *warp_size) {
  add((struct image *)module, host, name, 0, NULL);
}

void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int is_extern,
                       size_t bytes, int is_constant, int is_global) {
  add((struct image *)module, host, name, bytes, NULL);
}

void __cudaRegisterManagedVar(void **module, void **host, char *device, const char *name,
                              int is_extern, size_t bytes, int is_constant, int is_global) {
  add((struct image *)module, host, name, bytes, NULL);
}

/* Call with the lock. */
static struct symbol *find(const void *host, int variable) {
  for (struct symbol *s = symbols; s; s = s->next)
    if (s->host == host && !s->bytes == !variable)
      return s;
  return NULL;
}

/* Call with the lock. */
static CUresult load(struct image *image) {
  if (image->library)
    return CUDA_SUCCESS;
  return call.cuLibraryLoadData(&image->library, image->data, NULL, NULL, 0, NULL, NULL, 0);
}

CUresult runtime_kernel(const void *function, CUkernel *kernel) {
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&lock);
  struct symbol *symbol = find(function, 0);
  if (!symbol)
    result = (CUresult)cudaErrorInvalidDeviceFunction;
  else if (!symbol->kernel) {
    result = load(symbol->image);
    if (!result)
      result = call.cuLibraryGetKernel(&symbol->kernel, symbol->image->library, symbol->name);
  }
  *kernel = symbol ? symbol->kernel : NULL;
  pthread_mutex_unlock(&lock);
  return result;
}

CUresult runtime_variable(const void *host, CUdeviceptr *address, size_t *bytes) {
  CUresult result = (CUresult)cudaErrorInvalidSymbol;
  pthread_mutex_lock(&lock);
  struct symbol *symbol = find(host, 1);
  if (symbol)
    result = load(symbol->image);
  if (!result) {
    size_t known_bytes;
    if (call.set_global_size)
      call.set_global_size(symbol->image->library, symbol->name, symbol->bytes);
    result = call.cuLibraryGetGlobal(address, &known_bytes, symbol->image->library, symbol->name);
    *bytes = symbol->bytes;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image, int *jit_options,
                                void **jit_values, unsigned jit_count, int *options, void **values,
                                unsigned count) {
  NEED_START();
  return runtime_result(call.cuLibraryLoadData(library, image, NULL, NULL, 0, NULL, NULL, 0));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  NEED_START();
  return runtime_result(call.cuLibraryUnload(library));
}

/* Adds the kernel under its own address, so that it can be launched like a stub. */
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
  NEED_START();
  CUresult result = call.cuLibraryGetKernel(kernel, library, name);
  if (!result) {
    pthread_mutex_lock(&lock);
    struct symbol *known = find(*kernel, 0);
    pthread_mutex_unlock(&lock);
    if (!known)
      add(NULL, *kernel, NULL, 0, *kernel);
  }
  return runtime_result(result);
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  NEED_CONTEXT();
  return runtime_result(runtime_kernel(host, kernel));
}

static int is_empty(dim3 size) {
  return !size.x || !size.y || !size.z;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **params,
                               size_t shared_bytes, cudaStream_t stream) {
  NEED_CONTEXT();
  if (is_empty(grid) || is_empty(block))
    return runtime_result(cudaErrorInvalidConfiguration);
  CUfunction function;
  CUresult result = call.cuKernelGetFunction(&function, kernel);
  if (!result)
    result = call.cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                 (unsigned)shared_bytes, stream, params, NULL);
  return runtime_result(result);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **params,
                             size_t shared_bytes, cudaStream_t stream) {
  NEED_CONTEXT();
  CUkernel kernel;
  CUresult result = runtime_kernel(function, &kernel);
  if (result)
    return runtime_result(result);
  return __cudaLaunchKernel(kernel, grid, block, params, shared_bytes, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **params) {
  return cudaLaunchKernel(function, config->gridDim, config->blockDim, params,
                          config->dynamicSmemBytes, config->stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **params,
                                        size_t shared_bytes, cudaStream_t stream) {
  NEED_CONTEXT();
  if (is_empty(grid) || is_empty(block))
    return runtime_result(cudaErrorInvalidConfiguration);
  CUkernel kernel;
  CUfunction code;
  CUresult result = runtime_kernel(function, &kernel);
  if (!result)
    result = call.cuKernelGetFunction(&code, kernel);
  if (!result)
    result = call.cuLaunchCooperativeKernel(code, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                            (unsigned)shared_bytes, stream, params);
  return runtime_result(result);
}

/* Configurations between <<<...>>> and the call of the stub; launches may nest in arguments. */
enum { MAX_CONFIGURATIONS = 16 };
static __thread struct {
  dim3 grid, block;
  size_t shared_bytes;
  void *stream;
} configurations[MAX_CONFIGURATIONS];
static __thread unsigned configured;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream) {
  if (configured == MAX_CONFIGURATIONS)
    return 1;
  configurations[configured].grid = grid;
  configurations[configured].block = block;
  configurations[configured].shared_bytes = shared_bytes;
  configurations[configured].stream = stream;
  configured++;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                       void *stream) {
  if (!configured)
    return runtime_result(cudaErrorMissingConfiguration);
  configured--;
  *grid = configurations[configured].grid;
  *block = configurations[configured].block;
  *shared_bytes = configurations[configured].shared_bytes;
  *(void **)stream = configurations[configured].stream;
  return cudaSuccess;
}

static int function_attribute(CUfunction_attribute which, CUkernel kernel) {
  int device = 0, value = 0;
  cudaGetDevice(&device);
  call.cuKernelGetAttribute(&value, which, kernel, device);
  return value;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
  NEED_CONTEXT();
  if (!attributes)
    return runtime_result(cudaErrorInvalidValue);
  CUkernel kernel;
  CUresult result = runtime_kernel(function, &kernel);
  if (result)
    return runtime_result(result);
  *attributes = (struct cudaFuncAttributes){
      .maxThreadsPerBlock = function_attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel),
      .numRegs = function_attribute(CU_FUNC_ATTRIBUTE_NUM_REGS, kernel),
      .ptxVersion = function_attribute(CU_FUNC_ATTRIBUTE_PTX_VERSION, kernel),
      .binaryVersion = function_attribute(CU_FUNC_ATTRIBUTE_BINARY_VERSION, kernel),
      .maxDynamicSharedSizeBytes =
          function_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel)};
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, int attribute, int value) {
  NEED_CONTEXT();
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int block_size, size_t shared_bytes) {
  NEED_CONTEXT();
  if (!blocks || block_size <= 0)
    return runtime_result(cudaErrorInvalidValue);
  *blocks = 2048 / block_size;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int block_size, size_t shared_bytes, unsigned flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared_bytes);
}
