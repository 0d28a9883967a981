/* submit.h - the part of the plugin that runs inside sbatch, salloc and srun. */
#ifndef SG_SUBMIT_H
#define SG_SUBMIT_H

#include <slurm/spank.h>

/**
 * Completes the options from the environment and passes them to the prolog. 0, or -1 to refuse the
 * job.
 */
int sg_submit_init_post_opt(spank_t spank);

#endif
