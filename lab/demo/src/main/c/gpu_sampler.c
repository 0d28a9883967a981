/*
 * gpu_sampler.c - samples the first device through NVML.
 *
 *   gpu-sampler <period in ms>    prints a line "<ns> <used bytes> <utilisation %> <busy ns>" per
 *                                 period, until its standard input ends; so it ends with its parent
 *   gpu-sampler --describe        prints the properties of the device, as JSON
 *
 * The first number is CLOCK_MONOTONIC. The last is the exact time for which the device was busy so
 * far, or -1 on a real GPU, which does not report it. Exit status: 0, or 1 if there is no NVML or
 * no device.
 */
#include "emulated_gpu.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
  __typeof__(&nvmlInit_v2) init;
  __typeof__(&nvmlErrorString) error_string;
  __typeof__(&nvmlDeviceGetHandleByIndex_v2) handle;
  __typeof__(&nvmlDeviceGetName) name;
  __typeof__(&nvmlDeviceGetUUID) uuid;
  __typeof__(&nvmlDeviceGetMemoryInfo) memory;
  __typeof__(&nvmlDeviceGetUtilizationRates) utilization;
  __typeof__(&emulatedGpuBusyNs) busy; /* NULL on a real GPU */
} nvml;

static int load_nvml(void) {
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "gpu-sampler: %s: put the library into LD_LIBRARY_PATH\n", dlerror());
    return -1;
  }
  nvml.init = dlsym(library, "nvmlInit_v2");
  nvml.error_string = dlsym(library, "nvmlErrorString");
  nvml.handle = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
  nvml.name = dlsym(library, "nvmlDeviceGetName");
  nvml.uuid = dlsym(library, "nvmlDeviceGetUUID");
  nvml.memory = dlsym(library, "nvmlDeviceGetMemoryInfo");
  nvml.utilization = dlsym(library, "nvmlDeviceGetUtilizationRates");
  nvml.busy = dlsym(library, "emulatedGpuBusyNs");
  if (nvml.init && nvml.error_string && nvml.handle && nvml.name && nvml.uuid && nvml.memory &&
      nvml.utilization)
    return 0;
  fprintf(stderr, "gpu-sampler: libnvidia-ml.so.1 lacks functions: use a newer driver\n");
  return -1;
}

static int check(nvmlReturn_t result, const char *what) {
  if (result == NVML_SUCCESS)
    return 0;
  fprintf(stderr, "gpu-sampler: %s: %s\n", what, nvml.error_string(result));
  return -1;
}

static int describe(nvmlDevice_t device) {
  char name[96], uuid[96];
  nvmlMemory_t memory;
  if (check(nvml.name(device, name, sizeof name), "name") ||
      check(nvml.uuid(device, uuid, sizeof uuid), "UUID") ||
      check(nvml.memory(device, &memory), "memory"))
    return 1;
  printf("{\"name\":\"%s\",\"uuid\":\"%s\",\"totalBytes\":%llu,\"emulated\":%s}\n", name, uuid,
         memory.total, nvml.busy ? "true" : "false");
  return 0;
}

static int print_sample(nvmlDevice_t device) {
  struct timespec now;
  nvmlMemory_t memory;
  nvmlUtilization_t utilization;
  uint64_t busy_ns = UINT64_MAX;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (check(nvml.memory(device, &memory), "memory") ||
      check(nvml.utilization(device, &utilization), "utilisation") ||
      (nvml.busy && check(nvml.busy(device, &busy_ns), "busy time")))
    return -1;
  printf("%lld %llu %u %lld\n", now.tv_sec * 1000000000LL + now.tv_nsec, memory.used,
         utilization.gpu, (long long)busy_ns);
  return fflush(stdout);
}

/* Returns 1 if standard input ended within the time. */
static int input_ends_within(int ms) {
  char byte;
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&input, 1, ms) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

static int sample(nvmlDevice_t device, int period_ms) {
  do {
    if (print_sample(device))
      return 1;
  } while (!input_ends_within(period_ms));
  return print_sample(device) ? 1 : 0;
}

int main(int count, char **arguments) {
  int wants_facts = count == 2 && !strcmp(arguments[1], "--describe");
  int period_ms = count == 2 ? atoi(arguments[1]) : 0;
  if (!wants_facts && period_ms < 1) {
    fprintf(stderr, "gpu-sampler: usage: gpu-sampler <period in ms> | --describe\n");
    return 1;
  }
  nvmlDevice_t device;
  if (load_nvml() || check(nvml.init(), "nvmlInit") || check(nvml.handle(0, &device), "device 0"))
    return 1;
  return wants_facts ? describe(device) : sample(device, period_ms);
}
