/* main.c - emulated-gpu-smi: the emulated devices and their processes, in 80 columns. */
#include "nvml_abi.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_PROCESSES = 512, PATH_COLUMNS = 40 };

static unsigned long long mib(unsigned long long bytes) {
  return bytes >> 20;
}

static void must(nvmlReturn_t result, const char *what) {
  if (result == NVML_SUCCESS)
    return;
  fprintf(stderr, "emulated-gpu-smi: %s: %s\n", what, nvmlErrorString(result));
  exit(1);
}

static void print_device(unsigned index, nvmlDevice_t device) {
  char name[64], uuid[96];
  nvmlMemory_t memory;
  nvmlUtilization_t rates;
  must(nvmlDeviceGetName(device, name, sizeof name), "name");
  must(nvmlDeviceGetUUID(device, uuid, sizeof uuid), "UUID");
  must(nvmlDeviceGetMemoryInfo(device, &memory), "memory");
  must(nvmlDeviceGetUtilizationRates(device, &rates), "utilization");
  printf("%3u  %-16s  %-40s\n", index, name, uuid);
  printf("     memory %llu / %llu MiB, busy %u %%\n", mib(memory.used), mib(memory.total),
         rates.gpu);
}

/* Cuts the beginning of a long path, since the end says more. */
static const char *short_path(const char *path, char *text, size_t size) {
  size_t length = 0;
  while (path[length])
    length++;
  if (length <= PATH_COLUMNS)
    return path;
  snprintf(text, size, "...%s", path + length - (PATH_COLUMNS - 3));
  return text;
}

static void print_processes(nvmlDevice_t device) {
  static nvmlProcessInfo_t infos[MAX_PROCESSES];
  unsigned count = MAX_PROCESSES;
  must(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, infos), "processes");
  for (unsigned i = 0; i < count; i++) {
    char path[4096], text[PATH_COLUMNS + 1];
    if (nvmlSystemGetProcessName(infos[i].pid, path, sizeof path) != NVML_SUCCESS)
      snprintf(path, sizeof path, "?");
    printf("     pid %-10u %8llu MiB  %s\n", infos[i].pid, mib(infos[i].usedGpuMemory),
           short_path(path, text, sizeof text));
  }
}

int main(void) {
  unsigned count;
  must(nvmlInit_v2(), "start");
  must(nvmlDeviceGetCount_v2(&count), "number of devices");
  printf("Emulated GPUs: %u (no NVIDIA hardware or driver)\n", count);
  for (unsigned i = 0; i < count; i++) {
    nvmlDevice_t device;
    must(nvmlDeviceGetHandleByIndex_v2(i, &device), "device");
    print_device(i, device);
    print_processes(device);
  }
  nvmlShutdown();
  return 0;
}
