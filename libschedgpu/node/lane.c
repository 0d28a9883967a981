/* lane.c - see lane.h. */
#include "lane.h"
#include "learned_table.h"
#include "job_limits.h"
#include "schedgpu/conf_text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NS_PER_S INT64_C(1000000000)
/** With this limit, in seconds, Slurm means that there is none. */
#define NO_LIMIT_S (INT64_C(365) * 24 * 3600)

/** The policy of the lane that the options ask for. */
static uint32_t policy_of(const struct sg_job_options *options) {
  uint32_t policy = (uint32_t)sg_option_number(options, SG_OPTION_lane);
  if (policy != SCHEDGPU_LANE_NONE)
    return policy;
  bool share = sg_option_number(options, SG_OPTION_share) > 0;
  return share ? SCHEDGPU_LANE_SHARE : SCHEDGPU_LANE_NONE;
}

bool sg_wants_lane(const struct sg_job_options *options) {
  return policy_of(options) != SCHEDGPU_LANE_NONE;
}

struct sg_lane_option sg_lane_option(const struct sg_job_options *options) {
  bool share = policy_of(options) == SCHEDGPU_LANE_SHARE;
  return (struct sg_lane_option){.name = share ? "share" : "lane",
                                 .value = share ? options->share : options->lane};
}

const char *sg_lane_text(const struct schedgpu_job_spec *spec) {
  bool marks = spec->lane != SCHEDGPU_LANE_NONE && spec->lane != SCHEDGPU_LANE_SHARE;
  return marks ? schedgpu_lane_policy_name(spec->lane) : NULL;
}

uint32_t sg_weight_of(const struct schedgpu_job_spec *spec) {
  return spec->lane == SCHEDGPU_LANE_SHARE ? spec->share : 0;
}

const char *sg_weight_text(uint32_t share, char text[SG_WEIGHT_TEXT]) {
  snprintf(text, SG_WEIGHT_TEXT, "%u", share);
  return share ? text : NULL;
}

int sg_lane_check(const struct sg_job_options *options, char *error, size_t error_size) {
  const char *prefix = sg_option_prefix(options);
  uint64_t mode = sg_option_number(options, SG_OPTION_mode);
  struct sg_lane_option asked = sg_lane_option(options);
  if (!sg_wants_lane(options))
    return SCHEDGPU_OK;
  if (mode != 0 && mode != SCHEDGPU_MODE_PEAK)
    snprintf(error, error_size, "%s%s=%s is for mode peak only: leave out that or %smode=%s",
             prefix, asked.name, asked.value, prefix, options->mode);
  else if (sg_option_number(options, SG_OPTION_overflow) == 1)
    snprintf(error, error_size,
             "%s%s=%s: the budget of a lane job cannot grow: leave out that or %soverflow=wait",
             prefix, asked.name, asked.value, prefix);
  else
    return SCHEDGPU_OK;
  return SCHEDGPU_EINVAL;
}

static int too_persistent(const struct sg_job_options *options, const char *budget, char *error,
                          size_t error_size) {
  const char *prefix = sg_option_prefix(options);
  snprintf(error, error_size,
           "%spersistent=%s is more than the budget %s: it is the part of the budget that the job "
           "keeps between iterations: lower it, or raise %smem",
           prefix, options->persistent, budget, prefix);
  return SCHEDGPU_EINVAL;
}

/** Two sizes can be compared without a device, if none is a percentage. */
static bool exceeds_mem(const struct sg_job_options *options) {
  struct sg_value persistent = sg_option_value(options, SG_OPTION_persistent);
  struct sg_value budget = sg_option_value(options, SG_OPTION_mem);
  return persistent.kind == SG_VALUE_BYTES && budget.kind == SG_VALUE_BYTES &&
         persistent.number > budget.number;
}

int sg_lane_check_together(const struct sg_job_options *options, char *error, size_t error_size) {
  const char *prefix = sg_option_prefix(options);
  const char *what = options->persistent[0] ? "persistent" : "length";
  const char *value = options->persistent[0] ? options->persistent : options->length;
  if (sg_wants_lane(options) && policy_of(options) != SCHEDGPU_LANE_SHARE)
    return exceeds_mem(options) ? too_persistent(options, options->mem, error, error_size)
                                : SCHEDGPU_OK;
  if (!value[0] || options->lane[0]) /* an explicit `none` switches off what was inherited */
    return SCHEDGPU_OK;
  snprintf(error, error_size, "%s%s=%s is for jobs with a lane: add %slane, or leave it out",
           prefix, what, value, prefix);
  return SCHEDGPU_EINVAL;
}

/** A number of at least 0, or -1. */
static int64_t number_of(const char *text) {
  char *end;
  errno = 0;
  if (!text || text[0] < '0' || text[0] > '9')
    return -1;
  long long number = strtoll(text, &end, 10);
  return *end || errno ? -1 : number;
}

void sg_lane_take_limit(struct sg_job_options *options, const char *start, const char *end) {
  int64_t from = number_of(start), to = number_of(end);
  if (from >= 0 && to > from && to - from < NO_LIMIT_S)
    options->limit_ns = (to - from) * NS_PER_S;
}

void sg_lane_take_nodes(struct sg_job_options *options, const char *nodes) {
  int64_t number = number_of(nodes);
  if (number > options->nodes && number <= UINT32_MAX)
    options->nodes = (uint32_t)number;
}

int sg_lane_check_devices(const struct sg_job_options *options,
                          const struct schedgpu_job_spec *spec, char *error, size_t error_size) {
  const char *prefix = sg_option_prefix(options);
  int count = __builtin_popcount(spec->device_mask);
  bool several = options->nodes > 1, share = spec->lane == SCHEDGPU_LANE_SHARE;
  if (spec->lane == SCHEDGPU_LANE_NONE || (count == 1 && !several))
    return SCHEDGPU_OK;
  char weight[SG_WEIGHT_TEXT];
  const char *name = share ? "share" : "lane";
  const char *value =
      share ? sg_weight_text(spec->share, weight) : schedgpu_lane_policy_name(spec->lane);
  if (several)
    snprintf(error, error_size,
             "%s%s=%s is for jobs on one node, and this one has %u: two such jobs could wait for "
             "each other, each with a turn on one node: ask for --nodes=1, or leave %s%s out",
             prefix, name, value, options->nodes, prefix, name);
  else
    snprintf(error, error_size,
             "%s%s=%s is for jobs with one device, and this one has %d: ask for one (%s), or leave "
             "%s%s out",
             prefix, name, value, count, options->of_run ? "--device=0" : "--gres=gpu:1", prefix,
             name);
  return SCHEDGPU_EINVAL;
}

/** Reports why this node has no lane for the job, whose budget is decided; 0 if it has. */
static int check_node(const struct sg_conf *conf, const struct sg_job_options *options,
                      const struct schedgpu_job_spec *spec, char *error, size_t error_size) {
  const char *prefix = sg_option_prefix(options);
  struct sg_lane_option asked = sg_lane_option(options);
  if (!conf->lanes)
    snprintf(error, error_size, "%s%s=%s: this site has no lanes (Lanes=no): leave it out", prefix,
             asked.name, asked.value);
  else if (conf->brokered && spec->lane != SCHEDGPU_LANE_SHARE)
    snprintf(error, error_size,
             "%s%s=%s: this site has Mode=brokered, which has no lanes: leave it out", prefix,
             asked.name, asked.value);
  else if (spec->mode != SCHEDGPU_MODE_PEAK)
    snprintf(error, error_size, "%s%s=%s needs a budget: add %smem (this site has no DefaultMem)",
             prefix, asked.name, asked.value, prefix);
  else if (spec->share > conf->max_share)
    snprintf(error, error_size, "%sshare=%s is above this site's MaxShare=%u: lower it", prefix,
             options->share, conf->max_share);
  else
    return SCHEDGPU_OK;
  return SCHEDGPU_EINVAL;
}

bool sg_takes_learned_persistent(const struct sg_job_options *options) {
  return sg_wants_lane(options) && policy_of(options) != SCHEDGPU_LANE_SHARE &&
         !options->persistent[0] && options->job_name[0];
}

/** What earlier runs kept, 0: not known. It is a guess: a job that keeps more is not refused. */
static uint64_t learned_persistent(const struct sg_conf *conf, const struct sg_job_options *options,
                                   uint32_t uid) {
  if (!sg_takes_learned_persistent(options))
    return 0;
  return options->of_run
             ? options->learned_persistent
             : sg_learned_find(conf->run_dir, SCHEDGPU_LEARNED_PERSISTENT, uid, options->job_name);
}

static int decide_persistent(const struct sg_conf *conf, const struct schedgpu_device_spec *device,
                             const struct sg_job_options *options, struct schedgpu_job_spec *spec,
                             char *error, size_t error_size) {
  char text[24];
  uint64_t budget = spec->budget_bytes[device->index];
  if (spec->lane == SCHEDGPU_LANE_SHARE) { /* it has its memory all the time */
    spec->persistent_bytes = budget;
    return SCHEDGPU_OK;
  }
  if (!options->persistent[0]) {
    uint64_t learned = learned_persistent(conf, options, spec->uid);
    spec->persistent_bytes = learned < budget ? sg_round_to_unit(learned) : budget;
    return SCHEDGPU_OK;
  }
  struct sg_value asked = sg_option_value(options, SG_OPTION_persistent);
  spec->persistent_bytes = sg_round_to_unit(sg_value_bytes(asked, device->total_bytes));
  return spec->persistent_bytes <= budget
             ? SCHEDGPU_OK
             : too_persistent(options, schedgpu_format_bytes(budget, text), error, error_size);
}

int sg_lane_decide(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                   const struct sg_job_options *options, struct schedgpu_job_spec *spec,
                   char *error, size_t error_size) {
  int rc = sg_lane_check_together(options, error, error_size);
  if (rc != SCHEDGPU_OK || !sg_wants_lane(options))
    return rc;
  spec->lane = policy_of(options);
  spec->share = (uint32_t)sg_option_number(options, SG_OPTION_share);
  rc = check_node(conf, options, spec, error, error_size);
  if (rc == SCHEDGPU_OK)
    rc = sg_lane_check_devices(options, spec, error, error_size);
  spec->length_ns = spec->lane == SCHEDGPU_LANE_SHARE ? 0 : options->limit_ns;
  if (options->length[0])
    spec->length_ns = sg_option_value(options, SG_OPTION_length).ns;
  for (uint32_t d = 0; rc == SCHEDGPU_OK && d < devices->count; d++)
    if (spec->device_mask & 1u << devices->device[d].spec.index)
      rc = decide_persistent(conf, &devices->device[d].spec, options, spec, error, error_size);
  return rc;
}
