/* userland_runtime.c - what NVIDIA's runtime answers where there is no GPU, also in a child. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, cudaError_t error, long value) {
  printf("%s: %d %s, %ld\n", what, (int)error, cudaGetErrorName(error), value);
}

static void call_all(void) {
  int number = -5;
  size_t left = 7, total = 8;
  void *block = NULL;
  cudaStream_t stream = NULL;
  say("runtime", cudaRuntimeGetVersion(&number), number);
  say("driver", cudaDriverGetVersion(&number), number);
  number = -5;
  say("count", cudaGetDeviceCount(&number), number);
  say("malloc", cudaMalloc(&block, 1 << 20), block != NULL);
  say("managed", cudaMallocManaged(&block, 1 << 20, cudaMemAttachGlobal), block != NULL);
  say("info", cudaMemGetInfo(&left, &total), (long)(left + total));
  say("stream", cudaStreamCreate(&stream), stream != NULL);
  say("free", cudaFree(NULL), 0);
  say("reset", cudaDeviceReset(), 0);
  say("last", cudaGetLastError(), 0);
  fflush(stdout);
}

int main(void) {
  call_all();
  pid_t child = fork();
  if (child == 0) {
    call_all();
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  printf("child %d\n", status);
  return 0;
}
