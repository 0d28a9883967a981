/*
 * run.h - a job that a user begins without Slurm, where only the agent may write the region
 * (docs/explanation/client-server.md). Elsewhere schedgpu_admin_job_begin() does it.
 *
 * Units and errors as in schedgpu.h. A handle is used by one thread at a time.
 */
#ifndef SCHEDGPU_RUN_H
#define SCHEDGPU_RUN_H

#include "admin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct schedgpu_run schedgpu_run;

/** To the agent of `run_dir`. EAGENT: there is none, and never was. */
SCHEDGPU_API int schedgpu_run_open(const char *run_dir, schedgpu_run **run);

/** The devices of the node, without names, into `node->device`; the rest of it is 0. EAGENT. */
SCHEDGPU_API int schedgpu_run_devices(schedgpu_run *run, struct schedgpu_setup *node);

/**
 * For who is about to look at the region: an agent, if there is one, writes there what its clients
 * use just now. It is not waited for longer than 200 ms. EAGENT.
 */
SCHEDGPU_API int schedgpu_run_refresh(const char *run_dir);

/**
 * Begins a job of this user's, which this process owns: it ends with this process and with all
 * that are attached to it. The agent decides: it puts id, priority and budgets into `*spec` as
 * they are then. Errors: ETOOBIG (more than MaxMem, or than the device gives), EFULL (the user's
 * jobs are as many as may be), EPERM (this process is in the control group of a Slurm job), EINVAL,
 * EDEVICE; EAGENT: the agent does not answer within 3 s; ELOCK: it does, and does not get the
 * region's lock in that time; EVERSION: the agent is older.
 */
SCHEDGPU_API int schedgpu_run_begin(schedgpu_run *run, struct schedgpu_job_spec *spec);

/**
 * What the job has used so far, its processes that have ended included. Does not wait for the agent
 * longer than 200 ms. Errors: ENOJOB (it was not begun, or has ended), EAGENT, ELOCK.
 */
SCHEDGPU_API int schedgpu_run_use(schedgpu_run *run, struct schedgpu_job_use *use);

/** Ends the job. */
SCHEDGPU_API void schedgpu_run_close(schedgpu_run *run);

#ifdef __cplusplus
}
#endif
#endif
