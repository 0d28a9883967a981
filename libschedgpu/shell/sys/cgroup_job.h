/*
 * cgroup_job.h - the Slurm job that a process runs in, as its control groups say: a user can unset
 * a variable, but not leave the groups that root put him into.
 */
#ifndef SG_CGROUP_JOB_H
#define SG_CGROUP_JOB_H

#include "sluid.h"
#include <stdbool.h>
#include <stdint.h>

/** The job of a control group. */
struct sg_group_job {
  uint64_t job_id;
  /** if not empty: the SLUID, in place of the number. "?" is a name that cannot be a SLUID. */
  char sluid[SG_SLUID_SIZE];
};

/**
 * Job named by the text of /proc/self/cgroup; false: of none. A job is a folder
 *   in cgroup v1:                  .../slurm[_NODE]/uid_U/job_N/...
 *   in cgroup v2:                  .../[NODE_]slurmstepd.scope/job_N/...
 *   in cgroup v2, 26.05 and newer: .../[NODE_]slurmstepd.scope/SLUID/...
 * The outermost counts: what is inside of it may have been made by the user. Whatever else is
 * directly in Slurm's scope, but for its own folder "system", is taken for a SLUID: a name that is
 * not understood must not be taken for no job.
 */
bool sg_cgroup_job(const char *text, struct sg_group_job *job);

/** The same for this process. False if it is in no job, or in a namespace that hides it. */
bool sg_own_cgroup_job(struct sg_group_job *job);

/** Writes the job's number. False for a SLUID that no prolog recorded in `run_dir`. */
bool sg_group_job_id(const char *run_dir, const struct sg_group_job *job, uint64_t *job_id);

#endif
