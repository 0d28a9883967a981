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
  OK(cudaMallocAsync(&block, 4096, NULL));
  OK(cudaFreeAsync(block, NULL));
  OK(cudaDeviceSynchronize());
  REQUIRE(free_bytes() == free_before);
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
  OK(cudaMemsetAsync(block, 1, 16, stream));
  OK(cudaFreeAsync(block, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  REQUIRE(free_bytes() == before);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  REQUIRE(free_bytes() == before - (2 << 20));
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
  OK(cudaStreamSynchronize(NULL));
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
  OK(cudaEventRecord(after, stream));
  OK(cudaEventSynchronize(after));
  OK(cudaEventElapsedTime(&ms, before, after));
  REQUIRE(ms >= 5);
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
