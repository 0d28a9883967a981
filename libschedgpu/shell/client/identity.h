/*
 * identity.h - the identity of this process: job, region and devices. It comes from the
 * environment, unless a caller with better knowledge sets it. Internal to the shell and the preload
 * library.
 */
#ifndef SG_IDENTITY_H
#define SG_IDENTITY_H

#include "../region/attach.h"

#define SG_DEFAULT_RUN_DIR "/run/schedgpu"

/**
 * From now on this process belongs to that job, in the default run directory, with all devices of
 * the job; the environment is ignored. Must not be called while another thread may attach.
 */
void sg_identity_set(uint32_t kind, uint64_t job_id);
/** Uses the environment again. */
void sg_identity_forget(void);

const char *sg_identity_run_dir(void);
/** A list as in SCHEDGPU_DEVICES, or NULL for all devices of the job. */
const char *sg_identity_devices(void);
/** ENOJOB: no job; EINVAL: not a valid job. */
int sg_identity_key(struct sg_job_key *key);

#endif
