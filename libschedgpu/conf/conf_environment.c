/* conf_environment.c - the environment of a job of `schedgpu run`, for the command. */
#include "job_env.h"
#include "schedgpu/conf_text.h"
#include <stdio.h>
#include <string.h>

/** What the environment was, and what is to be changed. */
struct block {
  const char *old;
  char *changes;
  size_t used, size;
};

static int get(void *context, const char *name, char *value, size_t size) {
  const struct block *block = context;
  size_t length = strlen(name);
  for (const char *at = block->old; *at; at += strlen(at) + 1) {
    if (strncmp(at, name, length) != 0 || at[length] != '=')
      continue;
    if (strlen(at + length + 1) >= size)
      return -1;
    strcpy(value, at + length + 1);
    return 1;
  }
  return 0;
}

/** Always leaves room for the NUL behind the last. */
static int set(void *context, const char *name, const char *value) {
  struct block *block = context;
  size_t room = block->size - block->used - 1;
  int length = value ? snprintf(block->changes + block->used, room, "%s=%s", name, value)
                     : snprintf(block->changes + block->used, room, "%s", name);
  if (length < 0 || (size_t)length >= room)
    return -1;
  block->used += (size_t)length + 1;
  return 0;
}

int schedgpu_run_environment(const struct schedgpu_run_env *env, const char *old, char *changes,
                             size_t size) {
  struct block block = {.old = old, .changes = changes, .size = size};
  const struct sg_job_env job = {.job = env->job,
                                 .run_dir = env->run_dir,
                                 .library = env->library ? env->library : "",
                                 .ours = "libschedgpu-preload.so",
                                 .refuse = env->refuse,
                                 .managed_passes = env->managed_passes,
                                 .frameworks = env->frameworks};
  if (size == 0)
    return SCHEDGPU_EINVAL;
  int rc = sg_job_env_apply(&job, get, set, &block);
  int named = sg_job_env_devices(env->uuids, env->numbers, true, get, set, &block);
  changes[block.used] = '\0';
  return rc != SCHEDGPU_OK ? rc : named;
}
