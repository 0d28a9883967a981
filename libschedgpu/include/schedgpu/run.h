/*
 * run.h - jobs that users begin without Slurm, on a node where only the agent may write the region
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

/** Connects to the agent of `run_dir`. EAGENT: no agent answers. */
SCHEDGPU_API int schedgpu_run_open(const char *run_dir, schedgpu_run **run);

/**
 * Reads the devices of the node, without names, into `node->device`; the other fields are 0.
 * EAGENT.
 */
SCHEDGPU_API int schedgpu_run_devices(schedgpu_run *run, struct schedgpu_setup *node);

/**
 * Asks the agent, if there is one, to write the current use of its clients to the region, before a
 * reader looks at it. Waits for at most 200 ms. EAGENT.
 */
SCHEDGPU_API int schedgpu_run_refresh(const char *run_dir);

/**
 * Begins a job of this user, owned by this process: it ends with this process and with all
 * processes attached to it. The agent decides, and writes id, priority and budgets into `*spec` as
 * decided. Errors: ETOOBIG (more than MaxMem, or than the device can give), EFULL (the user has as
 * many jobs as allowed), EPERM (this process is in the control group of a Slurm job), EINVAL,
 * EDEVICE; EAGENT: the agent does not answer within 3 s; ELOCK: the agent answers, but does not get
 * the region's lock in that time; EVERSION: the agent is older.
 */
SCHEDGPU_API int schedgpu_run_begin(schedgpu_run *run, struct schedgpu_job_spec *spec);

/**
 * Reads what the job has used so far, its ended processes included. Waits for the agent for at most
 * 200 ms. Errors: ENOJOB (it has not begun, or has ended), EAGENT, ELOCK.
 */
SCHEDGPU_API int schedgpu_run_use(schedgpu_run *run, struct schedgpu_job_use *use);

/** Ends the job. */
SCHEDGPU_API void schedgpu_run_close(schedgpu_run *run);

#ifdef __cplusplus
}
#endif
#endif
