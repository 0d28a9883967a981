/* attach.h - from an open region to an active client record; shared by client.c and admin.c. */
#ifndef SG_ATTACH_H
#define SG_ATTACH_H

#include "shell.h"

/** The job that a process says it belongs to. */
struct sg_job_key {
  uint32_t kind;
  uint64_t id;
  uint32_t uid; /**< of the process; 0 may join any job */
};

/** What the job was when the client was activated: later its record may be another job's. */
struct sg_joined {
  uint32_t job; /**< index */
  uint32_t mode;
  uint32_t device_mask;
};

/**
 * Takes a slot in [first, end) and activates it for the job of `key`, which is looked up under the
 * same lock; removes the dead then, as what they held may be the newcomer's. `key` NULL: root side,
 * without a job; `joined` may then be NULL.
 */
int sg_attach_slot(struct sg_handle *h, uint32_t first, uint32_t end, const struct sg_job_key *key,
                   int64_t timeout_ns, struct sg_joined *joined);

#endif
