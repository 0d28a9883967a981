/*
 * cgroup_job.h - the Slurm job that a process runs in, as its control groups say: a user can unset
 * a variable, but not leave the groups that root put him into.
 */
#ifndef SGP_CGROUP_JOB_H
#define SGP_CGROUP_JOB_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Job named by the text of /proc/self/cgroup. A job is a folder job_N
 *   in cgroup v1:  .../slurm[_NODE]/uid_U/job_N/...
 *   in cgroup v2:  .../[NODE_]slurmstepd.scope/job_N/...
 * The outermost counts: what is inside of it may have been made by the user.
 */
bool sgp_cgroup_job(const char *text, uint64_t *job_id);

/** The same of this process; false if it runs in no job, or in a namespace that hides it. */
bool sgp_own_cgroup_job(uint64_t *job_id);

#endif
