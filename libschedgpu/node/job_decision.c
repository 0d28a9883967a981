/*
 * job_decision.c - decides what a job gets: applies the site's limits to its options. See conf.h.
 */
#include "lane.h"
#include "learned.h"
#include "job_limits.h"
#include "names.h"
#include "overflow.h"
#include "shards.h"
#include "schedgpu/conf.h"
#include <stdio.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)

/** The outputs of a decision: messages and their prefix. */
struct outcome {
  const char *prefix; /**< of options */
  char *notice;
  size_t notice_size;
  char *error;
  size_t error_size;
};

/** Reports which two virtual GPUs are shares of one device. */
static int refuse_repeated(const struct sg_conf_devices *devices, const uint16_t *index,
                           uint32_t count, const struct outcome *out) {
  for (uint32_t j = 1; j < count; j++) {
    for (uint32_t i = 0; i < j; i++) {
      uint16_t pair[] = {index[i], index[j]};
      uint32_t device[SCHEDGPU_MAX_DEVICES];
      bool repeated;
      if (sg_devices_of_virtual(devices, pair, 2, device, &repeated) == 1 && repeated) {
        snprintf(
            out->error, out->error_size,
            "--schedgpu-distinct: the virtual GPUs %u and %u are both of device %u: ask again, "
            "or leave --schedgpu-distinct out",
            index[i], index[j], device[0]);
        return SCHEDGPU_EINVAL;
      }
    }
  }
  return SCHEDGPU_OK;
}

/** Fills `spec->device_mask` with the job's devices. */
static int decide_devices(const struct sg_conf_devices *devices,
                          const struct sg_job_options *options, const uint16_t *index,
                          uint32_t count, struct schedgpu_job_spec *spec,
                          const struct outcome *out) {
  uint32_t device[SCHEDGPU_MAX_DEVICES];
  bool repeated;
  int found = sg_devices_of_virtual(devices, index, count, device, &repeated);
  if (found < 0) {
    snprintf(
        out->error, out->error_size,
        "the job's virtual GPUs are not all in devices.conf: run `schedgpu gres` for this node");
    return found;
  }
  if (count == 0) {
    snprintf(out->error, out->error_size, "the job has no virtual GPU on this node");
    return SCHEDGPU_EINVAL;
  }
  if (repeated && options->distinct)
    return refuse_repeated(devices, index, count, out);
  for (int i = 0; i < found; i++)
    spec->device_mask |= 1u << device[i];
  return SCHEDGPU_OK;
}

/** Reports that the contexts alone need more memory than the device has, so no budget is left. */
static int too_many_processes(const struct sg_conf *conf, const struct schedgpu_device_spec *device,
                              uint32_t processes, const struct outcome *out) {
  char usable[24], context[24];
  snprintf(
      out->error, out->error_size,
      "%sprocesses=%u is more than device %u has room for: %s for jobs, a CUDA context takes %s: "
      "at most %llu",
      out->prefix, processes, device->index,
      schedgpu_format_bytes(sg_usable_memory(conf, device), usable),
      schedgpu_format_bytes(device->context_bytes, context),
      (unsigned long long)sg_max_contexts(conf, device));
  return SCHEDGPU_ETOOBIG;
}

static int too_big_for_device(const struct sg_conf *conf, const struct schedgpu_device_spec *device,
                              uint32_t processes, const char *source, const char *value,
                              const struct outcome *out) {
  char total[24], reserved[24], context[24], largest[24], contexts[48] = "a CUDA context";
  uint64_t most = sg_largest_budget(conf, device, processes);
  if (processes > 1)
    snprintf(contexts, sizeof contexts, "%u CUDA contexts", processes);
  snprintf(
      out->error, out->error_size,
      "%s=%s is more than device %u can give a job: %s (%s in all, less %s reserved and %s for "
      "%s): at most %lluM",
      source, value, device->index, schedgpu_format_bytes(most, largest),
      schedgpu_format_bytes(device->total_bytes, total),
      schedgpu_format_bytes(sg_reserved_with_margin(conf, device), reserved),
      schedgpu_format_bytes(processes * device->context_bytes, context), contexts,
      (unsigned long long)(most / MIB));
  return SCHEDGPU_ETOOBIG;
}

static int too_big_for_site(const struct sg_conf *conf, const char *source, const char *value,
                            const struct schedgpu_device_spec *device, const struct outcome *out) {
  char text[24];
  uint64_t most = sg_budget_limits_of(conf, device, 1).site_bytes;
  snprintf(out->error, out->error_size,
           "%s=%s is more than MaxMem=%s of this site allows on device %u: %s, that is %lluM",
           source, value, conf->max_mem, device->index, schedgpu_format_bytes(most, text),
           (unsigned long long)(most / MIB));
  return SCHEDGPU_ETOOBIG;
}

/** The budget of a device of `total_bytes`, by the option or DefaultMem; 0: none. */
static uint64_t wanted_budget(const struct sg_conf *conf, const struct sg_job_options *options,
                              uint64_t total_bytes, bool *percentage) {
  struct sg_value asked = sg_option_value(options, SG_OPTION_mem);
  *percentage = asked.kind == SG_VALUE_PERCENT;
  return asked.kind != SG_VALUE_NONE ? sg_value_bytes(asked, total_bytes)
                                     : sg_default_budget(conf, total_bytes, percentage);
}

/** Decides the budget on one device, if the job has one that it or the site declares. */
static int decide_budget(const struct sg_conf *conf, const struct schedgpu_device_spec *device,
                         const struct sg_job_options *options, bool declared,
                         struct schedgpu_job_spec *spec, const struct outcome *out) {
  char source[32];
  bool own = options->mem[0], percentage = false;
  const char *value = own ? options->mem : conf->default_mem;
  uint64_t *budget = &spec->budget_bytes[device->index];
  snprintf(source, sizeof source, "%s%s", own ? out->prefix : "", own ? "mem" : "DefaultMem");
  if (declared)
    *budget = wanted_budget(conf, options, device->total_bytes, &percentage);
  switch (sg_bound_on_device(conf, device, spec->processes, percentage, budget)) {
  case SG_BUDGET_ABOVE_SITE:
    return too_big_for_site(conf, source, value, device, out);
  case SG_BUDGET_ABOVE_DEVICE:
    return too_big_for_device(conf, device, spec->processes, source, value, out);
  case SG_BUDGET_NO_CONTEXTS:
    return too_many_processes(conf, device, spec->processes, out);
  default:
    return SCHEDGPU_OK;
  }
}

/** Applies a learned budget. It is a default, so it is reduced to the limits. */
static int take_learned(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                        uint64_t bytes, struct schedgpu_job_spec *spec, const struct outcome *out) {
  for (uint32_t d = 0; d < devices->count; d++) {
    const struct schedgpu_device_spec *device = &devices->device[d].spec;
    struct sg_budget_limits limits = sg_budget_limits_of(conf, device, spec->processes);
    if (!(spec->device_mask & 1u << device->index))
      continue;
    uint64_t budget = bytes < limits.site_bytes ? bytes : limits.site_bytes;
    if (sg_bound_budget(&limits, true, &budget) != SG_BUDGET_FITS)
      return too_big_for_device(conf, device, spec->processes, "DefaultMem", "learned", out);
    spec->budget_bytes[device->index] = budget;
  }
  spec->flags |= SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  return SCHEDGPU_OK;
}

static int decide_memory(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                         const struct sg_job_options *options, uint64_t learned,
                         struct schedgpu_job_spec *spec, const struct outcome *out) {
  bool shards = sg_has_shards(devices, options, spec->device_mask);
  bool declared = options->mem[0] || (!shards && !learned && conf->default_mem[0]);
  bool budget = declared || learned || shards;
  uint64_t processes = sg_option_number(options, SG_OPTION_processes);
  uint64_t mode = sg_option_number(options, SG_OPTION_mode);
  spec->processes = processes ? (uint32_t)processes : 1;
  spec->mode = mode ? (uint32_t)mode : budget ? SCHEDGPU_MODE_PEAK : SCHEDGPU_MODE_ONDEMAND;
  if (!budget && spec->mode != SCHEDGPU_MODE_ONDEMAND) {
    snprintf(out->error, out->error_size,
             "%smode=%s needs a budget: add %smem (this site has no DefaultMem)", out->prefix,
             options->mode, out->prefix);
    return SCHEDGPU_EINVAL;
  }
  for (uint32_t d = 0; d < devices->count; d++) {
    const struct schedgpu_device_spec *device = &devices->device[d].spec;
    if (!(spec->device_mask & 1u << device->index))
      continue;
    int rc = decide_budget(conf, device, options, declared, spec, out);
    if (rc != SCHEDGPU_OK)
      return rc;
  }
  if (shards)
    return sg_shards_limit(conf, devices, options, spec, out->notice, out->notice_size, out->error,
                           out->error_size);
  return learned ? take_learned(conf, devices, learned, spec, out) : SCHEDGPU_OK;
}

/** True if `uid` is in HighPriorityUsers, as a number or by name. */
static bool may_exceed_max_priority(const struct sg_conf *conf, uint32_t uid) {
  char list[SG_CONF_USERS], name[256], number[16], *rest = list;
  if (!conf->high_priority_users[0])
    return false;
  if (!sg_name_of_uid(uid, name, sizeof name))
    name[0] = '\0';
  snprintf(number, sizeof number, "%u", uid);
  snprintf(list, sizeof list, "%s", conf->high_priority_users);
  for (char *entry; (entry = strsep(&rest, ","));) {
    if (*entry && (strcmp(entry, number) == 0 || strcmp(entry, name) == 0))
      return true;
  }
  return false;
}

static void decide_priority(const struct sg_conf *conf, const struct sg_job_options *options,
                            struct schedgpu_job_spec *spec, const struct outcome *out) {
  spec->priority = conf->default_priority;
  if (options->priority[0])
    spec->priority = (int32_t)sg_option_number(options, SG_OPTION_priority);
  bool above = spec->priority > conf->max_priority;
  int32_t bound =
      sg_bound_priority(conf, above && may_exceed_max_priority(conf, spec->uid), spec->priority);
  if (bound == spec->priority)
    return;
  size_t used = out->notice_size > 0 ? strlen(out->notice) : 0;
  snprintf(out->notice + used, out->notice_size - used,
           "%s%spriority=%s is above MaxPriority: lowered to %d", used > 0 ? "; " : "", out->prefix,
           options->priority, bound);
  spec->priority = bound;
}

/** Decides the rest, once the job's devices are known. */
static int decide_rest(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                       const struct sg_job_options *options, uint64_t learned,
                       struct schedgpu_job_spec *spec, const struct outcome *out) {
  int rc = decide_memory(conf, devices, options, learned, spec, out);
  if (rc == SCHEDGPU_OK)
    rc = sg_lane_decide(conf, devices, options, spec, out->error, out->error_size);
  if (rc == SCHEDGPU_OK)
    rc = sg_overflow_decide(conf, options, spec, out->error, out->error_size);
  if (rc != SCHEDGPU_OK)
    return rc;
  decide_priority(conf, options, spec, out);
  spec->wait_ns = conf->wait_ns;
  if (options->wait[0])
    spec->wait_ns = sg_option_value(options, SG_OPTION_wait).ns;
  return SCHEDGPU_OK;
}

/** Clears the messages, and starts `spec`. */
static int begin(const struct sg_job_options *options, uint32_t kind, uint64_t job_id, uint32_t uid,
                 struct schedgpu_job_spec *spec, const struct outcome *out) {
  if (out->notice_size > 0)
    out->notice[0] = '\0';
  if (out->error_size > 0)
    out->error[0] = '\0';
  *spec = (struct schedgpu_job_spec){.job_id = job_id, .kind = kind, .uid = uid};
  memcpy(spec->name, options->job_name, sizeof spec->name);
  return sg_options_check(options, out->error, out->error_size);
}

int sg_decide_job(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                  const struct sg_job_options *options, uint64_t job_id, uint32_t uid,
                  const uint16_t *virtual_index, uint32_t virtual_count,
                  struct schedgpu_job_spec *spec, char *notice, size_t notice_size, char *error,
                  size_t error_size) {
  const struct outcome out = {sg_option_prefix(options), notice, notice_size, error, error_size};
  int rc = begin(options, SCHEDGPU_JOB_SLURM, job_id, uid, spec, &out);
  if (rc == SCHEDGPU_OK)
    rc = decide_devices(devices, options, virtual_index, virtual_count, spec, &out);
  if (rc != SCHEDGPU_OK || spec->device_mask == 0)
    return rc;
  return decide_rest(conf, devices, options, sg_learned_bytes(conf, options, uid), spec, &out);
}

int sg_decide_run(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                  const struct sg_job_options *options, uint32_t uid, uint64_t learned_bytes,
                  struct schedgpu_job_spec *spec, bool *learned, char *notice, size_t notice_size,
                  char *error, size_t error_size) {
  const struct outcome out = {sg_option_prefix(options), notice, notice_size, error, error_size};
  int rc = begin(options, SCHEDGPU_JOB_RUN, 0, uid, spec, &out);
  *learned = learned_bytes > 0 && sg_takes_learned(conf, options);
  for (uint32_t d = 0; d < devices->count; d++)
    spec->device_mask |= 1u << devices->device[d].spec.index;
  if (rc != SCHEDGPU_OK)
    return rc;
  return decide_rest(conf, devices, options, *learned ? learned_bytes : 0, spec, &out);
}
