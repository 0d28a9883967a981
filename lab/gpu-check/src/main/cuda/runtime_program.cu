/*
 * A program on the CUDA runtime that knows nothing of schedGPU: allocates, computes, and prints one
 * number. Compiled where there is nvcc, with the runtime shared and inside.
 */
#include <cstdio>
#include <cuda_runtime.h>

static const int numbers = 1 << 20;

__global__ void add(unsigned *sum, const unsigned *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    atomicAdd(sum, values[i]);
}

static int stop(cudaError_t error) {
  if (error != cudaSuccess)
    fprintf(stderr, "runtime_program: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}

int main() {
  static unsigned values[numbers];
  unsigned *on_device, *sum, total = 0;
  for (int i = 0; i < numbers; i++)
    values[i] = static_cast<unsigned>(i) * 7u;
  if (stop(cudaMalloc(reinterpret_cast<void **>(&on_device), sizeof values)) ||
      stop(cudaMalloc(reinterpret_cast<void **>(&sum), sizeof *sum)) ||
      stop(cudaMemset(sum, 0, sizeof *sum)) ||
      stop(cudaMemcpy(on_device, values, sizeof values, cudaMemcpyHostToDevice)))
    return 1;
  add<<<numbers / 256, 256>>>(sum, on_device, numbers);
  if (stop(cudaGetLastError()) || stop(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost)))
    return 1;
  printf("%u\n", total);
  return stop(cudaFree(on_device)) || stop(cudaFree(sum));
}
