/*
 * nvml_limits.c - limits per control group, as in drivers of version 615 and later. The emulator
 * stores each limit as a line of the file EMULATED_GPU_LIMITS, and enforces none. Without that
 * variable it acts as an older driver.
 */
#include "nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *limits_path(void) {
  const char *path = getenv("EMULATED_GPU_LIMITS");
  return path && *path ? path : NULL;
}

/* The driver identifies a group by its folder, which must exist. */
nvmlReturn_t nvmlDeviceSetMemoryLimits_v1(nvmlDevice_t device,
                                          const nvmlSetMemoryLimits_v1_t *limits) {
  NEED_DEVICE(physical, device);
  NEED(limits && limits->nameSpace && limits->softLimit <= limits->hardLimit);
  const char *path = limits_path();
  if (!path)
    return NVML_ERROR_NOT_SUPPORTED;
  if (access(limits->nameSpace, F_OK))
    return NVML_ERROR_NOT_FOUND;
  FILE *file = fopen(path, "ae");
  if (!file)
    return NVML_ERROR_UNKNOWN;
  fprintf(file, "%u %llu %llu %s\n", physical, limits->softLimit, limits->hardLimit,
          limits->nameSpace);
  return fclose(file) ? NVML_ERROR_UNKNOWN : NVML_SUCCESS;
}

/* The last line of a group applies. */
nvmlReturn_t nvmlDeviceGetMemoryLimits_v1(nvmlDevice_t device, nvmlGetMemoryLimits_v1_t *limits) {
  NEED_DEVICE(physical, device);
  NEED(limits && limits->nameSpace);
  const char *path = limits_path();
  if (!path)
    return NVML_ERROR_NOT_SUPPORTED;
  FILE *file = fopen(path, "re");
  nvmlReturn_t result = NVML_ERROR_NOT_FOUND;
  char name[4096];
  unsigned index;
  unsigned long long soft, hard;
  while (file && fscanf(file, "%u %llu %llu %4095s", &index, &soft, &hard, name) == 4)
    if (index == physical && !strcmp(name, limits->nameSpace)) {
      limits->softLimit = soft;
      limits->hardLimit = hard;
      limits->currentUsed = 0; /* the members of a group are not emulated */
      result = NVML_SUCCESS;
    }
  if (file)
    fclose(file);
  return result;
}
