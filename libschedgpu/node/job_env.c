/* job_env.c - see job_env.h. */
#include "job_env.h"
#include "container_env.h"
#include "preload_path.h"
#include "python_path.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST_SIZE 65536
#define VALUE_SIZE 4096

/** The environment. A failure is remembered; variables that were set before stay. */
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
  char value[VALUE_SIZE];
  return t->get(t->context, name, value, sizeof value) != 0;
}

/** The library with the names of launches, beside the preload library. */
#define LAUNCHES "libschedgpu-launches.so"

/**
 * Changes LD_PRELOAD; an empty `library` removes ours. A value too long to read is left alone, as
 * it is not ours.
 */
static void set_preload(struct target *t, const char *library, const char *ours) {
  char *old = calloc(2, LIST_SIZE), *merged = old ? old + LIST_SIZE : NULL;
  int got = old ? t->get(t->context, "LD_PRELOAD", old, LIST_SIZE) : -1;
  if (got < 0 || sg_preload_merge(library, ours, got ? old : "", merged, LIST_SIZE) != 0)
    t->rc = library[0] ? SCHEDGPU_EINVAL : t->rc;
  else if (merged[0])
    put(t, "LD_PRELOAD", merged);
  else if (got)
    put(t, "LD_PRELOAD", NULL);
  free(old);
}

/** Puts the names of launches before the preload library, in a job with a share. */
static void set_launches(struct target *t, const char *library, const char *share) {
  char path[PATH_MAX];
  const char *slash = strrchr(library, '/');
  int folder = slash ? (int)(slash - library) + 1 : 0;
  snprintf(path, sizeof path, "%.*s%s", folder, library, LAUNCHES);
  bool hooks = share && library[0];
  if (hooks || is_set(t, "SCHEDGPU_SHARE"))
    set_preload(t, hooks ? path : "", LAUNCHES);
}

bool sg_job_env_fits(const char *library, sg_env_get get, void *context) {
  char *old = calloc(2, LIST_SIZE);
  int got = old ? get(context, "LD_PRELOAD", old, LIST_SIZE) : -1;
  bool fits = got >= 0 && sg_preload_merge(library, library, got ? old : "", old + LIST_SIZE,
                                           LIST_SIZE) == SCHEDGPU_OK;
  free(old);
  return fits;
}

/**
 * Sets variables for frameworks. TensorFlow takes all memory that it sees and JAX three quarters,
 * per process. The processes of a job can share one budget only if each takes what it needs.
 */
static void set_framework_variables(struct target *t) {
  static const char *const variables[][2] = {{"TF_FORCE_GPU_ALLOW_GROWTH", "true"},
                                             {"XLA_PYTHON_CLIENT_PREALLOCATE", "false"}};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    if (!is_set(t, variables[i][0]))
      put(t, variables[i][0], variables[i][1]);
  }
}

/**
 * Changes PYTHONPATH; an empty `folder` removes ours. A value that is too long stays as it is: then
 * the program marks no iterations, and is one long one.
 */
static void set_python_path(struct target *t, const char *folder) {
  char *old = calloc(2, LIST_SIZE), *merged = old ? old + LIST_SIZE : NULL;
  int got = old ? t->get(t->context, "PYTHONPATH", old, LIST_SIZE) : -1;
  bool fits = got >= 0 && sg_python_path_merge(folder, got ? old : "", merged, LIST_SIZE) == 0;
  if (fits && merged[0])
    put(t, "PYTHONPATH", merged);
  else if (fits && got)
    put(t, "PYTHONPATH", NULL);
  free(old);
}

/** Sets the variables of a lane job, and removes those of an enclosing one. */
static void set_lane(struct target *t, const char *lane, const char *python) {
  bool enclosed = is_set(t, "SCHEDGPU_LANE");
  if (!lane && !enclosed)
    return;
  put(t, "SCHEDGPU_LANE", lane);
  set_python_path(t, lane ? python : "");
}

/** The preload library reads it: launches are hooked only if it is set. */
static void set_share(struct target *t, const char *share) {
  if (share || is_set(t, "SCHEDGPU_SHARE"))
    put(t, "SCHEDGPU_SHARE", share);
}

int sg_job_env_apply(const struct sg_job_env *env, sg_env_get get, sg_env_set set, void *context) {
  struct target t = {get, set, context, SCHEDGPU_OK};
  if (env->library[0] || is_set(&t, "SCHEDGPU_JOB"))
    set_preload(&t, env->library, env->ours);
  set_launches(&t, env->library, env->share);
  put(&t, "SCHEDGPU_JOB", env->job);
  put(&t, "SCHEDGPU_RUN_DIR", env->run_dir);
  put(&t, "SCHEDGPU_ON_FAILURE", env->refuse ? "refuse" : "run");
  put(&t, "SCHEDGPU_MANAGED", env->managed_passes ? "pass" : "reserve");
  set_lane(&t, env->lane, env->python);
  set_share(&t, env->share);
  if (env->frameworks)
    set_framework_variables(&t);
  int rc = sg_container_env_apply(env, get, set, context);
  return rc != SCHEDGPU_OK ? rc : t.rc;
}

int sg_job_env_devices(const struct sg_device_names *names, bool scheduled, sg_env_get get,
                       sg_env_set set, void *context) {
  static const char *const others[] = {"ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"};
  struct target t = {get, set, context, SCHEDGPU_OK};
  put(&t, "CUDA_VISIBLE_DEVICES", names->sure ? names->numbers : names->uuids);
  if (names->sure)
    put(&t, "CUDA_DEVICE_ORDER", "PCI_BUS_ID"); /* CUDA's own order is another one */
  put(&t, "GPU_DEVICE_ORDINAL", names->numbers);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (is_set(&t, others[i]))
      put(&t, others[i], names->numbers);
  }
  if (scheduled)
    put(&t, "SCHEDGPU_DEVICES", names->uuids);
  return t.rc;
}

bool sg_job_env_sees(const char *dev, uint32_t devices, sg_env_get get, void *context) {
  char value[VALUE_SIZE], path[PATH_MAX];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    snprintf(path, sizeof path, "%s/nvidia%u", dev, d);
    if (devices & 1u << d && access(path, F_OK) != 0)
      return false;
  }
  return get(context, "SLURM_JOB_ID", value, sizeof value) == 0;
}

int sg_job_env_remove(sg_env_get get, sg_env_set set, void *context) {
  static const char *const names[] = {"SCHEDGPU_JOB", "SCHEDGPU_RUN_DIR", "SCHEDGPU_DEVICES",
                                      "SCHEDGPU_ON_FAILURE", "SCHEDGPU_MANAGED"};
  struct target t = {get, set, context, SCHEDGPU_OK};
  if (!is_set(&t, "SCHEDGPU_JOB"))
    return SCHEDGPU_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (is_set(&t, names[i]))
      put(&t, names[i], NULL);
  }
  set_lane(&t, NULL, "");
  set_launches(&t, "", NULL);
  set_share(&t, NULL);
  set_preload(&t, "", "libschedgpu-preload.so");
  int rc = sg_container_env_apply(&(struct sg_job_env){.library = ""}, get, set, context);
  return rc != SCHEDGPU_OK ? rc : t.rc;
}
