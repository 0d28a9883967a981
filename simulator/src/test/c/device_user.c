/*
 * device-user - a CUDA program that knows nothing of schedGPU: a job of RealProcessesTest. It does
 * what it reads from stdin, and answers each line with the error of CUDA:
 *
 *   context K        makes the context of device K
 *   memory K BYTES   allocates on device K
 *
 * It ends with its stdin.
 */
#include "cuda_abi.h"
#include <stdio.h>
#include <string.h>

#define DEVICES 16

static CUcontext context[DEVICES];

static CUresult allocate(int device, size_t bytes) {
  CUdeviceptr memory;
  CUresult result = cuCtxSetCurrent(context[device]);
  return result ? result : cuMemAlloc_v2(&memory, bytes);
}

static CUresult obey(const char *line) {
  char what[16];
  int device;
  unsigned long long bytes = 0;
  int words = sscanf(line, "%15s %d %llu", what, &device, &bytes);
  if (words < 2 || device < 0 || device >= DEVICES)
    return CUDA_ERROR_INVALID_VALUE;
  return strcmp(what, "context") == 0 ? cuDevicePrimaryCtxRetain(&context[device], device)
                                      : allocate(device, (size_t)bytes);
}

int main(void) {
  char line[128];
  if (cuInit(0) != CUDA_SUCCESS)
    return 1;
  while (fgets(line, sizeof line, stdin)) {
    printf("%d\n", (int)obey(line));
    fflush(stdout);
  }
  return 0;
}
