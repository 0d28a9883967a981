/*
 * prolog.c - Slurm's Prolog: registers the job on this node before it starts, within the site's
 * limits. It is a native program because it runs before each job
 * (docs/explanation/architecture.md). The decision itself is in libschedgpu/node; this file only
 * reads Slurm's environment.
 */
#include "hook.h"
#include "../libschedgpu/shell/sys/sluid.h"
#include "driver_gpus.h"
#include "lane.h"
#include "options_env.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GPUS 1024

/** Reads the job's options from the environment. The job is not registered if `off` is set. */
static int read_options(struct sg_hook *hook, struct sg_job_options *options) {
  struct sg_given given = {0};
  int rc =
      sg_options_from_env(&given, "SPANK_", sg_env_get_own, NULL, hook->error, sizeof hook->error);
  hook->jobs_fault = rc != SCHEDGPU_OK;
  *options = given.options;
  sg_lane_take_limit(options, getenv("SLURM_JOB_START_TIME"), getenv("SLURM_JOB_END_TIME"));
  sg_lane_take_nodes(options, getenv("SLURM_JOB_NUM_NODES"));
  return rc;
}

static int decide(struct sg_hook *hook, const struct sg_job_options *options, const char *gpus,
                  struct schedgpu_job_spec *spec) {
  uint16_t index[MAX_GPUS];
  uint64_t uid;
  char notice[256];
  int count = sg_parse_index_list(gpus, index, MAX_GPUS);
  if (count < 0 || !sg_hook_number("SLURM_JOB_UID", UINT32_MAX, &uid)) {
    snprintf(hook->error, sizeof hook->error,
             "SLURM_JOB_GPUS=%s or SLURM_JOB_UID is not as Slurm "
             "writes it",
             gpus);
    return SCHEDGPU_EINVAL;
  }
  int rc = sg_decide_job(&hook->node.conf, &hook->node.devices, options, hook->job_id,
                         (uint32_t)uid, index, (uint32_t)count, spec, notice, sizeof notice,
                         hook->error, sizeof hook->error);
  hook->jobs_fault = rc == SCHEDGPU_EINVAL || rc == SCHEDGPU_ETOOBIG;
  if (rc == SCHEDGPU_OK && notice[0])
    sg_hook_log(hook, notice);
  return rc;
}

static int register_job(struct sg_hook *hook, const struct schedgpu_job_spec *spec) {
  schedgpu_admin *admin;
  int rc = sg_open_region(&hook->node.conf, &hook->node.devices, &admin, hook->error,
                          sizeof hook->error);
  if (rc != SCHEDGPU_OK)
    return rc;
  schedgpu_admin_set_timeout(admin, sg_hook_lock_timeout_ns(hook));
  rc = sg_register_job(&hook->node, admin, spec, true, hook->error, sizeof hook->error);
  if (rc == SCHEDGPU_ELOCK)
    schedgpu_admin_set_timeout(admin, 0);
  schedgpu_admin_close(admin);
  return rc;
}

/** A job on a GPU that is not there would fail, and the next one after it. */
static int compare_gpus(struct sg_hook *hook, const struct schedgpu_job_spec *spec) {
  const char *folder = getenv("SCHEDGPU_DRIVER_GPUS"); /* of tests; users cannot set it */
  int rc = sg_driver_compare(folder ? folder : SG_DRIVER_GPUS, &hook->node.devices,
                             spec->device_mask, hook->error, sizeof hook->error);
  hook->unfit = rc != SCHEDGPU_OK;
  return rc;
}

/**
 * Records the SLUID of the job: from Slurm 26.05 on, this is the name of its control group under
 * cgroup v2.
 */
static int record_sluid(struct sg_hook *hook) {
  const char *sluid = getenv("SLURM_JOB_SLUID");
  if (!sluid || !sluid[0])
    return SCHEDGPU_OK;
  int rc = sg_sluid_record(hook->node.conf.run_dir, sluid, hook->job_id);
  if (rc == SCHEDGPU_EINVAL)
    snprintf(hook->error, sizeof hook->error, "SLURM_JOB_SLUID=%.64s is not as Slurm writes it",
             sluid);
  else if (rc != SCHEDGPU_OK)
    snprintf(hook->error, sizeof hook->error,
             "the SLUID of the job cannot be recorded in %.1024s/" SG_SLUID_DIR " (%s)",
             hook->node.conf.run_dir, strerror(errno));
  return rc;
}

static int begin(struct sg_hook *hook) {
  const char *gpus = getenv("SLURM_JOB_GPUS");
  struct sg_job_options options;
  struct schedgpu_job_spec spec;
  if (!gpus || !gpus[0])
    return SCHEDGPU_OK;
  int rc = read_options(hook, &options);
  if (rc != SCHEDGPU_OK || options.off)
    return rc;
  rc = sg_hook_read_conf(hook);
  if (rc == SCHEDGPU_OK)
    rc = sg_node_read_devices(&hook->node, hook->error, sizeof hook->error);
  if (rc == SCHEDGPU_OK)
    rc = decide(hook, &options, gpus, &spec);
  bool ours = rc == SCHEDGPU_OK && spec.device_mask != 0; /* a MIG instance is not ours */
  if (ours)
    rc = compare_gpus(hook, &spec);
  if (ours && rc == SCHEDGPU_OK)
    rc = register_job(hook, &spec);
  return ours && rc == SCHEDGPU_OK ? record_sluid(hook) : rc;
}

int main(int argc, char **argv) {
  static struct sg_hook hook = {.name = "schedgpu-prolog",
                                .version = SG_VERSION,
                                .does = "Registers a job with schedGPU before it starts.",
                                .work = begin};
  return sg_hook_main(&hook, argc, argv);
}
