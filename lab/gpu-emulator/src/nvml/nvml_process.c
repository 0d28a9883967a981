/* nvml_process.c - the processes that use a device. */
#include "nvml.h"
#include "../shared/account.h"
#include "../shared/compute.h"

#include <time.h>

enum { NO_INSTANCE = -1 };

static void store_v1(void *infos, unsigned at, unsigned pid, uint64_t bytes) {
  ((nvmlProcessInfo_v1_t *)infos)[at] = (nvmlProcessInfo_v1_t){.pid = pid, .usedGpuMemory = bytes};
}

static void store_v2(void *infos, unsigned at, unsigned pid, uint64_t bytes) {
  ((nvmlProcessInfo_t *)infos)[at] =
      (nvmlProcessInfo_t){.pid = pid,
                          .usedGpuMemory = bytes,
                          .gpuInstanceId = (unsigned)NO_INSTANCE,
                          .computeInstanceId = (unsigned)NO_INSTANCE};
}

typedef void (*store)(void *infos, unsigned at, unsigned pid, uint64_t bytes);

/* Fills in as many as fit, and reports how many there are. */
static nvmlReturn_t list(nvmlDevice_t device, unsigned *count, void *infos, store store_one) {
  NEED_DEVICE(physical, device);
  NEED(count && (infos || !*count));
  struct shared_state *state = nvml_state();
  unsigned room = *count, found = 0;
  state_lock(state);
  state_reap(state);
  for (unsigned slot = 0; slot < state->owners_high; slot++) {
    uint64_t bytes = account_used_by(state, physical, slot);
    if (!bytes)
      continue;
    if (found < room)
      store_one(infos, found, (unsigned)state->owners[slot].pid, bytes);
    found++;
  }
  state_unlock(state);
  *count = found;
  return found > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned *count,
                                                  nvmlProcessInfo_v1_t *infos) {
  return list(device, count, infos, store_v1);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned *count,
                                                     nvmlProcessInfo_t *infos) {
  return list(device, count, infos, store_v2);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                     nvmlProcessInfo_t *infos) {
  return list(device, count, infos, store_v2);
}

static nvmlReturn_t none(nvmlDevice_t device, unsigned *count) {
  NEED_DEVICE(physical, device);
  NEED(count);
  (void)physical;
  *count = 0;
  return NVML_SUCCESS;
}

#define NO_PROCESSES(function, info)                                                               \
  nvmlReturn_t function(nvmlDevice_t device, unsigned *count, info *infos) {                       \
    return none(device, count);                                                                    \
  }
NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, nvmlProcessInfo_v1_t)
NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, nvmlProcessInfo_t)
NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlProcessInfo_t)
NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses, nvmlProcessInfo_v1_t)
NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v2, nvmlProcessInfo_t)
NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, nvmlProcessInfo_t)

static uint64_t microseconds_since_1970(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* The share of the device that a process has had since its first use. */
static unsigned share(const struct shared_state *state, unsigned device, unsigned slot,
                      uint64_t now_ns) {
  uint64_t age_ns = now_ns - state->owners[slot].claimed_ns;
  return age_ns ? (unsigned)(100.0 * (double)state->busy_ns[device][slot] / (double)age_ns) : 0;
}

nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device,
                                             nvmlProcessUtilizationSample_t *samples,
                                             unsigned *count, unsigned long long last_seen) {
  NEED_DEVICE(physical, device);
  NEED(count);
  struct shared_state *state = nvml_state();
  unsigned room = samples ? *count : 0, found = 0;
  uint64_t now_ns = state_now_ns();
  state_lock(state);
  state_reap(state);
  compute_advance(state, physical, now_ns);
  for (unsigned slot = 0; slot < state->owners_high; slot++) {
    if (!account_used_by(state, physical, slot))
      continue;
    if (found < room)
      samples[found] =
          (nvmlProcessUtilizationSample_t){.pid = (unsigned)state->owners[slot].pid,
                                           .timeStamp = microseconds_since_1970(),
                                           .smUtil = share(state, physical, slot, now_ns)};
    found++;
  }
  state_unlock(state);
  *count = found;
  if (!found)
    return NVML_ERROR_NOT_FOUND;
  return found > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}
