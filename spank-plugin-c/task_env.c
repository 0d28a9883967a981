/* task_env.c - see task_env.h. */
#include "task_env.h"
#include "preload_path.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRELOAD_SIZE 65536

/** The task's environment. A failure is kept: what was set before stays as it is. */
struct target {
  sg_env_get get;
  sg_env_set set;
  void *context;
  int rc;
};

static void put(struct target *t, const char *name, const char *value) {
  if (t->set(t->context, name, value) != 0)
    t->rc = SCHEDGPU_EINVAL;
}

static bool is_set(struct target *t, const char *name) {
  char value[SG_DEVICE_TEXT];
  return t->get(t->context, name, value, sizeof value) != 0;
}

static void drop(struct target *t, const char *name) {
  if (is_set(t, name))
    put(t, name, NULL);
}

static void name_devices(struct target *t, const struct sg_task_env *env,
                         const struct sg_node *node, const struct sg_plan *plan) {
  static const char *const others[] = {"ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"};
  char uuids[SG_DEVICE_TEXT], numbers[SG_DEVICE_TEXT];
  if (plan->devices.count == 0)
    return;
  sg_device_list_uuids(&node->devices, &plan->devices, uuids);
  sg_device_list_numbers(&plan->devices, env->local_numbers, numbers);
  put(t, "CUDA_VISIBLE_DEVICES", uuids);
  put(t, "GPU_DEVICE_ORDINAL", numbers);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (is_set(t, others[i]))
      put(t, others[i], numbers);
  }
  if (plan->fate == SG_FATE_SCHEDULED)
    put(t, "SCHEDGPU_DEVICES", uuids);
}

/** `library` "" takes ours out. An LD_PRELOAD too long to read is left as it is: it is not ours. */
static void set_preload(struct target *t, const char *library, const char *ours) {
  char *old = calloc(2, PRELOAD_SIZE), *merged = old ? old + PRELOAD_SIZE : NULL;
  int got = old ? t->get(t->context, "LD_PRELOAD", old, PRELOAD_SIZE) : -1;
  if (got < 0 || sg_preload_merge(library, ours, got ? old : "", merged, PRELOAD_SIZE) != 0)
    t->rc = library[0] ? SCHEDGPU_EINVAL : t->rc;
  else if (merged[0])
    put(t, "LD_PRELOAD", merged);
  else if (got)
    put(t, "LD_PRELOAD", NULL);
  free(old);
}

bool sg_task_env_fits(const struct sg_node *node, const struct sg_plan *plan, sg_env_get get,
                      void *context) {
  const char *library = node->conf.preload_library;
  if (plan->fate != SG_FATE_SCHEDULED || plan->gate)
    return true;
  char *old = calloc(2, PRELOAD_SIZE);
  int got = old ? get(context, "LD_PRELOAD", old, PRELOAD_SIZE) : -1;
  bool fits = got >= 0 && sg_preload_merge(library, library, got ? old : "", old + PRELOAD_SIZE,
                                           PRELOAD_SIZE) == SCHEDGPU_OK;
  free(old);
  return fits;
}

/** A program behind a gate needs no library: only one that an enclosing job left goes. */
static void remove_preload(struct target *t, const char *library) {
  if (is_set(t, "SCHEDGPU_JOB"))
    set_preload(t, "", library);
}

/**
 * TensorFlow takes all memory that it is told of, JAX three quarters, each for itself: the job's
 * processes share one budget only if they take what they need.
 */
static void set_framework_variables(struct target *t) {
  static const char *const variables[][2] = {{"TF_FORCE_GPU_ALLOW_GROWTH", "true"},
                                             {"XLA_PYTHON_CLIENT_PREALLOCATE", "false"}};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    if (!is_set(t, variables[i][0]))
      put(t, variables[i][0], variables[i][1]);
  }
}

static void schedule(struct target *t, const struct sg_task_env *env, const struct sg_node *node,
                     const struct sg_plan *plan) {
  char job[32];
  if (plan->gate)
    remove_preload(t, node->conf.preload_library);
  else
    set_preload(t, node->conf.preload_library, node->conf.preload_library);
  snprintf(job, sizeof job, "slurm:%llu", (unsigned long long)env->job_id);
  put(t, "SCHEDGPU_JOB", job);
  put(t, "SCHEDGPU_RUN_DIR", node->conf.run_dir);
  put(t, "SCHEDGPU_ON_FAILURE", node->conf.refuse_on_failure ? "refuse" : "run");
  put(t, "SCHEDGPU_MANAGED", node->conf.managed_passes ? "pass" : "reserve");
  if (plan->budget && node->conf.framework_environment)
    set_framework_variables(t);
}

/** A job submitted from inside a scheduled one carries that one's variables. */
static void remove_inherited(struct target *t) {
  static const char *const names[] = {"SCHEDGPU_JOB", "SCHEDGPU_RUN_DIR", "SCHEDGPU_DEVICES",
                                      "SCHEDGPU_ON_FAILURE", "SCHEDGPU_MANAGED"};
  if (!is_set(t, "SCHEDGPU_JOB"))
    return;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    drop(t, names[i]);
  set_preload(t, "", "libschedgpu-preload.so");
}

int sg_task_env_apply(const struct sg_task_env *env, const struct sg_node *node,
                      const struct sg_plan *plan, sg_env_get get, sg_env_set set, void *context) {
  struct target t = {get, set, context, SCHEDGPU_OK};
  if (plan->fate == SG_FATE_SCHEDULED)
    schedule(&t, env, node, plan);
  else
    remove_inherited(&t);
  name_devices(&t, env, node, plan);
  return t.rc;
}
