/*
 * job_env.h - the environment of a job's programs (docs/reference/files-and-environment.md), the
 * same from the SPANK plugin and from `schedgpu run`.
 */
#ifndef SG_JOB_ENV_H
#define SG_JOB_ENV_H

#include "options_env.h"

/** Sets a variable, or removes it when `value` is NULL. 0 or not. */
typedef int (*sg_env_set)(void *context, const char *name, const char *value);

/** What a scheduled job is told. */
struct sg_job_env {
  const char *job;     /**< "slurm:42": SCHEDGPU_JOB */
  const char *run_dir; /**< where the region is */
  const char *library; /**< for LD_PRELOAD; "" = none: behind a gate no program needs it */
  const char *ours;    /**< the library that goes then, by its file name */
  bool refuse;         /**< OnFailure=refuse */
  bool managed_passes; /**< ManagedMemory=pass */
  bool frameworks;     /**< variables for TensorFlow and JAX */
};

/** 0, or EINVAL when a variable could not be set. */
int sg_job_env_apply(const struct sg_job_env *env, sg_env_get get, sg_env_set set, void *context);

/**
 * The job's devices: UUIDs for CUDA, numbers for what knows no UUIDs. `scheduled`:
 * SCHEDGPU_DEVICES, too. 0, or EINVAL.
 */
int sg_job_env_devices(const char *uuids, const char *numbers, bool scheduled, sg_env_get get,
                       sg_env_set set, void *context);

/** For a job that is not scheduled: takes out what one left that it was begun in. 0 or EINVAL. */
int sg_job_env_remove(sg_env_get get, sg_env_set set, void *context);

/** Whether LD_PRELOAD has room for `library`. */
bool sg_job_env_fits(const char *library, sg_env_get get, void *context);

#endif
