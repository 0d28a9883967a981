/* options.c - see options.h. */
#include "options.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_SIZE 512
/** The value that a step inherits from its job, through Slurm, if an option was given without. */
#define INHERITED_NOTHING "(null)"

/** Numbers of the two options that are not in the table of job_options.h, behind those of it. */
enum { OPTION_SWITCH = SG_OPTIONS, OPTION_DISTINCT, OPTIONS };

static struct sg_given given;
static char wrong[ERROR_SIZE];
static bool leaked; /* the environment has the options of the former component */

static int take_text(enum sg_option option, const char *value, char *error) {
  if (!value[0] || strlen(value) >= SG_OPTION_SIZE) {
    snprintf(error, ERROR_SIZE, "'%.40s' is not a value: give one", value);
    return -1;
  }
  return sg_option_take(&given.options, option, value, error, ERROR_SIZE) == SCHEDGPU_OK ? 0 : -1;
}

static int take_switch(const char *value, char *error) {
  if (sg_parse_switch(value, &given.options.off) != SCHEDGPU_OK) {
    snprintf(error, ERROR_SIZE, "--schedgpu=%.40s: must be on or off", value);
    return -1;
  }
  given.switched = true;
  return 0;
}

/**
 * True if Slurm reads the value from its environment, where sbatch kept that of the former
 * component: Slurm passes the variable itself, and a copy of any other value.
 */
static bool is_leak(const char *name, const char *value) {
  char variable[96];
  snprintf(variable, sizeof variable, "SLURM_SPANK__SLURM_SPANK_OPTION_schedgpu_%s", name);
  for (char *c = variable; *c; c++) {
    if (*c == '-')
      *c = '_';
  }
  return leaked && value && value == getenv(variable);
}

static int take(int option, const char *value, char *error) {
  if (option == OPTION_DISTINCT) {
    given.options.distinct = true;
    return 0;
  }
  if (!value)
    value = "";
  if (option == OPTION_SWITCH)
    return take_switch(value, error);
  const char *alone = sg_option_rows[option].alone;
  if (alone && (!value[0] || strcmp(value, INHERITED_NOTHING) == 0))
    value = alone;
  return take_text((enum sg_option)option, value, error);
}

static const char *name_of(int option);

/**
 * Slurm may call this twice with the same value. A wrong value refuses a submit; on a node it fails
 * the job.
 */
static int on_option(int option, const char *value, int remote) {
  char error[ERROR_SIZE];
  if (!remote && is_leak(name_of(option), value))
    return 0;
  if (take(option, value, error) == 0)
    return 0;
  if (remote) {
    snprintf(wrong, sizeof wrong, "%s", error);
    return 0;
  }
  slurm_error("schedgpu: %s", error);
  return -1;
}

#define OPTION(field, type, value, alone, by_default, limit, same, of_slurm, ...)                  \
  [SG_OPTION_##field] = {"schedgpu-" #field, value, of_slurm, 1, SG_OPTION_##field, on_option},
static struct spank_option options[OPTIONS] = {
    [OPTION_SWITCH] = {"schedgpu", "on|off", "off: the job's GPU memory is not scheduled", 1,
                       OPTION_SWITCH, on_option},
    [OPTION_DISTINCT] = {"schedgpu-distinct", NULL,
                         "fail if two of the job's GPUs are shares of one device", 0,
                         OPTION_DISTINCT, on_option},
    SG_JOB_OPTIONS(OPTION)};

spank_err_t sg_options_register(spank_t spank) {
  spank_err_t rc = ESPANK_SUCCESS;
  for (int o = 0; rc == ESPANK_SUCCESS && o < OPTIONS; o++) {
    if (o < SG_OPTIONS && sg_option_rows[o].alone)
      options[o].has_arg = 2;
    if (options[o].usage)
      rc = spank_option_register(spank, &options[o]);
  }
  return rc;
}

static const char *name_of(int option) {
  return options[option].name;
}

void sg_options_next_component(bool leaks) {
  given = (struct sg_given){0};
  leaked = leaks;
}

struct sg_given *sg_options_given(void) {
  return &given;
}

const char *sg_options_error(void) {
  return wrong;
}
