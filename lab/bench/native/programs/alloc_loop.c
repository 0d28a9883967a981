/*
 * alloc_loop.c - a program that knows nothing of schedGPU: allocates and frees, and prints the ns
 * of one pair, a sample per line.
 *
 *   alloc-loop SAMPLES PAIRS-PER-SAMPLE
 */
#include "../support/clock.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES 65536

typedef int (*allocate_call)(unsigned long long *address, size_t bytes);
typedef int (*free_call)(unsigned long long address);

static int begin(void *driver) {
  void *context;
  int (*init)(unsigned) = dlsym(driver, "cuInit");
  int (*retain)(void **, int) = dlsym(driver, "cuDevicePrimaryCtxRetain");
  int (*use)(void *) = dlsym(driver, "cuCtxSetCurrent");
  return init(0) || retain(&context, 0) || use(context);
}

static int sample(allocate_call allocate, free_call give_back, int pairs) {
  unsigned long long address;
  uint64_t start_ns = now_ns();
  for (int i = 0; i < pairs; i++)
    if (allocate(&address, BYTES) || give_back(address))
      return 1;
  printf("%.2f\n", (double)(now_ns() - start_ns) / pairs);
  return 0;
}

int main(int argc, char **argv) {
  void *driver = argc == 3 ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
  if (!driver || begin(driver))
    return 1;
  allocate_call allocate = (allocate_call)dlsym(driver, "cuMemAlloc_v2");
  free_call give_back = (free_call)dlsym(driver, "cuMemFree_v2");
  unsigned long long kept; /* keeps the budget in use all the time, as a program does */
  if (allocate(&kept, BYTES))
    return 1;
  for (int i = atoi(argv[1]); i > 0; i--)
    if (sample(allocate, give_back, atoi(argv[2])))
      return 1;
  return 0;
}
