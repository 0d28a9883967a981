/* account.h - who has what of the devices: leases, caches, and what nobody reserved. */
#ifndef SG_ACCOUNT_H
#define SG_ACCOUNT_H

#include "access.h"

/* --- leases (leases.c); the first two need no lock --- */
/** Takes `units` out of the client's own lease; false if it is too small. */
bool sg_lease_take(struct sg_client *c, uint32_t device, uint64_t units);
/** Returns `units` to the own lease; `*idle` = nothing is in use any more. False: underflow. */
bool sg_lease_give(_Atomic uint64_t *lease, uint64_t units, bool *idle);
static inline uint64_t sg_leased(uint64_t word) {
  return word >> 32;
}
static inline uint64_t sg_in_use(uint64_t word) {
  return word & UINT32_MAX;
}
/** Peak, budget held: `units` for the client out of its job's budget. OK or EBUDGET. */
int sg_lease_extend(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t units);
/** Raises the own lease under the lock: `leased` more units, `in_use` of them taken at once. */
void sg_lease_grow(struct sg_client *c, uint32_t device, uint64_t leased, uint64_t in_use);
/** Units leased on `device` to the clients of `job`. */
uint64_t sg_job_leased(const struct sg_region *r, uint32_t job, uint32_t device);
/** Bytes in use on `device` by the clients of `job`. */
uint64_t sg_job_in_use(const struct sg_region *r, uint32_t job, uint32_t device);
/** Gives back held budgets of `device` that nobody uses any more (grace over); on which devices.
 * Only asked where `device` has held budgets. */
uint32_t sg_reclaim_idle(struct sg_region *r, uint32_t device, uint64_t now_ns);

/* --- outside memory: in use, but reserved by nobody (unreserved.c) --- */
/** What is set of it: in whole units, at most the device's total. */
uint64_t sg_outside_bounded(const struct sg_region *r, uint32_t device, uint64_t bytes);
/** Of the job; at most the device's total, whatever the field holds. */
uint64_t sg_overrun(const struct sg_region *r, uint32_t job, uint32_t device);
/** Of programs of no job; as well. */
uint64_t sg_foreign(const struct sg_region *r, uint32_t device);
/** `used` without what nobody reserved: only that much was granted. */
uint64_t sg_granted_bytes(const struct sg_device *d);
/** What cannot be measured on these devices is forgotten: who measures says it again. */
void sg_forget_overruns(struct sg_region *r, uint32_t job);
void sg_forget_foreign(struct sg_region *r, uint32_t device);

/* --- the caches (account.c) --- */
/** Bytes that the admission of the job reserves on the device for its processes' contexts. */
uint64_t sg_admission_bytes(const struct sg_region *r, uint32_t job, uint32_t device);
/** What the job's contexts cost on a device: an admitted job has its processes' reserved. */
uint64_t sg_context_cost(const struct sg_region *r, uint32_t job, uint32_t device);
/** All that a job has of a device by the books, memory or budget and contexts: what stands in the
 * way of others. Also read without the lock, to tell people. */
uint64_t sg_held_by(const struct sg_region *r, uint32_t job, uint32_t device);
/** Contexts of the job, granted ones included. */
void sg_account_context(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                        uint64_t minus);
/** Memory of an ondemand job, granted included. */
void sg_account_memory(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                       uint64_t minus, uint64_t now_ns);
/** Outside memory of the device. */
void sg_account_outside(struct sg_region *r, uint32_t device, uint64_t plus, uint64_t minus);
void sg_account_admission(struct sg_region *r, uint32_t job, bool admitted);
/** Reserves the job's budget on all its devices; the caller knows that it fits. */
void sg_account_hold(struct sg_region *r, uint32_t job, uint64_t now_ns);
/** Gives the job's budget back; on which devices. */
uint32_t sg_account_unhold(struct sg_region *r, uint32_t job, uint64_t now_ns);
/** Since when it holds memory follows what it holds; for those who change that elsewhere. */
void sg_account_held(struct sg_region *r, uint32_t job, uint64_t now_ns);
void sg_account_all_held(struct sg_region *r, uint64_t now_ns);
/** A request that waited waits no more: its record says so already, and since when it did. */
void sg_account_wait(struct sg_region *r, uint32_t job, const struct sg_waiter *w, uint64_t now_ns);
/** Counts a waiter, of the highest ticket, just before its state says that it waits. */
void sg_account_queued(struct sg_region *r, uint32_t waiter);
/** The waiter waits no more; its record still says what for. */
void sg_account_unqueued(struct sg_region *r, uint32_t waiter);
/** All that an active job adds to the sums of the devices, of whose requests none is queued. */
void sg_account_ended(struct sg_region *r, uint32_t job);
void sg_lower_client_mark(struct sg_region *r);
void sg_lower_job_mark(struct sg_region *r);

#endif
