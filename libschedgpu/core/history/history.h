/* history.h - the history of jobs: their peaks, their refusals, and the jobs that ended. Pure, as
 * all of the core. Except where a comment says so, the caller holds the lock. */
#ifndef SG_HISTORY_H
#define SG_HISTORY_H

#include "../layout/access.h"

/* --- peaks.c --- */
/** Raises the mark to at least what is in use. Needs no lock; the fast path calls it too. */
void sg_peak_raise_slowly(struct sg_client *c, uint32_t device, uint64_t units);
static inline void sg_peak_raise(struct sg_client *c, uint32_t device, uint64_t units) {
  if (__builtin_expect(units > atomic_load(&c->peak_units[device]), 0))
    sg_peak_raise_slowly(c, device, units);
}
/** Lowers the mark to the units in use, unless it was raised since it was `seen`. */
void sg_peak_lower(struct sg_client *c, uint32_t device, uint32_t seen);
/** Notes that the job has `bytes` in use now, contexts not counted. */
void sg_peak_note(struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes);
/** Raises the job's peaks to the sums of its processes' marks and of their contexts, and lowers
 * the marks. */
void sg_note_peaks(struct sg_region *r, uint32_t job);
/** Does the same for the job of this process, if it has one. */
void sg_note_peaks_of(struct sg_region *r, uint32_t slot);
/** Does the same for all jobs. */
void sg_note_all_peaks(struct sg_region *r);
/** True if sg_note_all_peaks() would lower any mark. Needs no lock. */
bool sg_peaks_due(const struct sg_region *r);

/* --- refusals.c --- */
/** True if this answer to a request for memory is a refusal: more than the job can ever have. */
bool sg_is_refusal(int rc);
/** Marks a refused allocation of this process. Needs no lock. */
void sg_refusal_mark(struct sg_client *c, uint64_t bytes);
/** Moves the mark of a client page, or of another copy of the record, to this record; the count
 * moves once. Needs no lock. */
void sg_refusal_move(struct sg_client *to, struct sg_client *from);
/** Adds the marks of the job's processes to the job's record. */
void sg_note_refusals(struct sg_region *r, uint32_t job);
/** Does the same for the job of this process, if it has one. */
void sg_note_refusals_of(struct sg_region *r, uint32_t slot);
/** Does the same for all jobs. */
void sg_note_all_refusals(struct sg_region *r);
/** True if sg_note_all_refusals() would add any mark. Needs no lock. */
bool sg_refusals_due(const struct sg_region *r);

/* --- ended.c --- */
/** Records a job that is SG_ENDING; once, even if its end is started several times. */
void sg_ended_add(struct sg_region *r, uint32_t job, uint64_t now_ns);
/** True if the record at place `i` of the ring is whole. */
bool sg_ended_valid(const struct sg_ended *e, uint32_t i);
/** False: the count of ended jobs is damaged. */
bool sg_ended_possible(const struct sg_region *r);
/** Computes the count of ended jobs again, from the whole records. */
void sg_ended_recount(struct sg_region *r);
/**
 * The seal of a record: a checksum over the sequence and all fields after the seal (integrity.c).
 */
uint64_t sg_seal_of_ended(const struct sg_ended *e, uint64_t sequence);

#endif
