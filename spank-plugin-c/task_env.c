/* task_env.c - see task_env.h. */
#include "task_env.h"
#include "lane.h"
#include <stdio.h>
#include <string.h>

bool sg_task_env_fits(const struct sg_node *node, const struct sg_plan *plan, sg_env_get get,
                      void *context) {
  return plan->fate != SG_FATE_SCHEDULED || plan->gate ||
         sg_job_env_fits(node->conf.preload_library, get, context);
}

static int schedule(const struct sg_task_env *env, const struct sg_conf *conf,
                    const struct sg_plan *plan, sg_env_get get, sg_env_set set, void *context) {
  char job[32], share[SG_WEIGHT_TEXT];
  snprintf(job, sizeof job, "slurm:%llu", (unsigned long long)env->job_id);
  const struct sg_job_env scheduled = {.job = job,
                                       .run_dir = conf->run_dir,
                                       .library = plan->gate ? "" : conf->preload_library,
                                       .ours = conf->preload_library,
                                       .lane = plan->lane,
                                       .share = sg_weight_text(plan->share, share),
                                       .python = conf->python_path,
                                       .refuse = conf->refuse_on_failure,
                                       .managed_passes = conf->managed_passes,
                                       .frameworks = plan->budget && conf->framework_environment};
  return sg_job_env_apply(&scheduled, get, set, context);
}

/**
 * True if these numbers mean the devices of the plan to a program of the task. Where Slurm's
 * numbers do not tell whether a cgroup confines the task, both ways must give the same numbers.
 * Beside MIG instances, CUDA's numbers are not the node's; a GPU that Slurm does not know is also
 * shown in a cgroup, and MIG's own GPU is none of devices.conf.
 */
static bool sure(const struct sg_task_env *env, const struct sg_node *node,
                 const struct sg_device_list *devices, const char *numbers) {
  char places[SG_DEVICE_TEXT];
  bool mig = node->devices.not_ours_count > 0;
  if (env->local_numbers)
    return mig || !env->others;
  sg_device_list_numbers(devices, env->visible.count ? &env->visible : devices, places);
  return !mig && (env->global_numbers || strcmp(numbers, places) == 0);
}

static int name_devices(const struct sg_task_env *env, const struct sg_node *node,
                        const struct sg_plan *plan, sg_env_get get, sg_env_set set, void *context) {
  char uuids[SG_DEVICE_TEXT], numbers[SG_DEVICE_TEXT];
  if (plan->devices.count == 0)
    return SCHEDGPU_OK;
  sg_device_list_uuids(&node->devices, &plan->devices, uuids);
  sg_device_list_numbers(&plan->devices, env->local_numbers ? &env->visible : NULL, numbers);
  const struct sg_device_names names = {uuids, numbers, sure(env, node, &plan->devices, numbers)};
  return sg_job_env_devices(&names, plan->fate == SG_FATE_SCHEDULED, get, set, context);
}

int sg_task_env_apply(const struct sg_task_env *env, const struct sg_node *node,
                      const struct sg_plan *plan, sg_env_get get, sg_env_set set, void *context) {
  int named = name_devices(env, node, plan, get, set, context);
  int rc = plan->fate == SG_FATE_SCHEDULED ? schedule(env, &node->conf, plan, get, set, context)
                                           : sg_job_env_remove(get, set, context);
  return rc != SCHEDGPU_OK ? rc : named;
}
