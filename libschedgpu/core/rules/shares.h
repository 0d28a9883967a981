/*
 * shares.h - how much of the tables of a node one user may take: docs/reference/rules.md. Call with
 * the lock, or of a copy. Root has no limit.
 */
#ifndef SG_SHARES_H
#define SG_SHARES_H

#include "../layout/access.h"

/** Records of the job table for jobs that users begin themselves; the rest is for those of Slurm.
 */
#define SG_JOBS_OF_USERS (SCHEDGPU_MAX_JOBS / 2)

/** The rule: one more, if the user has less than is left. So something is always left for a user
 * who has nothing, and one user alone gets half. */
static inline bool sg_leaves_some(uint32_t has, uint32_t left) {
  return has < left;
}

/** True if the user may begin one more job of this kind. Jobs of Slurm are begun by root. */
bool sg_may_begin(const struct sg_region *r, uint32_t kind, uint32_t uid);
/**
 * True if the user may have one more attached process, or command that begins a job. A process of a
 * job counts to the job's user, whatever its own id is.
 */
bool sg_may_attach(const struct sg_region *r, uint32_t uid);
/** True if a job of the user may open one more lane. */
bool sg_may_open_lane(const struct sg_region *r, uint32_t uid);

#endif
