/*
 * container_env.h - lets a job's programs reach schedGPU from inside a container. Apptainer and
 * Singularity read binds and variables from the environment; for other runtimes `schedgpu
 * container-options` prints the same.
 */
#ifndef SG_CONTAINER_ENV_H
#define SG_CONTAINER_ENV_H

#include "job_env.h"

/** The folder that has the libraries of a job, and nothing else: a container may see it whole. */
#define SG_CONTAINER_FOLDER "container"

/**
 * Sets what a container of the job needs, after the job's own variables: SCHEDGPU_BINDS, the
 * paths with commas between, and for each runtime its binds and its copies of the variables. What
 * the user gave a runtime stays. Without a library removes what an enclosing job set. 0, or EINVAL
 * if a variable could not be set.
 */
int sg_container_env_apply(const struct sg_job_env *env, sg_env_get get, sg_env_set set,
                           void *context);

/**
 * Writes the entries of the list `old` that are not in `drop`, then those of `add`, each once.
 * Commas are between entries. 0, or EINVAL if `text` is too small.
 */
int sg_bind_list_merge(const char *old, const char *drop, const char *add, char *text, size_t size);

#endif
