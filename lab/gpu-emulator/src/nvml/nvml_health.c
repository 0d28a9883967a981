/*
 * nvml_health.c - faults of the emulated devices: Xids as events, ECC errors, a lost device. The
 * file of EMULATED_GPU_FAULTS lists them, a line each; every call reads it:
 *
 *   xid DEVICE NUMBER     has happened; reported once to each event set that was registered before
 *   ecc DEVICE COUNT      number of uncorrected errors since the driver was loaded
 *   lost DEVICE           its calls fail, as after it fell off the bus
 */
#include "nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEP_NS = 10000000, STEP_MS = 10 };

struct nvmlEventSet_st {
  uint32_t devices;   /* registered devices, a bit each */
  unsigned long seen; /* lines of the file that were reported */
};

struct fault {
  char kind[8];
  unsigned device;
  unsigned long long number;
};

/* Reads the next fault of a file, and counts its lines. 0 at the end. */
static int next_fault(FILE *file, struct fault *fault, unsigned long *line) {
  char text[128];
  while (fgets(text, sizeof text, file)) {
    ++*line;
    fault->number = 0;
    if (sscanf(text, "%7s %u %llu", fault->kind, &fault->device, &fault->number) >= 2)
      return 1;
  }
  return 0;
}

static FILE *open_faults(void) {
  const char *path = getenv("EMULATED_GPU_FAULTS");
  return path && *path ? fopen(path, "re") : NULL;
}

static int is_kind(const struct fault *fault, char first) {
  return fault->kind[0] == first;
}

int nvml_is_lost(unsigned device) {
  FILE *file = open_faults();
  struct fault fault;
  unsigned long line = 0;
  int lost = 0;
  while (file && !lost && next_fault(file, &fault, &line))
    lost = is_kind(&fault, 'l') && fault.device == device;
  if (file)
    fclose(file);
  return lost;
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                         nvmlEccCounterType_t counter, unsigned long long *count) {
  NEED_DEVICE(physical, device);
  NEED(count);
  FILE *file = open_faults();
  if (!file)
    return NVML_ERROR_NOT_SUPPORTED;
  struct fault fault;
  unsigned long line = 0;
  *count = 0;
  while (next_fault(file, &fault, &line))
    if (is_kind(&fault, 'e') && fault.device == physical &&
        type == NVML_MEMORY_ERROR_TYPE_UNCORRECTED)
      *count = fault.number;
  fclose(file);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types) {
  NEED_DEVICE(physical, device);
  (void)physical;
  NEED(types);
  *types = nvmlEventTypeXidCriticalError;
  return NVML_SUCCESS;
}

static unsigned long lines_now(void) {
  FILE *file = open_faults();
  struct fault fault;
  unsigned long line = 0;
  while (file && next_fault(file, &fault, &line))
    ;
  if (file)
    fclose(file);
  return line;
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set) {
  NEED_INIT();
  NEED(set);
  *set = calloc(1, sizeof **set);
  if (!*set)
    return NVML_ERROR_UNKNOWN;
  (*set)->seen = lines_now();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types,
                                      nvmlEventSet_t set) {
  NEED_DEVICE(physical, device);
  NEED(set);
  if (types != nvmlEventTypeXidCriticalError)
    return NVML_ERROR_NOT_SUPPORTED;
  set->devices |= 1u << physical;
  return NVML_SUCCESS;
}

/* Takes the first Xid that was not reported yet. */
static int take_event(nvmlEventSet_t set, struct fault *fault) {
  FILE *file = open_faults();
  unsigned long line = 0;
  int found = 0;
  while (file && !found && next_fault(file, fault, &line))
    found = line > set->seen && is_kind(fault, 'x') && fault->device < MAX_DEVICES &&
            (set->devices >> fault->device & 1);
  if (file)
    fclose(file);
  if (line > set->seen)
    set->seen = line;
  return found;
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms) {
  NEED_INIT();
  NEED(set && data);
  struct fault fault;
  while (!take_event(set, &fault)) {
    if (timeout_ms == 0)
      return NVML_ERROR_TIMEOUT;
    nanosleep(&(struct timespec){0, STEP_NS}, NULL);
    timeout_ms -= timeout_ms < STEP_MS ? timeout_ms : STEP_MS;
  }
  *data = (nvmlEventData_t){.device = nvml_handle(fault.device),
                            .eventType = nvmlEventTypeXidCriticalError,
                            .eventData = fault.number};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  NEED(set);
  free(set);
  return NVML_SUCCESS;
}
