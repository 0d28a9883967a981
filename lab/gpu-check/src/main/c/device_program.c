/*
 * device_program.c - a program on the driver API that knows nothing of schedGPU and obeys lines
 * from stdin (commands.h). It does what the checks need beyond the programs of libschedgpu's tests,
 * with kernels that a real driver accepts. It answers NOT_THERE for a function that the driver does
 * not have.
 */
#include "commands.h"
#include "kernel.h"
#include <time.h>

enum { SLOTS = 64, NOT_THERE = -3, NO_FILE = -4, WRONG_DATA = -5 };
enum { PATTERN_BYTES = 1 << 16 };

/* Declarations of functions that the emulator does not have, as in cuda.h (CUDA 13). */
typedef struct {
  char bytes[64];
} ipc_handle;
typedef CUresult (*ipc_get_function)(ipc_handle *, CUdeviceptr);
typedef CUresult (*ipc_open_function)(CUdeviceptr *, ipc_handle, unsigned);
typedef CUresult (*ipc_close_function)(CUdeviceptr);
typedef CUresult (*get_resource_function)(CUdevice, void *, int);
typedef CUresult (*generate_function)(CUdevResourceDesc *, void *, unsigned);
enum { RESOURCE_OF_PROCESSORS = 1, RESOURCE_BYTES = 4096, IPC_LAZY_PEER_ACCESS = 1 };

#define FUNCTIONS(X)                                                                               \
  X(Init, cuInit, "cuInit", 2000)                                                                  \
  X(Version, cuDriverGetVersion, "cuDriverGetVersion", 2020)                                       \
  X(GetAttribute, cuDeviceGetAttribute, "cuDeviceGetAttribute", 2000)                              \
  X(Retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000)                            \
  X(Reset, cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000)                           \
  X(SetCurrent, cuCtxSetCurrent, "cuCtxSetCurrent", 4000)                                          \
  X(CreateContext, cuCtxCreate_v2, "cuCtxCreate", 3020)                                            \
  X(DestroyContext, cuCtxDestroy_v2, "cuCtxDestroy", 4000)                                         \
  X(Synchronize, cuCtxSynchronize, "cuCtxSynchronize", 2000)                                       \
  X(SetLimit, cuCtxSetLimit, "cuCtxSetLimit", 3010)                                                \
  X(LoadModule, cuModuleLoadData, "cuModuleLoadData", 2000)                                        \
  X(Unload, cuModuleUnload, "cuModuleUnload", 2000)                                                \
  X(GetFunction, cuModuleGetFunction, "cuModuleGetFunction", 2000)                                 \
  X(Launch, cuLaunchKernel, "cuLaunchKernel", 4000)                                                \
  X(Alloc, cuMemAlloc_v2, "cuMemAlloc", 3020)                                                      \
  X(AllocPitch, cuMemAllocPitch_v2, "cuMemAllocPitch", 3020)                                       \
  X(AllocManaged, cuMemAllocManaged, "cuMemAllocManaged", 6000)                                    \
  X(Free, cuMemFree_v2, "cuMemFree", 3020)                                                         \
  X(Fill, cuMemsetD8_v2, "cuMemsetD8", 3020)                                                       \
  X(ToDevice, cuMemcpyHtoD_v2, "cuMemcpyHtoD", 3020)                                               \
  X(ToHost, cuMemcpyDtoH_v2, "cuMemcpyDtoH", 3020)                                                 \
  X(Box, cuMemcpy3D_v2, "cuMemcpy3D", 3020)                                                        \
  X(GetInfo, cuMemGetInfo_v2, "cuMemGetInfo", 3020)                                                \
  X(CreateGreen, cuGreenCtxCreate, "cuGreenCtxCreate", 12040)                                      \
  X(DestroyGreen, cuGreenCtxDestroy, "cuGreenCtxDestroy", 12040)                                   \
  X(FromGreen, cuCtxFromGreenCtx, "cuCtxFromGreenCtx", 12040)

static struct { FUNCTIONS(MEMBER) } cu;

static void find_all(void) {
  FUNCTIONS(FIND)
}

static CUdeviceptr slot[SLOTS];
static CUcontext primary, created;
static CUmodule module;
static CUfunction kernel;
static CUgreenCtx green;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int begin(int device) {
  int result = (int)cu.Init(0);
  result = result ? result : (int)cu.Retain(&primary, device);
  return result ? result : (int)cu.SetCurrent(primary);
}

static int version(void) {
  int number = 0, result = (int)cu.Version(&number);
  also = (unsigned long long)number;
  return result;
}

static int processors(int device) {
  int number = 0;
  int result = (int)cu.GetAttribute(&number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  also = (unsigned long long)number;
  return result;
}

static int load(void) {
  int result = (int)cu.LoadModule(&module, kernel_ptx);
  return result ? result : (int)cu.GetFunction(&kernel, module, KERNEL_NAME);
}

static int start(uint64_t work, unsigned blocks) {
  void *parameters[] = {&work};
  int result = kernel ? 0 : load();
  return result ? result
                : (int)cu.Launch(kernel, blocks, 1, 1, KERNEL_THREADS, 1, 1, 0, NULL, parameters,
                                 NULL);
}

/* Answers the ns that `kernels` kernels took, one after the other. */
static int work(uint64_t units, unsigned blocks, int kernels) {
  int result = kernel ? 0 : load();
  uint64_t from_ns = now_ns();
  for (int i = 0; i < kernels && !result; i++)
    result = start(units, blocks);
  result = result ? result : (int)cu.Synchronize();
  also = now_ns() - from_ns;
  return result;
}

static int pitch(int n, size_t width, size_t height) {
  size_t bytes = 0;
  int result = (int)cu.AllocPitch(&slot[n], &bytes, width, height, 4);
  also = bytes;
  return result;
}

/* Lets the device write every byte, so that all pages exist. */
static int touch(int n, size_t bytes) {
  int result = (int)cu.Fill(slot[n], 0x5a, bytes);
  return result ? result : (int)cu.Synchronize();
}

/* Checks that both ends of a block keep what is written there. */
static int check(int n, size_t bytes) {
  static unsigned char out[PATTERN_BYTES], in[PATTERN_BYTES];
  size_t size = bytes < sizeof out ? bytes : sizeof out;
  CUdeviceptr ends[] = {slot[n], slot[n] + bytes - size};
  int result = 0;
  for (int e = 0; e < 2 && !result; e++) {
    for (size_t i = 0; i < size; i++)
      out[i] = (unsigned char)(i * 31 + (size_t)n + (size_t)e);
    result = (int)cu.ToDevice(ends[e], out, size);
    result = result ? result : (int)cu.ToHost(in, ends[e], size);
    if (!result && memcmp(out, in, size) != 0)
      result = WRONG_DATA;
  }
  return result;
}

/* --- copies of the first bytes of a block: to another one, or to the host --- */
enum { COPY_BYTES = 4096, TO_HOST = -1 };
static unsigned char on_host[COPY_BYTES];

static int copy_box(int from, int to) {
  CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = slot[from],
                        .dstMemoryType = to == TO_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED,
                        .dstHost = on_host,
                        .dstDevice = to == TO_HOST ? 0 : slot[to],
                        .WidthInBytes = COPY_BYTES,
                        .Height = 1,
                        .Depth = 1};
  return (int)cu.Box(&copy);
}

/* A batch of one. No driver takes one for its default stream. */
static int copy_batch(int from, int to) {
  __typeof__(&cuMemcpyBatchAsync_v2) batch =
      (__typeof__(&cuMemcpyBatchAsync_v2))dlsym(library, "cuMemcpyBatchAsync_v2");
  CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
  CUdeviceptr target = to == TO_HOST ? (CUdeviceptr)(uintptr_t)on_host : slot[to];
  size_t bytes = COPY_BYTES, first = 0;
  if (!batch)
    return NOT_THERE;
  int result =
      (int)batch(&target, &slot[from], &bytes, 1, &attributes, &first, 1, CU_STREAM_PER_THREAD);
  return result ? result : (int)cu.Synchronize();
}

static int info(int total) {
  size_t left = 0, all = 0;
  int result = (int)cu.GetInfo(&left, &all);
  also = total ? all : left;
  return result;
}

/* Times pairs of an allocation and its free; answers the ns of all. */
static int pairs(size_t bytes, int count) {
  CUdeviceptr address;
  int result = 0;
  uint64_t from_ns = now_ns();
  for (int i = 0; i < count && !result; i++) {
    result = (int)cu.Alloc(&address, bytes);
    result = result ? result : (int)cu.Free(address);
  }
  also = now_ns() - from_ns;
  return result;
}

/* A green context with all processors of the device. */
static int make_green(int device) {
  static uint64_t resource[RESOURCE_BYTES / sizeof(uint64_t)];
  get_resource_function get = (get_resource_function)dlsym(library, "cuDeviceGetDevResource");
  generate_function generate = (generate_function)dlsym(library, "cuDevResourceGenerateDesc");
  CUdevResourceDesc description;
  CUcontext context;
  if (!get || !generate || !cu.CreateGreen)
    return NOT_THERE;
  int result = (int)get(device, resource, RESOURCE_OF_PROCESSORS);
  result = result ? result : (int)generate(&description, resource, 1);
  result = result ? result
                  : (int)cu.CreateGreen(&green, description, device, CU_GREEN_CTX_DEFAULT_STREAM);
  result = result ? result : (int)cu.FromGreen(&context, green);
  return result ? result : (int)cu.SetCurrent(context);
}

/* --- a block that another process maps; its handle goes through the file GPU_CHECK_IPC_FILE --- */
static FILE *ipc_file(const char *mode) {
  const char *path = getenv("GPU_CHECK_IPC_FILE");
  return path ? fopen(path, mode) : NULL;
}

static int ipc_save(int n) {
  ipc_get_function get = (ipc_get_function)dlsym(library, "cuIpcGetMemHandle");
  ipc_handle handle;
  if (!get)
    return NOT_THERE;
  int result = (int)get(&handle, slot[n]);
  FILE *file = result ? NULL : ipc_file("w");
  if (result || !file)
    return result ? result : NO_FILE;
  result = fwrite(&handle, sizeof handle, 1, file) == 1 ? 0 : NO_FILE;
  return fclose(file) == 0 ? result : NO_FILE;
}

static int ipc_open(int n) {
  ipc_open_function open = (ipc_open_function)dlsym(library, "cuIpcOpenMemHandle_v2");
  ipc_handle handle;
  FILE *file = open ? ipc_file("r") : NULL;
  if (!file)
    return open ? NO_FILE : NOT_THERE;
  int read = fread(&handle, sizeof handle, 1, file) == 1;
  fclose(file);
  return read ? (int)open(&slot[n], handle, IPC_LAZY_PEER_ACCESS) : NO_FILE;
}

static int ipc_close(int n) {
  ipc_close_function close = (ipc_close_function)dlsym(library, "cuIpcCloseMemHandle");
  return close ? (int)close(slot[n]) : NOT_THERE;
}

// clang-format off
#define COMMANDS(X)                                                                                \
  X("init", cu.Init(0))                                                                            \
  X("version", version())                                                                          \
  X("processors", processors((int)n[0]))                                                           \
  X("begin", begin((int)n[0]))                                                                     \
  X("reset", cu.Reset((int)n[0]))                                                                  \
  X("create-context", cu.CreateContext(&created, 0, (int)n[0]))                                    \
  X("destroy-context", cu.DestroyContext(created))                                                 \
  X("use-primary", cu.SetCurrent(primary))                                                         \
  X("load", load())                                                                                \
  X("unload", (kernel = NULL, cu.Unload(module)))                                                  \
  X("limit", cu.SetLimit((CUlimit)n[0], (size_t)n[1]))                                             \
  X("start", start((uint64_t)n[0], (unsigned)n[1]))                                                \
  X("sync", cu.Synchronize())                                                                      \
  X("work", work((uint64_t)n[0], (unsigned)n[1], (int)n[2]))                                       \
  X("alloc", cu.Alloc(&slot[n[0]], (size_t)n[1]))                                                  \
  X("pitch", pitch((int)n[0], (size_t)n[1], (size_t)n[2]))                                         \
  X("managed", cu.AllocManaged(&slot[n[0]], (size_t)n[1], 1))                                      \
  X("touch", touch((int)n[0], (size_t)n[1]))                                                       \
  X("check", check((int)n[0], (size_t)n[1]))                                                       \
  X("copy-box", copy_box((int)n[0], (int)n[1]))                                                    \
  X("copy-batch", copy_batch((int)n[0], (int)n[1]))                                                \
  X("free", cu.Free(slot[n[0]]))                                                                   \
  X("pairs", pairs((size_t)n[0], (int)n[1]))                                                       \
  X("total", info(1))                                                                              \
  X("left", info(0))                                                                               \
  X("green", make_green((int)n[0]))                                                                \
  X("end-green", cu.DestroyGreen(green))                                                           \
  X("ipc-save", ipc_save((int)n[0]))                                                               \
  X("ipc-open", ipc_open((int)n[0]))                                                               \
  X("ipc-close", ipc_close((int)n[0]))
// clang-format on

static int obey(const char *first, const long long *n) {
  COMMANDS(COMMAND)
  return -2;
}
