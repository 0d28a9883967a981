/*
 * join.c - finds the job and attaches to it. The environment names the job. If root loaded this
 * library into every process, the job of the process's control group comes first, as no user can
 * leave that by unsetting a variable; then the environment is trusted for neither job nor region
 * nor devices.
 */
#include "join.h"
#include "../../shell/client/identity.h"
#include "passive.h"
#include "../../shell/sys/cgroup_job.h"
#include "schedgpu/schedgpu.h"
#include "system_wide.h"
#include <stdlib.h>
#include <sys/auxv.h>

/* A Slurm job that the region does not know (--schedgpu=off, no GPU) is not an error. */
static bool join_by_cgroup(int *error) {
  struct sg_group_job job;
  uint64_t id;
  if (!sg_own_cgroup_job(&job) || !sg_group_job_id(SG_DEFAULT_RUN_DIR, &job, &id))
    return false;
  sg_identity_set(SCHEDGPU_JOB_SLURM, id);
  *error = schedgpu_attach();
  if (*error != SCHEDGPU_ENOJOB && *error != SCHEDGPU_ENOREGION)
    return true;
  sg_identity_forget();
  return false;
}

static bool join_by_environment(int *error) {
  const char *job = getenv("SCHEDGPU_JOB");
  /* A setuid program must not use a region that its caller created. */
  if (!job || !*job || getauxval(AT_SECURE))
    return false;
  *error = schedgpu_attach();
  return true;
}

bool sgp_join(int *error) {
  if (sgp_is_passive())
    return false;
  return (sgp_is_system_wide() && join_by_cgroup(error)) || join_by_environment(error);
}
