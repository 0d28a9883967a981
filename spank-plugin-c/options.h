/* options.h - the --schedgpu-* options as Slurm's commands know them, and what was given. */
#ifndef SG_OPTIONS_H
#define SG_OPTIONS_H

#include "options_env.h"
#include <slurm/spank.h>

/** Makes the options known; to be called in slurm_spank_init. ESPANK_SUCCESS or why not. */
spank_err_t sg_options_register(spank_t spank);

/** What the command line (or #SBATCH, or an enclosing job) gave to this process. */
struct sg_given *sg_options_given(void);

/** Why an option that came to the node is wrong, "" if none is: it never went through a submit. */
const char *sg_options_error(void);

#endif
