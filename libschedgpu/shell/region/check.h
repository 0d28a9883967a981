/*
 * check.h - finds and repairs damage of the region, and reads and writes the checkpoint file.
 * Internal to the shell.
 */
#ifndef SG_CHECK_H
#define SG_CHECK_H

#include "../../core/repair/integrity.h"
#include "../shell.h"

/**
 * Checks the whole region and repairs it. Call with the lock. `after_death`: the lock was taken
 * over, so an incomplete transition is not damage. ECORRUPT: the checkpoint is needed, but this
 * process may not read it, or it is lost. `h->r->h.repairs` grows if anything was repaired.
 */
int sg_check_region(struct sg_handle *h, bool after_death, struct sg_report *report,
                    struct sg_wakes *wakes);
/** Checks what an attaching process relies on: header, devices, its job. Takes nanoseconds. */
bool sg_sound_for(const struct sg_region *r, uint32_t job);
/** True if no process has checked the region for a tenth of a second. */
bool sg_check_due(const struct sg_region *r);
/**
 * For the begin or end of a job: true if a check is due, or if anything that the caller relies on
 * is damaged: header, devices, the job's record, or the free record for a new job.
 */
bool sg_check_needed(const struct sg_region *r, uint32_t kind, uint64_t id, bool begins);
/** Before the region can be opened: restores a damaged header from the checkpoint. */
bool sg_restore_header(struct sg_region *r, const char *run_dir, uint64_t created_ns);

/** True if this process may act as the root side: it owns the segment. */
bool sg_is_owner(const struct sg_handle *h);

/** Memory for a checkpoint, of zeros; NULL: the kernel gives none. */
struct sg_checkpoint *sg_checkpoint_new(void);
/** Reads the checkpoint of the region with that creation time (0: any). NULL if there is none. */
struct sg_checkpoint *sg_checkpoint_load(const char *run_dir, uint64_t created_ns);
void sg_checkpoint_free(struct sg_checkpoint *c);
/** Replaces the file by this checkpoint. OK, or an error of the file system. */
int sg_checkpoint_put(const struct sg_checkpoint *c, const char *run_dir);
/**
 * Writes the checkpoint from the current records; only the owner of the region does. Call without
 * the lock and the setup lock. False if it has to be repeated.
 */
bool sg_checkpoint_save(struct sg_handle *h);
/**
 * The same for frequent callers: while an agent is alive and working, it is asked to write, once
 * for many changes. On a full node this saves half of the cost of a job's begin or end.
 */
void sg_checkpoint_ask(struct sg_handle *h);
/**
 * From now on, until the descriptor is closed, other processes ask this one to write. -1 on
 * failure.
 */
int sg_answer_lock(const char *run_dir);
/**
 * The agent's part: writes the checkpoint if a process has asked for it. False if it has to be
 * repeated.
 */
bool sg_checkpoint_answer(struct sg_handle *h);
/** Writes the checkpoint under the setup lock, before any other process uses the region. */
int sg_checkpoint_write(const struct sg_region *r, const char *run_dir);

#endif
