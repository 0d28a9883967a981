/*
 * job_env.h - sets the environment of a job's programs (docs/reference/files-and-environment.md),
 * in the same way for the SPANK plugin and `schedgpu run`.
 */
#ifndef SG_JOB_ENV_H
#define SG_JOB_ENV_H

#include "options_env.h"

/** Sets a variable, or removes it if `value` is NULL. Returns 0 on success. */
typedef int (*sg_env_set)(void *context, const char *name, const char *value);

/** The values for a scheduled job. */
struct sg_job_env {
  const char *job;     /**< "slurm:42": SCHEDGPU_JOB */
  const char *run_dir; /**< the run directory */
  const char *library; /**< for LD_PRELOAD; "": none, as no program needs it in mode gate */
  const char *ours;    /**< the library to remove then, by its file name */
  const char *lane;    /**< policy of the job's lane; NULL: none */
  const char *share;   /**< weight of its turns; NULL: none */
  const char *python;  /**< folder for PYTHONPATH of a lane job; "": none */
  bool refuse;         /**< OnFailure=refuse */
  bool managed_passes; /**< ManagedMemory=pass */
  bool frameworks;     /**< variables for TensorFlow and JAX */
};

/**
 * Sets the variables of a scheduled job, also for its containers, to which the devices must be
 * named before. 0, or EINVAL if one could not be set.
 */
int sg_job_env_apply(const struct sg_job_env *env, sg_env_get get, sg_env_set set, void *context);

/** The names of a job's devices. */
struct sg_device_names {
  const char *uuids;   /**< "GPU-...,GPU-...": SCHEDGPU_DEVICES */
  const char *numbers; /**< "0,1", in the order of the PCI bus */
  bool sure;           /**< the numbers mean these devices to the job's programs */
};

/**
 * Sets the job's devices. CUDA gets numbers where they are sure, as some programs read numbers
 * only, and UUIDs elsewhere; SCHEDGPU_DEVICES is set with `scheduled`. 0, or EINVAL.
 */
int sg_job_env_devices(const struct sg_device_names *names, bool scheduled, sg_env_get get,
                       sg_env_set set, void *context);

/**
 * True if a process that Slurm does not confine sees all `devices` (bit k: number k) of the node:
 * a container may show a part, and then the node's numbers are not its own. `dev`: "/dev".
 */
bool sg_job_env_sees(const char *dev, uint32_t devices, sg_env_get get, void *context);

/** Removes the variables of an enclosing job, for a job that is not scheduled. 0, or EINVAL. */
int sg_job_env_remove(sg_env_get get, sg_env_set set, void *context);

/** True if LD_PRELOAD has room for `library`. */
bool sg_job_env_fits(const char *library, sg_env_get get, void *context);

#endif
