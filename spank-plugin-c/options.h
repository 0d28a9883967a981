/* options.h - registers the --schedgpu-* options with Slurm's commands, and keeps their values. */
#ifndef SG_OPTIONS_H
#define SG_OPTIONS_H

#include "options_env.h"
#include <slurm/spank.h>

/** Registers the options. Call it in slurm_spank_init. ESPANK_SUCCESS, or Slurm's error. */
spank_err_t sg_options_register(spank_t spank);

/** The values from the command line, #SBATCH lines or the enclosing job. */
struct sg_given *sg_options_given(void);

/** The error of an option that never went through a submit, "" if there is none. */
const char *sg_options_error(void);

#endif
