/* mend.h - damage is looked for and mended; the checkpoint in its file. Internal to the shell. */
#ifndef SG_MEND_H
#define SG_MEND_H

#include "../../core/integrity.h"
#include "../shell.h"

/**
 * Looks at everything, and mends it; the caller holds the lock. `after_death`: the lock was taken
 * over, so that half a transition is no damage. ECORRUPT: it needs the checkpoint, which this
 * process may not read, or which is lost. `h->r->h.repairs` grows if anything was mended.
 */
int sg_mend(struct sg_handle *h, bool after_death, struct sg_report *report,
            struct sg_wakes *wakes);
/** What an attaching process relies on: header, devices, its job. For nanoseconds. */
bool sg_sound_for(const struct sg_region *r, uint32_t job);
/** Whether nobody has looked at everything for a tenth of a second. */
bool sg_mend_due(const struct sg_region *r);
/**
 * For who begins or ends a job: whether that is so, or what he relies on is not sound: header,
 * devices, the job's record, or the free one that a new job would get.
 */
bool sg_mend_needed(const struct sg_region *r, uint32_t kind, uint64_t id, bool begins);
/** Before the region can be opened at all: puts a damaged header back from the checkpoint. */
bool sg_mend_header(struct sg_region *r, const char *run_dir, uint64_t created_ns);

/** Whether this process may do what the root side does: it is the segment's owner. */
bool sg_is_owner(const struct sg_handle *h);

/** The checkpoint of the region that was created then (0: of any); NULL if there is none. */
struct sg_checkpoint *sg_checkpoint_load(const char *run_dir, uint64_t created_ns);
void sg_checkpoint_free(struct sg_checkpoint *c);
/**
 * Writes it anew, from what is right now; nothing happens where only the region's owner could. The
 * caller holds neither the lock nor the setup lock. False if it has to be done again.
 */
bool sg_checkpoint_save(struct sg_handle *h);
/**
 * The same for who comes often: while an agent lives and does its work, it is told to; it writes
 * once for many. On a full node that is half of what a job's begin or end costs.
 */
void sg_checkpoint_ask(struct sg_handle *h);
/** From now on, until the descriptor is closed, this process is to be asked; -1: it is not. */
int sg_answer_lock(const char *run_dir);
/** The agent's part: writes it if somebody has asked. False if it has to be done again. */
bool sg_checkpoint_answer(struct sg_handle *h);
/** As above, under the setup lock and before anybody else uses the region. */
int sg_checkpoint_write(const struct sg_region *r, const char *run_dir);

#endif
