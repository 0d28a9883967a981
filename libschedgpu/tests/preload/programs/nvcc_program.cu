/*
 * A program as users write it, built by NVIDIA's compiler where there is one. Obeys lines from
 * stdin; each is answered with the CUDA error, and what else there is to say.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static const size_t copied_bytes = 1 << 20;
static void *block, *managed, *async, *rows;
static cudaStream_t stream;

__global__ void twice(int *numbers, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    numbers[i] *= 2;
}

static int copy() {
  char *out = static_cast<char *>(malloc(copied_bytes));
  char *in = static_cast<char *>(calloc(1, copied_bytes));
  for (size_t i = 0; i < copied_bytes; i++)
    out[i] = static_cast<char>(i * 7);
  int result = cudaMemcpy(block, out, copied_bytes, cudaMemcpyHostToDevice);
  if (result == 0)
    result = cudaMemcpy(in, block, copied_bytes, cudaMemcpyDeviceToHost);
  if (result == 0 && memcmp(out, in, copied_bytes) != 0)
    result = -1;
  free(out);
  free(in);
  return result;
}

static int launch() {
  twice<<<4, 256>>>(static_cast<int *>(block), 1024);
  int result = cudaGetLastError();
  return result ? result : static_cast<int>(cudaDeviceSynchronize());
}

static int allocate_async(size_t bytes) {
  int result = stream ? 0 : static_cast<int>(cudaStreamCreate(&stream));
  return result ? result : static_cast<int>(cudaMallocAsync(&async, bytes, stream));
}

static int allocate_rows(size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch(&rows, pitch, width, height);
}

int main() {
  char line[256], first[32];
  setvbuf(stdout, nullptr, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    unsigned long long a = 0, b = 0;
    size_t number = 0;
    int result = -2;
    sscanf(line, "%31s %llu %llu", first, &a, &b);
#define COMMAND(name, action)                                                                      \
  if (strcmp(first, name) == 0)                                                                    \
    result = static_cast<int>(action);
    COMMAND("alloc", cudaMalloc(&block, b))
    COMMAND("copy", copy())
    COMMAND("launch", launch())
    COMMAND("managed", cudaMallocManaged(&managed, a))
    COMMAND("async", allocate_async(a))
    COMMAND("pitch", allocate_rows(&number, a, b))
    COMMAND("free", cudaFree(block))
    COMMAND("free-managed", cudaFree(managed))
    COMMAND("free-async", cudaFreeAsync(async, stream))
    COMMAND("sync", stream ? cudaStreamSynchronize(stream) : cudaDeviceSynchronize())
    COMMAND("free-rows", cudaFree(rows))
    printf("%d %zu\n", result, number);
  }
  return 0;
}
