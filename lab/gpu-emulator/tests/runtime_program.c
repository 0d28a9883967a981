/*
 * runtime_program.c - a typical program on the runtime, built for each of the runtimes. Prints the
 * version of the runtime, and ends with 1 at the first failed check.
 */
#include "cudart_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                      \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
#define OK(call) REQUIRE((call) == cudaSuccess)

static const dim3 one = {1, 1, 1};
static size_t free_before;

static void devices(void) {
  int count, major;
  struct cudaDeviceProp properties;
  OK(cudaGetDeviceCount(&count));
  REQUIRE(count == 2);
  REQUIRE(cudaSetDevice(2) == cudaErrorInvalidDevice);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidDevice);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  OK(cudaSetDevice(1));
  OK(cudaGetDeviceProperties(&properties, 1));
  REQUIRE(!strcmp(properties.name, "Emulated GPU 1"));
  REQUIRE(properties.uuid.bytes[15] == 1);
  REQUIRE(properties.totalGlobalMem == 1024ull << 20);
  OK(cudaDeviceGetAttribute(&major, 75, 1));
  REQUIRE(properties.major == major);
  REQUIRE(properties.multiProcessorCount > 0);
  REQUIRE(properties.maxThreadsPerMultiProcessor == 2048);
  REQUIRE(properties.sharedMemPerMultiprocessor == 233472);
  REQUIRE(properties.sharedMemPerBlockOptin == 232448);
  REQUIRE(properties.managedMemory && properties.cooperativeLaunch);
  REQUIRE(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessUnsupported);
  REQUIRE(cudaDeviceEnablePeerAccess(2, 0) == cudaErrorInvalidDevice);
  (void)cudaGetLastError();
  OK(cudaProfilerStart());
  OK(cudaProfilerStop());
}

static size_t free_bytes(void) {
  size_t left, total;
  OK(cudaMemGetInfo(&left, &total));
  return left;
}

static void memory(void) {
  char out[1000], in[1000] = {0};
  void *block, *pinned;
  size_t pitch;
  struct cudaPointerAttributes attributes;
  free_before = free_bytes();
  memset(out, 5, sizeof out);
  OK(cudaMalloc(&block, 1 << 20));
  REQUIRE(free_before - free_bytes() == 1 << 20);
  OK(cudaMemcpy(block, out, sizeof out, cudaMemcpyHostToDevice));
  OK(cudaMemset(block, 6, 10));
  OK(cudaMemcpyAsync(in, block, sizeof in, cudaMemcpyDeviceToHost, NULL));
  OK(cudaDeviceSynchronize());
  REQUIRE(in[9] == 6 && in[10] == 5);
  OK(cudaPointerGetAttributes(&attributes, block));
  REQUIRE(attributes.type == cudaMemoryTypeDevice && attributes.device == 1);
  OK(cudaFree(block));
  REQUIRE(cudaFree(block) == cudaErrorInvalidValue);
  REQUIRE(cudaMalloc(&block, 2ull << 30) == cudaErrorMemoryAllocation);
  REQUIRE(!strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorMemoryAllocation"));
  OK(cudaMallocPitch(&block, &pitch, 100, 10));
  REQUIRE(pitch == 512);
  OK(cudaMemcpy2D(block, pitch, out, 100, 100, 10, cudaMemcpyDefault));
  OK(cudaFree(block));
  OK(cudaMallocManaged(&block, 4096, cudaMemAttachGlobal));
  OK(cudaPointerGetAttributes(&attributes, block));
  REQUIRE(attributes.type == cudaMemoryTypeManaged);
  OK(cudaFree(block));
  OK(cudaMallocHost(&pinned, 4096));
  OK(cudaFreeHost(pinned));
  cudaMemPool_t pool;
  OK(cudaDeviceGetDefaultMemPool(&pool, 1));
  char access[12] = {0}; /* a CUmemAccessDesc */
  OK(cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)access, 1));
  OK(cudaMallocAsync(&block, 4096, NULL));
  OK(cudaMemcpyPeerAsync(block, 1, out, 1, 100, NULL));
  OK(cudaMemcpyPeerAsync(in, 1, block, 1, 100, NULL));
  REQUIRE(in[99] == 5);
  REQUIRE(cudaMemcpyPeerAsync(in, 1, block, 2, 100, NULL) == cudaErrorInvalidDevice);
  OK(cudaFreeAsync(block, NULL));
  OK(cudaDeviceSynchronize());
  REQUIRE(free_bytes() == free_before);
}

/* Frameworks ask, and go on without it. */
static void other_processes(void) {
  cudaIpcMemHandle_t memory = {{0}};
  cudaIpcEventHandle_t event = {{0}};
  cudaEvent_t opened;
  void *address = NULL;
  REQUIRE(cudaIpcGetMemHandle(&memory, address) == cudaErrorNotSupported);
  REQUIRE(cudaIpcOpenMemHandle(&address, memory, 1) == cudaErrorNotSupported);
  REQUIRE(cudaIpcCloseMemHandle(address) == cudaErrorNotSupported);
  REQUIRE(cudaIpcGetEventHandle(&event, NULL) == cudaErrorNotSupported);
  REQUIRE(cudaIpcOpenEventHandle(&opened, event) == cudaErrorNotSupported);
  REQUIRE(cudaGetLastError() == cudaErrorNotSupported);
}

static void assert_is_capturing(cudaStream_t stream) {
  enum cudaStreamCaptureStatus status;
  unsigned long long id;
  cudaGraph_t graph;
  const cudaGraphNode_t *nodes;
  size_t count;
#if CUDART_VERSION >= 13000
  const struct cudaGraphEdgeData *edges;
  OK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &edges, &count));
  REQUIRE(!edges);
#else
  OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count));
#endif
  REQUIRE(status == cudaStreamCaptureStatusActive && graph && count == 1);
}

/* A graph is instantiated anew where CUDA could change it. */
static void assert_no_update(cudaGraphExec_t exec, cudaGraph_t graph) {
#if CUDART_VERSION >= 12000
  cudaGraphExecUpdateResultInfo info;
  REQUIRE(cudaGraphExecUpdate(exec, graph, &info) == cudaErrorGraphExecUpdateFailure);
  REQUIRE(info.result == cudaGraphExecUpdateError && !info.errorNode);
#endif
  REQUIRE(cudaGraphDebugDotPrint(graph, "/dev/null", 0) == cudaErrorNotSupported);
  (void)cudaGetLastError();
}

/* A captured allocation takes memory when its graph is launched. */
static void graphs(void) {
  size_t before = free_bytes();
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  void *block;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&block, 2 << 20, stream));
  assert_is_capturing(stream);
  OK(cudaMemsetAsync(block, 1, 16, stream));
  OK(cudaFreeAsync(block, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  REQUIRE(free_bytes() == before);
  size_t nodes;
  OK(cudaGraphGetNodes(graph, NULL, &nodes));
  REQUIRE(nodes == 3);
  enum cudaStreamCaptureMode mode = (enum cudaStreamCaptureMode)2;
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  REQUIRE(mode == cudaStreamCaptureModeGlobal);
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  REQUIRE(free_bytes() == before - (2 << 20));
  assert_no_update(exec, graph);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaDeviceGraphMemTrim(1));
  REQUIRE(free_bytes() == before);
}

static char stub, variable;

/* The code that nvcc generates for a program with one kernel and one variable. */
static void embedded_code(void) {
  uint64_t ns = 5000000;
  void *params[] = {&ns}, *module = __cudaRegisterFatBinary("image");
  __cudaRegisterFunction(module, &stub, &stub, "busy_ns", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterVar(module, &variable, &variable, "variable", 0, 8, 0, 0);
  __cudaRegisterFatBinaryEnd(module);
  OK(cudaLaunchKernel(&stub, one, one, params, 0, NULL));
  OK(cudaLaunchCooperativeKernel(&stub, one, one, params, 0, NULL));
  OK(cudaStreamSynchronize(NULL));
  struct cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, &stub));
  REQUIRE(attributes.maxThreadsPerBlock == 1024 && attributes.binaryVersion == 90);
  REQUIRE(cudaFuncGetAttributes(&attributes, "other") == cudaErrorInvalidDeviceFunction);
  REQUIRE(cudaLaunchKernel("other", one, one, params, 0, NULL) == cudaErrorInvalidDeviceFunction);
  uint64_t value = 77, back = 0;
  size_t bytes;
  OK(cudaMemcpyToSymbol(&variable, &value, 8, 0, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromSymbol(&back, &variable, 8, 0, cudaMemcpyDeviceToHost));
  REQUIRE(back == 77);
  OK(cudaGetSymbolSize(&bytes, &variable));
  REQUIRE(bytes == 8);
  REQUIRE(cudaMemcpyToSymbol(&variable, &value, 8, 1, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
  (void)cudaGetLastError();
}

/* CUDA 11 has only embedded code. */
static const void *loaded_kernel(void) {
#if CUDART_VERSION < 12000
  return &stub;
#else
  cudaLibrary_t library;
  cudaKernel_t kernel;
  OK(cudaLibraryLoadData(&library, "image", NULL, NULL, 0, NULL, NULL, 0));
  OK(cudaLibraryGetKernel(&kernel, library, "busy_ns"));
  return kernel;
#endif
}

static void count_call(cudaStream_t stream, cudaError_t status, void *calls) {
  (void)stream;
  *(int *)calls += status == cudaSuccess;
}

static void loaded_code(void) {
  uint64_t ns = 5000000;
  void *params[] = {&ns};
  cudaStream_t stream;
  cudaEvent_t before, after;
  float ms;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaEventCreate(&before));
  OK(cudaEventCreate(&after));
  OK(cudaEventRecord(before, stream));
  OK(cudaLaunchKernel(loaded_kernel(), one, one, params, 0, stream));
  OK(cudaEventRecordWithFlags(after, stream, 0));
  OK(cudaEventSynchronize(after));
  OK(cudaEventElapsedTime(&ms, before, after));
  REQUIRE(ms >= 5);
  int priority, calls = 0;
  OK(cudaStreamGetPriority(stream, &priority));
  OK(cudaStreamAddCallback(stream, count_call, &calls, 0));
  REQUIRE(priority == 0 && calls == 1);
  OK(cudaEventDestroy(before));
  OK(cudaEventDestroy(after));
  OK(cudaStreamDestroy(stream));
}

/* Leaves a kernel running that only the reset ends. */
static void long_kernel(void) {
  uint64_t hour_ns = 3600ull * 1000000000;
  void *params[] = {&hour_ns};
  OK(cudaLaunchKernel(&stub, one, one, params, 0, NULL));
  REQUIRE(cudaStreamQuery(NULL) == cudaErrorNotReady);
  REQUIRE(cudaPeekAtLastError() == cudaSuccess);
}

static void child(void) {
  int pid = fork();
  if (pid == 0) {
    void *block;
    _exit(cudaMalloc(&block, 1) != cudaErrorInitializationError);
  }
  int status;
  REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
}

static void without_a_device(void) {
  int pid = fork();
  if (pid == 0) {
    int count = -5;
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    _exit(cudaGetDeviceCount(&count) != cudaErrorNoDevice || count != -5);
  }
  int status;
  REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void) {
  int version;
  without_a_device();
  devices();
  memory();
  other_processes();
  graphs();
  embedded_code();
  loaded_code();
  child();
  long_kernel();
  OK(cudaDeviceReset());
  REQUIRE(free_bytes() == free_before);
  OK(cudaRuntimeGetVersion(&version));
  printf("runtime %d\n", version);
  return 0;
}
