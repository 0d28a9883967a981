/*
 * identity.h - who this process says it is: job, region and devices. What the environment says,
 * unless somebody who knows better reported. Internal to the shell and the preload library.
 */
#ifndef SG_IDENTITY_H
#define SG_IDENTITY_H

#include "../region/attach.h"

#define SG_DEFAULT_RUN_DIR "/run/schedgpu"

/**
 * From now on this process is one of that job, in the default run directory, with all devices of
 * the job: the environment is not asked. Not while another thread may attach.
 */
void sg_identity_set(uint32_t kind, uint64_t job_id);
/** The environment counts again. */
void sg_identity_forget(void);

const char *sg_identity_run_dir(void);
/** A list as SCHEDGPU_DEVICES has it, or NULL: all of the job's. */
const char *sg_identity_devices(void);
/** ENOJOB: of none; EINVAL: not understood. */
int sg_identity_key(struct sg_job_key *key);

#endif
