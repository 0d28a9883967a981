/* shards.c - see shards.h. */
#include "shards.h"
#include "job_limits.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t sg_parse_shards(const char *text) {
  char *end;
  errno = 0;
  unsigned long number = strtoul(text, &end, 10);
  bool wrong = text[0] < '0' || text[0] > '9' || *end || errno || number > UINT32_MAX;
  return wrong ? 0 : (uint32_t)number;
}

/** True if the job may use the device, and Slurm counts its memory in shards. */
static bool is_shared(const struct sg_conf_device *device, uint32_t device_mask) {
  return device->shard_bytes > 0 && device_mask & 1u << device->spec.index;
}

bool sg_has_shards(const struct sg_conf_devices *devices, const struct sg_job_options *options,
                   uint32_t device_mask) {
  for (uint32_t d = 0; options->shards > 0 && d < devices->count; d++) {
    if (is_shared(&devices->device[d], device_mask))
      return true;
  }
  return false;
}

/** What the shards are worth, at most what the site and the device give. 0: the device has none. */
static uint64_t worth(const struct sg_conf *conf, const struct sg_conf_device *device,
                      uint32_t shards, uint32_t processes) {
  struct sg_budget_limits limits = sg_budget_limits_of(conf, &device->spec, processes);
  uint64_t bytes =
      device->shard_bytes > UINT64_MAX / shards ? UINT64_MAX : device->shard_bytes * shards;
  if (bytes > limits.site_bytes)
    bytes = limits.site_bytes;
  return sg_bound_budget(&limits, true, &bytes) == SG_BUDGET_FITS ? bytes : 0;
}

static void report_lowered(const struct sg_job_options *options, uint64_t bytes, char *notice,
                           size_t notice_size) {
  char text[24];
  snprintf(notice, notice_size,
           "--schedgpu-mem=%s is more than the job's shards (%u) stand for: lowered to %s; for "
           "more ask for more shards",
           options->mem, options->shards, schedgpu_format_bytes(bytes, text));
}

int sg_shards_limit(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                    const struct sg_job_options *options, struct schedgpu_job_spec *spec,
                    char *notice, size_t notice_size, char *error, size_t error_size) {
  for (uint32_t d = 0; d < devices->count; d++) {
    const struct sg_conf_device *device = &devices->device[d];
    uint64_t *budget = &spec->budget_bytes[device->spec.index];
    if (!is_shared(device, spec->device_mask))
      continue;
    uint64_t most = worth(conf, device, options->shards, spec->processes);
    if (most == 0) {
      snprintf(error, error_size, "device %u has no memory for a job of %u shards",
               device->spec.index, options->shards);
      return SCHEDGPU_ETOOBIG;
    }
    if (*budget > most)
      report_lowered(options, most, notice, notice_size);
    if (*budget == 0 || *budget > most)
      *budget = most;
  }
  return SCHEDGPU_OK;
}
