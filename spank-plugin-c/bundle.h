/*
 * bundle.h - tasks of `srun --container`. Older releases of Slurm (22.05 does) write the task's
 * environment into the bundle before the plugins change it. So each change is left to the program
 * schedgpu-bundle, in the environment of the container's runtime. Knows nothing of Slurm's
 * interfaces.
 */
#ifndef SG_BUNDLE_H
#define SG_BUNDLE_H

#include <stdbool.h>

/** Of the variables that schedgpu-bundle takes over, before their names. */
#define SG_BUNDLE_PREFIX "SCHEDGPU_BUNDLE_"

/**
 * Leaves a variable of the task in the environment of this process, which becomes the runtime;
 * `value` NULL: the task lacks it. 0, or -1. Not thread-safe, as setenv().
 */
int sg_bundle_leave(const char *name, const char *value);

/**
 * False if Slurm's oci.conf starts containers without schedgpu-bundle: then their programs lack the
 * library. True if it does, or cannot be read. `slurm_conf` is the path of the slurm.conf beside
 * it, NULL: Slurm's own. Thread-safe.
 */
bool sg_bundle_is_extended(const char *slurm_conf);

#endif
