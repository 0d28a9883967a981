/*
 * A program that reserves its memory itself, through schedgpu.h, and then allocates it. Obeys lines
 * from stdin.
 */
#include "cuda_abi.h"
#include "schedgpu/schedgpu.h"
#include <stdio.h>
#include <string.h>

static CUdeviceptr address;
static CUcontext context;

static int begin(void) {
  int result = (int)cuInit(0);
  if (result == 0)
    result = schedgpu_context_enter(0, SCHEDGPU_JOB_WAIT);
  if (result == 0)
    result = (int)cuDevicePrimaryCtxRetain(&context, 0);
  return result ? result : (int)cuCtxSetCurrent(context);
}

static int allocate(size_t bytes) {
  int result = schedgpu_reserve(0, bytes, SCHEDGPU_JOB_WAIT);
  return result ? result : (int)cuMemAlloc_v2(&address, bytes);
}

static int give_back(size_t bytes) {
  int result = (int)cuMemFree_v2(address);
  return result ? result : schedgpu_release(0, bytes);
}

int main(void) {
  char line[128], first[32];
  unsigned long long bytes;
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    bytes = 0;
    sscanf(line, "%31s %llu", first, &bytes);
    printf("%d\n", strcmp(first, "begin") == 0   ? begin()
                   : strcmp(first, "alloc") == 0 ? allocate(bytes)
                                                 : give_back(bytes));
  }
  return 0;
}
