/*
 * overflow.h - held budgets that grow: jobs of mode peak for which what exceeds the budget waits
 * for more.
 */
#ifndef SG_OVERFLOW_H
#define SG_OVERFLOW_H

#include "account.h"

/** True if what exceeds the job's budget waits for more (overflow.c). */
static inline bool sg_overflow_waits(const struct sg_region *r, uint32_t job) {
  return r->job[job].mode == SCHEDGPU_MODE_PEAK &&
         (r->job[job].flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
}
/** True for memory beyond a held budget: it waits on one device, for what it lacks. */
static inline bool sg_is_overflow(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = w->kind == SG_PEAK ? sg_waiter_job(r, w) : SG_NONE;
  return job != SG_NONE && sg_overflow_waits(r, job) && r->job[job].held_mask != 0 &&
         r->job[job].admitted;
}
/** The devices in whose queues a waiter stands now. */
static inline uint32_t sg_waiter_mask(const struct sg_region *r, const struct sg_waiter *w) {
  return sg_is_overflow(r, w) ? 1u << sg_waiter_device(w) : sg_read_once(&w->device_mask);
}

/** What a process has of the held budget: leased, since it may use that without the lock, or
 * granted and not yet taken. */
uint64_t sg_client_taken(const struct sg_region *r, uint32_t slot, uint32_t device);
/** Granted to processes of the job, and not yet taken. */
uint64_t sg_granted_of_budget(const struct sg_region *r, uint32_t job, uint32_t device);
/** Leased and granted of job record `job` by the other records alone, whatever its own says. */
uint64_t sg_taken_by_records(const struct sg_region *r, uint32_t job, uint32_t device);
/** Takes back what processes of such jobs that wait gave back meanwhile, whatever they wait for, on
 * whichever device: others may count on it from here on. */
void sg_pull_back_leases(struct sg_region *r);
/** Overflow on the device that is not taken goes back: then `gave_back` is set. Whether any job
 * holds some. */
bool sg_give_overflow_back(struct sg_region *r, uint32_t device, bool *gave_back);
/** What is left of the held budget. Leases that are not in use are: they can be taken back. */
uint64_t sg_left_of_budget(const struct sg_region *r, uint32_t job, uint32_t device);
/** Enlarges the held budget by what it lacks; false if that is not free. */
bool sg_overflow_enlarge(struct sg_region *r, const struct sg_waiter *w);
/* account.c */
/** The held budget grows, or shrinks. */
void sg_account_overflow(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                         uint64_t minus);
/* leases.c */
/** Lowers a lease to what is in use and returns the units taken back. */
uint64_t sg_lease_take_back(_Atomic uint64_t *lease);

#endif
