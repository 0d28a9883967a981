/* submit.c - see submit.h. */
#include "submit.h"
#include "lane.h"
#include "options.h"

#define ERROR_SIZE 1024

/**
 * Passes one option to the prolog as SPANK_<name>, and into the job's environment as
 * SLURM_SPANK_<name>. 0, or -1 after a message.
 */
static int pass_option(spank_t spank, const char *name, const char *value) {
  if (!value[0])
    return 0;
  spank_err_t rc = spank_job_control_setenv(spank, name, value, 1);
  if (rc == ESPANK_SUCCESS)
    return 0;
  slurm_error("schedgpu: %s=%s cannot be passed to the prolog: %s", name, value,
              spank_strerror(rc));
  return -1;
}

static int hand_on_all(spank_t spank, const struct sg_given *given) {
  const struct sg_job_options *o = &given->options;
  const char *off = o->off ? "1" : "0";
  if (pass_option(spank, "SCHEDGPU_MEM", o->mem) != 0 ||
      pass_option(spank, "SCHEDGPU_PRIORITY", o->priority) != 0 ||
      pass_option(spank, "SCHEDGPU_MODE", o->mode) != 0 ||
      pass_option(spank, "SCHEDGPU_WAIT", o->wait) != 0 ||
      pass_option(spank, "SCHEDGPU_PROCESSES", o->processes) != 0 ||
      pass_option(spank, "SCHEDGPU_OVERFLOW", o->overflow) != 0 ||
      pass_option(spank, "SCHEDGPU_LANE", o->lane) != 0 ||
      pass_option(spank, "SCHEDGPU_PERSISTENT", o->persistent) != 0 ||
      pass_option(spank, "SCHEDGPU_LENGTH", o->length) != 0 ||
      pass_option(spank, "SCHEDGPU_SHARE", o->share) != 0 ||
      pass_option(spank, "SCHEDGPU_DISTINCT", o->distinct ? "1" : "") != 0)
    return -1;
  return pass_option(spank, "SCHEDGPU_OFF", given->switched ? off : "");
}

int sg_submit_init_post_opt(spank_t spank) {
  struct sg_given *given = sg_options_given();
  char error[ERROR_SIZE];
  int rc = sg_options_from_env(given, "", sg_env_get_own, NULL, error, sizeof error);
  if (rc == SCHEDGPU_OK) /* options of the enclosing job */
    rc = sg_options_from_env(given, "SLURM_SPANK_", sg_env_get_own, NULL, error, sizeof error);
  if (rc == SCHEDGPU_OK) /* each option is valid alone */
    rc = sg_options_check(&given->options, error, sizeof error);
  if (rc == SCHEDGPU_OK)
    rc = sg_lane_check_together(&given->options, error, sizeof error);
  if (rc == SCHEDGPU_OK)
    return hand_on_all(spank, given);
  slurm_error("schedgpu: %s", error);
  return -1;
}
