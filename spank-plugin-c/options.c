/* options.c - see options.h. */
#include "options.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_SIZE 512
/** The value that a step inherits from its job, through Slurm, if an option was given without. */
#define INHERITED_NOTHING "(null)"

enum option {
  OPTION_MEM,
  OPTION_PRIORITY,
  OPTION_MODE,
  OPTION_WAIT,
  OPTION_PROCESSES,
  OPTION_OVERFLOW,
  OPTION_LANE,
  OPTION_PERSISTENT,
  OPTION_LENGTH,
  OPTION_SHARE,
  OPTION_SWITCH,
  OPTION_DISTINCT
};

static struct sg_given given;
static char wrong[ERROR_SIZE];
static bool leaked; /* the environment has the options of the former component */

static const size_t offsets[] = {
    [OPTION_MEM] = offsetof(struct sg_job_options, mem),
    [OPTION_PRIORITY] = offsetof(struct sg_job_options, priority),
    [OPTION_MODE] = offsetof(struct sg_job_options, mode),
    [OPTION_WAIT] = offsetof(struct sg_job_options, wait),
    [OPTION_PROCESSES] = offsetof(struct sg_job_options, processes),
    [OPTION_OVERFLOW] = offsetof(struct sg_job_options, overflow),
    [OPTION_LANE] = offsetof(struct sg_job_options, lane),
    [OPTION_PERSISTENT] = offsetof(struct sg_job_options, persistent),
    [OPTION_LENGTH] = offsetof(struct sg_job_options, length),
    [OPTION_SHARE] = offsetof(struct sg_job_options, share),
};

static int take_text(int option, const char *value, char *error) {
  struct sg_job_options alone = {0};
  char *only = (char *)&alone + offsets[option];
  if (!value[0] || strlen(value) >= sizeof alone.mem) {
    snprintf(error, ERROR_SIZE, "'%.40s' is not a value: give one", value);
    return -1;
  }
  strcpy(only, value);
  if (sg_options_check(&alone, error, ERROR_SIZE) != SCHEDGPU_OK)
    return -1;
  memcpy((char *)&given.options + offsets[option], only, sizeof alone.mem);
  return 0;
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
  if (option == OPTION_LANE && (!value[0] || strcmp(value, INHERITED_NOTHING) == 0))
    value = SG_DEFAULT_LANE;
  return option == OPTION_SWITCH ? take_switch(value, error) : take_text(option, value, error);
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

static struct spank_option options[] = {
    {"schedgpu-mem", "SIZE",
     "GPU memory the job reserves on each of its GPUs: 6G, 512M, 40%, a bare number is MiB", 1,
     OPTION_MEM, on_option},
    {"schedgpu-priority", "LEVEL", "priority for GPU memory: low, normal, high or 0 to 100", 1,
     OPTION_PRIORITY, on_option},
    {"schedgpu-mode", "MODE",
     "peak: all of it at the first allocation; ondemand: each allocation as it comes; gate: all of "
     "it before the job starts",
     1, OPTION_MODE, on_option},
    {"schedgpu-wait", "TIME",
     "how long an allocation waits for GPU memory: 30s, 5m, 2h, HH:MM:SS, forever", 1, OPTION_WAIT,
     on_option},
    {"schedgpu-processes", "N", "how many processes of the job use a GPU at once: 1 to 1024", 1,
     OPTION_PROCESSES, on_option},
    {"schedgpu-overflow", "WHAT",
     "what an allocation beyond the budget does: fail (out of memory), or wait for more memory", 1,
     OPTION_OVERFLOW, on_option},
    {"schedgpu-lane", "POLICY",
     "the job takes turns with others for GPU memory, iteration by iteration, in the order of fair "
     "(the default), pack, srtf or fifo",
     2, OPTION_LANE, on_option},
    {"schedgpu-persistent", "SIZE", "with a lane: GPU memory that the job keeps between iterations",
     1, OPTION_PERSISTENT, on_option},
    {"schedgpu-length", "TIME",
     "with a lane: run time of the job, for srtf: 30m, 2h, HH:MM:SS; default: the time limit", 1,
     OPTION_LENGTH, on_option},
    {"schedgpu-share", "WEIGHT",
     "the job computes in turns with others on its GPU, each for a time that is proportional to "
     "its "
     "weight, 1 to 1000",
     1, OPTION_SHARE, on_option},
    {"schedgpu", "on|off", "off: the job's GPU memory is not scheduled", 1, OPTION_SWITCH,
     on_option},
    {"schedgpu-distinct", NULL, "fail if two of the job's GPUs are shares of one device", 0,
     OPTION_DISTINCT, on_option},
};

spank_err_t sg_options_register(spank_t spank) {
  spank_err_t rc = ESPANK_SUCCESS;
  for (size_t i = 0; rc == ESPANK_SUCCESS && i < sizeof options / sizeof *options; i++)
    rc = spank_option_register(spank, &options[i]);
  return rc;
}

static const char *name_of(int option) {
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (options[i].val == option)
      return options[i].name;
  }
  return "";
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
