/*
 * device_runtime.c - reaches the device through the CUDA runtime, linked as a shared library or
 * statically.
 */
#include "device.h"
#include "kernel.h"
#include "cudart_abi.h"

static cudaKernel_t kernel;
static const char *error_text = "";

static enum device_result report_result(cudaError_t error) {
  if (error == cudaSuccess)
    return DEVICE_OK;
  error_text = cudaGetErrorString(error);
  return error == cudaErrorMemoryAllocation ? DEVICE_OUT_OF_MEMORY : DEVICE_FAILED;
}

enum device_result device_open(void) {
  cudaLibrary_t library;
  cudaError_t error;
  if (kernel)
    return DEVICE_OK;
  /* The usual way to make the runtime create its context. */
  if (!(error = cudaFree(NULL)) &&
      !(error = cudaLibraryLoadData(&library, kernel_ptx, NULL, NULL, 0, NULL, NULL, 0)))
    error = cudaLibraryGetKernel(&kernel, library, KERNEL_NAME);
  return report_result(error);
}

void device_close(void) {
  if (kernel)
    cudaDeviceReset();
  kernel = NULL;
}

enum device_result device_allocate(void **memory, size_t bytes) {
  return report_result(cudaMalloc(memory, bytes));
}

enum device_result device_free(void *memory) {
  return report_result(cudaFree(memory));
}

enum device_result device_write(void *memory, const void *host, size_t bytes) {
  return report_result(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
}

enum device_result device_read(void *host, const void *memory, size_t bytes) {
  return report_result(cudaMemcpy(host, memory, bytes, cudaMemcpyDeviceToHost));
}

enum device_result device_run(uint64_t busy_ns) {
  const struct dim3 blocks = {kernel_blocks(), 1, 1}, threads = {KERNEL_THREADS, 1, 1};
  uint64_t work = kernel_work(busy_ns);
  void *parameters[] = {&work};
  cudaError_t error = cudaLaunchKernel(kernel, blocks, threads, parameters, 0, NULL);
  return report_result(error ? error : cudaDeviceSynchronize());
}

const char *device_error(void) {
  return error_text;
}
