/* task_env.h - the environment a plan gives to a task. Knows nothing of Slurm's interfaces. */
#ifndef SG_TASK_ENV_H
#define SG_TASK_ENV_H

#include "job_env.h"
#include "plan.h"

struct sg_task_env {
  uint64_t job_id;
  bool local_numbers;            /**< Slurm numbered the GPUs inside the devices cgroup */
  struct sg_device_list visible; /**< which shows these */
};

/** Whether LD_PRELOAD has room for our library, where the plan has it there. */
bool sg_task_env_fits(const struct sg_node *node, const struct sg_plan *plan, sg_env_get get,
                      void *context);

/** 0, or EINVAL when a variable could not be set. */
int sg_task_env_apply(const struct sg_task_env *env, const struct sg_node *node,
                      const struct sg_plan *plan, sg_env_get get, sg_env_set set, void *context);

#endif
