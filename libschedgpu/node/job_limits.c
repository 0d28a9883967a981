/* job_limits.c - see job_limits.h. */
#include "job_limits.h"
#include <string.h>

/* What a device can give is rounded down and what is reserved is rounded up, as in the region. */
#define UNIT_BYTES 512

uint64_t sg_round_to_unit(uint64_t bytes) {
  uint64_t rest = bytes % UNIT_BYTES;
  return rest && bytes <= UINT64_MAX - UNIT_BYTES ? bytes - rest + UNIT_BYTES : bytes;
}

uint64_t sg_reserved_with_margin(const struct sg_conf *conf,
                                 const struct schedgpu_device_spec *device) {
  uint64_t margin = 0, sum;
  schedgpu_parse_bytes(conf->safety_margin, device->total_bytes, &margin);
  if (__builtin_add_overflow(device->reserved_bytes, margin, &sum) || sum > device->total_bytes)
    return device->total_bytes;
  return sum;
}

uint64_t sg_usable_memory(const struct sg_conf *conf, const struct schedgpu_device_spec *device) {
  uint64_t total = device->total_bytes - device->total_bytes % UNIT_BYTES;
  uint64_t kept = sg_round_to_unit(sg_reserved_with_margin(conf, device));
  return kept < total ? total - kept : 0;
}

uint64_t sg_max_contexts(const struct sg_conf *conf, const struct schedgpu_device_spec *device) {
  uint64_t context = sg_round_to_unit(device->context_bytes);
  return context > 0 ? sg_usable_memory(conf, device) / context : UINT64_MAX;
}

uint64_t sg_beside_contexts(uint64_t usable_bytes, uint64_t context_bytes, uint32_t processes) {
  if (context_bytes > 0 && processes > usable_bytes / context_bytes)
    return 0;
  return usable_bytes - processes * context_bytes;
}

uint64_t sg_largest_budget(const struct sg_conf *conf, const struct schedgpu_device_spec *device,
                           uint32_t processes) {
  return sg_beside_contexts(sg_usable_memory(conf, device), sg_round_to_unit(device->context_bytes),
                            processes);
}

struct sg_budget_limits sg_budget_limits_of(const struct sg_conf *conf,
                                            const struct schedgpu_device_spec *device,
                                            uint32_t processes) {
  struct sg_budget_limits limits = {UINT64_MAX, sg_largest_budget(conf, device, processes)};
  schedgpu_parse_bytes(conf->max_mem, device->total_bytes, &limits.site_bytes);
  return limits;
}

enum sg_budget_bound sg_bound_budget(const struct sg_budget_limits *limits, bool percentage,
                                     uint64_t *bytes) {
  uint64_t site = limits->site_bytes, device = limits->device_bytes;
  if (*bytes > site && (percentage || site < device))
    return SG_BUDGET_ABOVE_SITE;
  if (device == 0 || (*bytes > device && !percentage))
    return SG_BUDGET_ABOVE_DEVICE;
  *bytes = *bytes < device ? sg_round_to_unit(*bytes) : device;
  return SG_BUDGET_FITS;
}

enum sg_budget_bound sg_bound_on_device(const struct sg_conf *conf,
                                        const struct schedgpu_device_spec *device,
                                        uint32_t processes, bool percentage, uint64_t *bytes) {
  if (processes > 1 && processes > sg_max_contexts(conf, device))
    return SG_BUDGET_NO_CONTEXTS;
  struct sg_budget_limits limits = sg_budget_limits_of(conf, device, processes);
  return *bytes == 0 ? SG_BUDGET_FITS : sg_bound_budget(&limits, percentage, bytes);
}

uint64_t sg_default_budget(const struct sg_conf *conf, uint64_t total_bytes, bool *percentage) {
  uint64_t bytes = 0;
  *percentage = strchr(conf->default_mem, '%') != NULL;
  if (conf->default_mem[0])
    schedgpu_parse_bytes(conf->default_mem, total_bytes, &bytes);
  return bytes;
}

int32_t sg_bound_priority(const struct sg_conf *conf, bool exceeds, int32_t wanted) {
  return exceeds || wanted <= conf->max_priority ? wanted : conf->max_priority;
}
