/* integrity.h - finds, reports and repairs damage to the region. Pure, as all of the core. The
 * caller holds the lock. docs/explanation/integrity.md says what each part is for. */
#ifndef SG_INTEGRITY_H
#define SG_INTEGRITY_H

#include "../rules/core.h"
#include <stddef.h>

/** No node ever gives out so many tickets: higher ones are damage. */
#define SG_LAST_TICKET (UINT64_MAX / 4)

/** The damage that was found or repaired: how often, and the first finding in words. */
struct sg_report {
  uint32_t findings;
  uint32_t jobs_ended; /**< damaged, and missing in the checkpoint */
  char text[120];
};
void sg_report(struct sg_report *report, const char *what, uint32_t index);

/* --- checkpoint.c: a copy of what the root side wrote, to repair damage from --- */
/** The sealed part of a record ends before the first field that others than the root side write. */
#define SG_HEADER_SAVED offsetof(struct sg_header, lock)
#define SG_JOB_SAVED offsetof(struct sg_job, reserved_bytes)

struct sg_saved_job {
  uint64_t index;
  char bytes[SG_JOB_SAVED];
};

/** The file's content, of which `size` bytes are used. */
struct sg_checkpoint {
  uint64_t magic;
  uint64_t size;
  uint64_t sum; /**< checksum of all fields below */
  uint64_t created_ns;
  uint64_t job_count;
  char header[SG_HEADER_SAVED];
  struct sg_device device[SCHEDGPU_MAX_DEVICES];
  struct sg_saved_job job[SCHEDGPU_MAX_JOBS];
};

/** Copies the undamaged sealed records; false if one is missing because it is damaged. */
bool sg_checkpoint_take(const struct sg_region *r, struct sg_checkpoint *c);
/** True if the `size` bytes are a whole checkpoint of the region with this creation time. */
bool sg_checkpoint_valid(const struct sg_checkpoint *c, uint64_t size, uint64_t created_ns);
/** Each restores the saved fields; false if none were saved. The other fields stay. */
bool sg_checkpoint_header(const struct sg_checkpoint *c, struct sg_region *r);
bool sg_checkpoint_device(const struct sg_checkpoint *c, struct sg_region *r, uint32_t device);
bool sg_checkpoint_job(const struct sg_checkpoint *c, struct sg_region *r, uint32_t job);
/** True if the checkpoint has a job at this index; returns its seal, kind and id. */
bool sg_checkpoint_find(const struct sg_checkpoint *c, uint32_t job, struct sg_job *saved);

/* --- damage.c: impossible values --- */
/** Reports the damage that the records alone show: seals, impossible states, indexes, sums. */
void sg_damage(const struct sg_region *r, struct sg_report *report);
bool sg_job_possible(const struct sg_region *r, uint32_t job);
/** True if the free record is of a job that ended. A wiped record does not say which job it was. */
bool sg_job_ended(const struct sg_region *r, uint32_t job);
/** True if the record is free although its key names a job. The end of a job clears the key, so
 * the record was wiped. Only the checkpoint says which job it was. */
bool sg_job_lost(const struct sg_region *r, uint32_t job);
bool sg_foreign_matches(const struct sg_region *r, uint32_t device);
bool sg_client_possible(const struct sg_region *r, uint32_t slot);
bool sg_waiter_possible(const struct sg_region *r, uint32_t waiter);
/** True if the job's processes have more leased than the job may have. */
bool sg_job_overleased(const struct sg_region *r, uint32_t job, uint32_t device);
/** A fingerprint of the caches: a recount does not change it unless the caches are damaged. */
uint64_t sg_caches_sum(const struct sg_region *r);

/* --- repair.c --- */
/**
 * Repairs what sg_damage() finds. `checkpoint` may be NULL. ECORRUPT if the header or a device is
 * damaged and not in the checkpoint: then it repaired only what needs no checkpoint. Recounts the
 * caches, serves no waiter.
 */
int sg_repair(struct sg_region *r, const struct sg_checkpoint *checkpoint, struct sg_report *report,
              struct sg_wakes *wakes);
/** Runs after sg_repair(): ends jobs that could not be saved, wakes granted waiters, serves. */
void sg_repair_finish(struct sg_region *r, uint64_t now_ns, struct sg_report *report,
                      struct sg_wakes *wakes);

/* --- orphans.c: orphans, that is memory of live processes whose records are lost --- */
#define SG_ORPHAN_KIND 3u /* the kind of the one job that stands for all orphans */

/**
 * Saves what the caches say, before any repair or recount, in the region until sg_caches_forget().
 * True if an earlier repair was interrupted: then it returns what the caches said when that began.
 */
bool sg_caches_save(struct sg_region *r, struct sg_saved_caches *before);
void sg_caches_forget(struct sg_region *r);
/** Recounts the caches if the root side has to do the repair. Memory that was in use before and is
 * in no record now stays in use until then. */
void sg_caches_hold(struct sg_region *r, const struct sg_saved_caches *before);

/** A live process according to its liveness file, which lies on the same file system as the
 * region's. */
struct sg_live_slot {
  uint64_t live_ino;
  uint32_t slot;
};

/**
 * Runs after a recount. Memory that was in use before and is in no record now stays reserved for
 * the processes in `live` without a record. The reservation ends when each of them has restored its
 * record or is dead. A record that only says wrongly that it is free is repaired. Changes `live`.
 * False if there was nothing to do.
 */
bool sg_orphans_keep(struct sg_region *r, struct sg_live_slot *live, uint32_t count,
                     const struct sg_saved_caches *before, uint64_t now_ns);
/** The process of `slot` has restored its record or is dead: its orphan memory goes to the
 * remaining ones. */
void sg_orphans_leave(struct sg_region *r, uint32_t slot, uint64_t now_ns, struct sg_wakes *wakes);

/** What a process knows about itself, even if its record is lost. */
struct sg_backup {
  uint32_t slot;
  uint32_t gen;
  uint32_t uid;
  int32_t pid;
  uint64_t pid_namespace;
  uint32_t kind; /**< of the job, with id and begin; 0: a process of the root side, without a job */
  uint64_t id;
  uint64_t begun_ns;
  uint64_t lease[SCHEDGPU_MAX_DEVICES];
  uint64_t contexts[SCHEDGPU_MAX_DEVICES];
};
/** True if the record belongs to this process and to its job. */
bool sg_backup_matches(const struct sg_region *r, const struct sg_backup *backup);
/** Writes the record from what the process knows; `used` may then exceed the device's limit. */
void sg_backup_write(struct sg_region *r, const struct sg_backup *backup, uint64_t now_ns,
                     struct sg_wakes *wakes);

#endif
