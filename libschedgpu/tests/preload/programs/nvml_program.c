/*
 * nvml_program.c - a program on NVML that knows nothing of schedGPU, such as a monitor. Its first
 * argument says how it finds NVML's functions. Then it obeys lines from stdin, and answers each
 * with NVML's result and numbers.
 */
#include "nvml_abi.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* X(member, exported name) */
#define FUNCTIONS(X)                                                                               \
  X(Init, nvmlInit_v2)                                                                             \
  X(Handle, nvmlDeviceGetHandleByIndex_v2)                                                         \
  X(Memory, nvmlDeviceGetMemoryInfo)                                                               \
  X(Memory2, nvmlDeviceGetMemoryInfo_v2)

static struct {
#define MEMBER(member, name) __typeof__(&name) member;
  FUNCTIONS(MEMBER)
#undef MEMBER
} nvml;

static int find_all(const char *how) {
#ifdef LINKED
  if (strcmp(how, "linked") == 0) {
#define LINK(member, name) nvml.member = name;
    FUNCTIONS(LINK)
#undef LINK
    return 0;
  }
#endif
  int global = strcmp(how, "default") == 0;
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
#define FIND(member, name)                                                                         \
  nvml.member = (__typeof__(nvml.member))dlsym(global ? RTLD_DEFAULT : library, #name);
  FUNCTIONS(FIND)
#undef FIND
  return library && nvml.Init && nvml.Memory && nvml.Memory2 ? 0 : -1;
}

static void memory(nvmlDevice_t device) {
  nvmlMemory_t m = {0};
  nvmlReturn_t result = nvml.Memory(device, &m);
  printf("%d %llu %llu %llu\n", result, m.free, m.total, m.used);
}

static void memory2(nvmlDevice_t device, unsigned version) {
  nvmlMemory_v2_t m = {.version = version};
  nvmlReturn_t result = nvml.Memory2(device, &m);
  printf("%d %llu %llu %llu %llu %u\n", result, m.free, m.total, m.used, m.reserved, m.version);
}

/* "memory DEVICE", "memory2 DEVICE VERSION": result, free, total, used (, reserved, version) */
static void answer(const char *line) {
  char first[64] = "";
  unsigned index = 0, version = 0;
  nvmlDevice_t device;
  sscanf(line, "%63s %u %i", first, &index, (int *)&version);
  if (nvml.Handle(index, &device) != NVML_SUCCESS)
    printf("-1\n");
  else if (strcmp(first, "memory") == 0)
    memory(device);
  else
    memory2(device, version);
}

int main(int argc, char **argv) {
  char line[256];
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc < 2 || find_all(argv[1]) != 0 || nvml.Init() != NVML_SUCCESS) {
    printf("-1 cannot find NVML\n");
    return 2;
  }
  while (fgets(line, sizeof line, stdin))
    answer(line);
  return 0;
}
