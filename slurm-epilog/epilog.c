/*
 * epilog.c - Slurm's Epilog: frees everything that the job still holds on this node. The node takes
 * no new job while it runs, so it does little and never waits long.
 */
#include "hook.h"
#include "../libschedgpu/shell/sys/sluid.h"
#include <stdio.h>
#include <stdlib.h>

static int end_job(struct sg_hook *hook, schedgpu_admin *admin) {
  int rc = schedgpu_admin_job_end(admin, SCHEDGPU_JOB_SLURM, hook->job_id);
  if (rc == SCHEDGPU_OK || rc == SCHEDGPU_ENOJOB)
    rc = schedgpu_admin_reap_if_due(admin);
  /*
   * A repair may have restored the job meanwhile, or a late step begun it again. It must not
   * outlive its end.
   */
  if (rc == SCHEDGPU_OK &&
      schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, hook->job_id, NULL) == SCHEDGPU_OK)
    rc = schedgpu_admin_job_end(admin, SCHEDGPU_JOB_SLURM, hook->job_id);
  return sg_explain(admin, rc, "ending the job", hook->error, sizeof hook->error);
}

/** Logs a missing region, for GPU jobs only. The job most likely held nothing, but a GPU job on a
 * node without a region points to a wrong configuration. */
static int say_no_region(const struct sg_hook *hook, bool gpu_job) {
  char text[SG_HOOK_ERROR];
  snprintf(text, sizeof text,
           "a GPU job ended and %.1024s has no region: nothing was freed (check RunDir)",
           hook->node.conf.run_dir);
  if (gpu_job)
    sg_hook_log(hook, text);
  return SCHEDGPU_OK;
}

static int end(struct sg_hook *hook) {
  schedgpu_admin *admin;
  const char *gpus = getenv("SLURM_JOB_GPUS");
  bool gpu_job = gpus && gpus[0];
  int rc = sg_hook_read_conf(hook);
  if (rc != SCHEDGPU_OK)
    return gpu_job ? rc : SCHEDGPU_OK;
  if (getenv("SLURM_JOB_SLUID"))
    sg_sluid_forget(hook->node.conf.run_dir, getenv("SLURM_JOB_SLUID"));
  rc = schedgpu_admin_open(hook->node.conf.run_dir, &admin);
  if (rc == SCHEDGPU_ENOREGION)
    return say_no_region(hook, gpu_job);
  if (rc != SCHEDGPU_OK)
    return sg_explain(NULL, rc, hook->node.conf.run_dir, hook->error, sizeof hook->error);
  schedgpu_admin_set_timeout(admin, sg_hook_lock_timeout_ns(hook));
  rc = end_job(hook, admin);
  if (rc == SCHEDGPU_ELOCK)
    schedgpu_admin_set_timeout(admin, 0);
  schedgpu_admin_close(admin);
  return rc;
}

int main(int argc, char **argv) {
  static struct sg_hook hook = {.name = "schedgpu-epilog",
                                .version = SG_VERSION,
                                .does =
                                    "Frees the GPU memory that a job holds, after the job's end.",
                                .work = end};
  return sg_hook_main(&hook, argc, argv);
}
