/*
 * task_env.h - sets the environment of a task as the plan says. Knows nothing of Slurm's
 * interfaces.
 */
#ifndef SG_TASK_ENV_H
#define SG_TASK_ENV_H

#include "job_env.h"
#include "plan.h"

struct sg_task_env {
  uint64_t job_id;
  bool local_numbers;            /**< Slurm numbered the GPUs within the devices cgroup */
  bool global_numbers;           /**< there is no devices cgroup: numbers are the node's */
  bool others;                   /**< the driver has GPUs that devices.conf does not name */
  struct sg_device_list visible; /**< the devices that the cgroup shows */
};

/** True if LD_PRELOAD has room for the preload library, or the plan does not put it there. */
bool sg_task_env_fits(const struct sg_node *node, const struct sg_plan *plan, sg_env_get get,
                      void *context);

/**
 * Sets and removes the variables of the task. SCHEDGPU_OK, or EINVAL if a variable could not be
 * set.
 */
int sg_task_env_apply(const struct sg_task_env *env, const struct sg_node *node,
                      const struct sg_plan *plan, sg_env_get get, sg_env_set set, void *context);

#endif
