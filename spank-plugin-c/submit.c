/* submit.c - see submit.h. */
#include "submit.h"
#include "component.h"
#include "lane.h"
#include "options.h"
#include <errno.h>
#include <string.h>

#define ERROR_SIZE 1024

/**
 * Passes one option to the prolog as SPANK_<name>, and into the job's environment as
 * SLURM_SPANK_<name>. Without a value removes that of the former component. 0, or -1 after a
 * message.
 */
static int pass_option(spank_t spank, const char *name, const char *value) {
  if (!value[0]) {
    spank_job_control_unsetenv(spank, name);
    return 0;
  }
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
  char name[SG_OPTION_SIZE];
  for (enum sg_option option = 0; option < SG_OPTIONS; option++)
    if (sg_option_rows[option].of_slurm &&
        pass_option(spank, sg_option_variable(option, name), sg_option_text(o, option)) != 0)
      return -1;
  if (pass_option(spank, "SCHEDGPU_DISTINCT", o->distinct ? "1" : "") != 0)
    return -1;
  return pass_option(spank, "SCHEDGPU_OFF", given->switched ? off : "");
}

/**
 * Reads the options of the enclosing job before the first component: later ones find those of the
 * former component there.
 */
static int read_enclosing(struct sg_given *enclosing, char *error, size_t size) {
  static struct sg_given read;
  static bool done;
  int rc = SCHEDGPU_OK;
  if (!done)
    rc = sg_options_from_env(&read, "SLURM_SPANK_", sg_env_get_own, NULL, error, size);
  done = true;
  *enclosing = read;
  return rc;
}

/** Adds what the options do not say, and checks them. SCHEDGPU_OK, or an error with its reason. */
static int complete(struct sg_given *given, struct sg_given *enclosing, char *error, size_t size) {
  int rc = read_enclosing(enclosing, error, size);
  if (rc == SCHEDGPU_OK)
    rc = sg_options_from_env(given, "", sg_env_get_own, NULL, error, size);
  if (rc == SCHEDGPU_OK)
    sg_options_inherit(given, enclosing);
  if (rc == SCHEDGPU_OK) /* each option is valid alone */
    rc = sg_options_check(&given->options, error, size);
  return rc == SCHEDGPU_OK ? sg_lane_check_together(&given->options, error, size) : rc;
}

/** Slurm calls this for each component of a heterogeneous job or step. */
int sg_submit_init_post_opt(spank_t spank) {
  struct sg_given *given = sg_options_given(), enclosing;
  bool srun = spank_context() == S_CTX_LOCAL;
  char error[ERROR_SIZE];
  if (complete(given, &enclosing, error, sizeof error) != SCHEDGPU_OK) {
    slurm_error("schedgpu: %s", error);
    return -1;
  }
  int rc = hand_on_all(spank, given);
  if (srun && rc == 0 && sg_component_leave(given, &enclosing) != 0) {
    slurm_error("schedgpu: the options cannot be kept for the step: %s", strerror(errno));
    rc = -1;
  }
  sg_options_next_component(!srun);
  return rc;
}
