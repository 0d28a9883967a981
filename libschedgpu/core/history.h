/*
 * history.h - what is remembered of jobs: the most they had in use, what they were refused, and the
 * jobs that ended. Pure, as all of the core. Whoever calls holds the lock (except where said).
 */
#ifndef SG_HISTORY_H
#define SG_HISTORY_H

#include "access.h"

/* --- peaks.c --- */
/** Not less than that was in use at once: without the lock, by the fast path too. */
void sg_peak_raise_slowly(struct sg_client *c, uint32_t device, uint64_t units);
static inline void sg_peak_raise(struct sg_client *c, uint32_t device, uint64_t units) {
  if (__builtin_expect(units > atomic_load(&c->peak_units[device]), 0))
    sg_peak_raise_slowly(c, device, units);
}
/** Lowers the mark to what is in use, unless it was raised since it was `seen`. */
void sg_peak_lower(struct sg_client *c, uint32_t device, uint32_t seen);
/** The job has that much in use now. */
void sg_peak_note(struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes);
/** Raises the job's peaks to what its processes add up to, and lowers their marks. */
void sg_note_peaks(struct sg_region *r, uint32_t job);
/** Of the job of this process, if it has one. */
void sg_note_peaks_of(struct sg_region *r, uint32_t slot);
/** Of all jobs. */
void sg_note_all_peaks(struct sg_region *r);
/** Whether that would lower any mark. Needs no lock. */
bool sg_peaks_due(const struct sg_region *r);

/* --- refusals.c --- */
/** Whether the answer to a request for memory is a refusal: more than the job can ever have. */
bool sg_is_refusal(int rc);
/** An allocation of this process was refused. Needs no lock. */
void sg_refusal_mark(struct sg_client *c, uint64_t bytes);
/** Adds what was marked in a page, or in another copy of the record, to this record's mark: the
 * count once. Needs no lock. */
void sg_refusal_move(struct sg_client *to, struct sg_client *from);
/** Adds the marks of a job's processes to what is known of the job. */
void sg_note_refusals(struct sg_region *r, uint32_t job);
/** Of this process, if it has a job. */
void sg_note_refusals_of(struct sg_region *r, uint32_t slot);
/** Of all jobs. */
void sg_note_all_refusals(struct sg_region *r);
/** Whether that would note any. Needs no lock. */
bool sg_refusals_due(const struct sg_region *r);

/* --- ended.c --- */
/** Remembers a job that is SG_ENDING, once however often its end is begun anew. */
void sg_ended_add(struct sg_region *r, uint32_t job, uint64_t now_ns);
/** Whether the record, of place `i` of the ring, is whole. */
bool sg_ended_whole(const struct sg_ended *e, uint32_t i);
/** False: the count of jobs that ended is damaged. */
bool sg_ended_possible(const struct sg_region *r);
/** Counts anew, by the records that are whole. */
void sg_ended_recount(struct sg_region *r);
/** Of the sequence and all that follows the seal (integrity.c). */
uint64_t sg_seal_of_ended(const struct sg_ended *e, uint64_t sequence);

#endif
