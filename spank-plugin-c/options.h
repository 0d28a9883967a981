/* options.h - registers the --schedgpu-* options with Slurm's commands, and keeps their values. */
#ifndef SG_OPTIONS_H
#define SG_OPTIONS_H

#include "options_env.h"
#include <slurm/spank.h>

/** Registers the options. Call it in slurm_spank_init. ESPANK_SUCCESS, or Slurm's error. */
spank_err_t sg_options_register(spank_t spank);

/**
 * Forgets the options of a component of a heterogeneous job: the next one has its own. `leaks`: the
 * environment of this command has them too, as that of sbatch, and the next one must not take them.
 */
void sg_options_next_component(bool leaks);

/** The values from the command line, #SBATCH lines or the enclosing job. */
struct sg_given *sg_options_given(void);

/** The error of an option that never went through a submit, "" if there is none. */
const char *sg_options_error(void);

#endif
