/*
 * launch_loop.c - a program that knows nothing of schedGPU, and launches kernels.
 *
 *   launch-loop cost SAMPLES LAUNCHES-PER-SAMPLE   prints the ns of one launch, a sample per line
 *   launch-loop busy KERNEL-NS MS                  prints a line; after one on stdin launches for
 * so long, never synchronizes, and prints the ns that it launched
 */
#include "../support/clock.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*launch_call)(void *function, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, unsigned, void *stream, void **params, void **extra);

static launch_call launch;
static void *function;

static int begin(void *driver) {
  void *context, *module;
  unsigned long long kept; /* a program has memory on the device */
  int (*init)(unsigned) = dlsym(driver, "cuInit");
  int (*retain)(void **, int) = dlsym(driver, "cuDevicePrimaryCtxRetain");
  int (*use)(void *) = dlsym(driver, "cuCtxSetCurrent");
  int (*allocate)(unsigned long long *, size_t) = dlsym(driver, "cuMemAlloc_v2");
  int (*load)(void **, const void *) = dlsym(driver, "cuModuleLoadData");
  int (*get)(void **, void *, const char *) = dlsym(driver, "cuModuleGetFunction");
  launch = (launch_call)dlsym(driver, "cuLaunchKernel");
  return init(0) || retain(&context, 0) || use(context) || allocate(&kept, 65536) ||
         load(&module, "image") || get(&function, module, "busy_ns");
}

static int launch_one(uint64_t ns) {
  void *params[] = {&ns};
  return launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

static int cost(int samples, int launches) {
  for (int i = 0; i < samples; i++) {
    uint64_t start_ns = now_ns();
    for (int j = 0; j < launches; j++)
      if (launch_one(0))
        return 1;
    printf("%.2f\n", (double)(now_ns() - start_ns) / launches);
  }
  return 0;
}

static int busy(uint64_t kernel_ns, uint64_t ms) {
  uint64_t launched_ns = 0;
  puts("ready");
  fflush(stdout);
  if (getchar() == EOF)
    return 1;
  for (uint64_t end_ns = now_ns() + ms * 1000000; now_ns() < end_ns; launched_ns += kernel_ns)
    if (launch_one(kernel_ns))
      return 1;
  printf("%llu\n", (unsigned long long)launched_ns);
  return 0;
}

int main(int argc, char **argv) {
  void *driver = argc == 4 ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
  if (!driver || begin(driver))
    return 1;
  return strcmp(argv[1], "cost") == 0
             ? cost(atoi(argv[2]), atoi(argv[3]))
             : busy(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
}
