/* overflow.c - see overflow.h. */
#include "overflow.h"
#include <stdio.h>

static bool asks_to_wait(const struct sg_job_options *options) {
  return sg_option_number(options, SG_OPTION_overflow) == 1;
}

int sg_overflow_check(const struct sg_job_options *options, char *error, size_t error_size) {
  const char *prefix = sg_option_prefix(options);
  uint64_t mode = sg_option_number(options, SG_OPTION_mode);
  if (!asks_to_wait(options) || mode == 0 || mode == SCHEDGPU_MODE_PEAK)
    return SCHEDGPU_OK;
  snprintf(error, error_size, "%soverflow=wait is for mode peak only: leave out that or %smode=%s",
           prefix, prefix, options->mode);
  return SCHEDGPU_EINVAL;
}

/* The site's default applies only where it is possible, so to no lane job; the job's own option
 * must be possible. */
int sg_overflow_decide(const struct sg_conf *conf, const struct sg_job_options *options,
                       struct schedgpu_job_spec *spec, char *error, size_t error_size) {
  bool said = options->overflow[0];
  bool waits = conf->overflow_waits && spec->lane == SCHEDGPU_LANE_NONE;
  if (said)
    waits = asks_to_wait(options);
  if (said && waits && spec->mode != SCHEDGPU_MODE_PEAK) {
    snprintf(error, error_size,
             "%soverflow=wait needs a budget: add %smem (this site has no DefaultMem)",
             sg_option_prefix(options), sg_option_prefix(options));
    return SCHEDGPU_EINVAL;
  }
  if (waits && spec->mode == SCHEDGPU_MODE_PEAK)
    spec->flags |= SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  return SCHEDGPU_OK;
}
