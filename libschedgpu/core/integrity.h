/*
 * integrity.h - damage to the region: found, told, mended. Pure, as all of the core. Whoever calls
 * holds the lock. What the pieces are for: docs/explanation/integrity.md.
 */
#ifndef SG_INTEGRITY_H
#define SG_INTEGRITY_H

#include "core.h"
#include <stddef.h>

/** What was found, or done about it: how many, and the first in words. */
struct sg_report {
  uint32_t damages;
  uint32_t jobs_ended; /**< damaged, and in no checkpoint */
  char text[120];
};
void sg_report(struct sg_report *report, const char *what, uint32_t index);

/* --- checkpoint.c: what the root side wrote, for when it is damaged --- */
/** The part of a record that is sealed lies before the first field that is not the root side's. */
#define SG_HEADER_SAVED offsetof(struct sg_header, lock)
#define SG_JOB_SAVED offsetof(struct sg_job, reserved_bytes)

struct sg_saved_job {
  uint64_t index;
  char bytes[SG_JOB_SAVED];
};

/** As it lies in the file: `size` bytes of it are used. */
struct sg_checkpoint {
  uint64_t magic;
  uint64_t size;
  uint64_t sum; /**< of all that follows */
  uint64_t created_ns;
  uint64_t job_count;
  char header[SG_HEADER_SAVED];
  struct sg_device device[SCHEDGPU_MAX_DEVICES];
  struct sg_saved_job job[SCHEDGPU_MAX_JOBS];
};

/** Copies what is sealed and right; false if that is not all that there should be: damage. */
bool sg_checkpoint_take(const struct sg_region *r, struct sg_checkpoint *c);
/** Whether `size` bytes are a whole checkpoint of the region that was created then. */
bool sg_checkpoint_right(const struct sg_checkpoint *c, uint64_t size, uint64_t created_ns);
/** Each puts back what was saved; false if nothing was. The dynamic fields stay. */
bool sg_checkpoint_header(const struct sg_checkpoint *c, struct sg_region *r);
bool sg_checkpoint_device(const struct sg_checkpoint *c, struct sg_region *r, uint32_t device);
bool sg_checkpoint_job(const struct sg_checkpoint *c, struct sg_region *r, uint32_t job);
/** Whether it has a job at this index; its seal, kind and id. */
bool sg_checkpoint_find(const struct sg_checkpoint *c, uint32_t job, struct sg_job *saved);

/* --- damage.c: what cannot be --- */
/** All that can be seen from the records alone: seals, impossible states, indexes, sums. */
void sg_damage(const struct sg_region *r, struct sg_report *report);
bool sg_job_possible(const struct sg_region *r, uint32_t job);
/** Whether the free record is one of a job that ended: a wiped one does not say of which. */
bool sg_job_ended(const struct sg_region *r, uint32_t job);
/**
 * Whether its record is free although its key names a job: it was wiped, as the key goes with the
 * end of a job. Only the checkpoint says which one it was.
 */
bool sg_job_lost(const struct sg_region *r, uint32_t job);
bool sg_foreign_possible(const struct sg_region *r, uint32_t device);
bool sg_client_possible(const struct sg_region *r, uint32_t slot);
bool sg_waiter_possible(const struct sg_region *r, uint32_t waiter);
/** True if the leases of the job's processes are more than it may have. */
bool sg_job_overleased(const struct sg_region *r, uint32_t job, uint32_t device);
/** A fingerprint of the caches: recounted, undamaged ones have the same. */
uint64_t sg_caches_sum(const struct sg_region *r);

/* --- repair.c --- */
/**
 * Mends what sg_damage() finds. `checkpoint` may be NULL. ECORRUPT if the header or a device is
 * damaged and not in a checkpoint: then only what needs none was mended. Recounts, serves nobody.
 */
int sg_repair(struct sg_region *r, const struct sg_checkpoint *checkpoint, struct sg_report *report,
              struct sg_wakes *wakes);
/** Afterwards: ends jobs that could not be saved, wakes the granted, serves. */
void sg_repair_finish(struct sg_region *r, uint64_t now_ns, struct sg_report *report,
                      struct sg_wakes *wakes);

/* --- unknown.c: living processes of whose records nothing is left --- */
#define SG_UNKNOWN_KIND 3u /* of the one job that stands in for theirs */

/**
 * What the caches say, before anything is mended or recounted; kept in the region until
 * sg_before_end(). True if a repair was broken off: it is what they said when that began.
 */
bool sg_before_begin(struct sg_region *r, struct sg_before *before);
void sg_before_end(struct sg_region *r);
/**
 * Counts anew where the repair has to be left to the root side: what was in use before and is in no
 * record now stays in use until then.
 */
void sg_before_hold(struct sg_region *r, const struct sg_before *before);

/** A living process, by the liveness file that says so: on the device of that of the region. */
struct sg_living {
  uint64_t live_ino;
  uint32_t slot;
};

/**
 * After a recount. What was in use before and is in no record any more stays reserved, in the name
 * of those `living` that have no record: until each of them has said again what it holds, or is
 * gone. A record that merely says that it is free is put right. Changes `living`. False if there
 * was nothing to do.
 */
bool sg_unknown_keep(struct sg_region *r, struct sg_living *living, uint32_t count,
                     const struct sg_before *before, uint64_t now_ns);
/** The process of `slot` is known again, or gone: what is still unknown goes to the others. */
void sg_unknown_leave(struct sg_region *r, uint32_t slot, uint64_t now_ns, struct sg_wakes *wakes);

/** What a process knows of itself, whatever became of its record. */
struct sg_claim {
  uint32_t slot;
  uint32_t gen;
  uint32_t uid;
  int32_t pid;
  uint64_t pid_namespace;
  uint32_t kind; /**< of the job, with id and begin; 0: root side, without a job */
  uint64_t id;
  uint64_t begun_ns;
  uint64_t lease[SCHEDGPU_MAX_DEVICES];
  uint64_t contexts[SCHEDGPU_MAX_DEVICES];
};
/** Whether the record is this process's, and of its job. */
bool sg_claim_holds(const struct sg_region *r, const struct sg_claim *claim);
/** Makes the record what the process knows; `used` may then be more than the device can give. */
void sg_claim_assert(struct sg_region *r, const struct sg_claim *claim, uint64_t now_ns,
                     struct sg_wakes *wakes);

#endif
