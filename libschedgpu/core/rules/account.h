/* account.h - the accounts of the devices: leases, caches and unreserved memory. */
#ifndef SG_ACCOUNT_H
#define SG_ACCOUNT_H

#include "../layout/access.h"

/* --- leases (leases.c); the first two need no lock --- */
/** Takes `units` out of the client's own lease; false if it is too small. */
bool sg_lease_take(struct sg_client *c, uint32_t device, uint64_t units);
/** Returns `units` to the own lease; `*idle`: nothing is in use any more. False: more units than
 * are in use. */
bool sg_lease_give(_Atomic uint64_t *lease, uint64_t units, bool *idle);
/** Mode peak, budget held: leases `units` more of the job's budget to the client. OK or EBUDGET. */
int sg_lease_extend(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t units);
/** Raises the own lease under the lock: `leased` more units, `in_use` of them taken at once. */
void sg_lease_grow(struct sg_client *c, uint32_t device, uint64_t leased, uint64_t in_use);
/** Units leased on `device` to the clients of `job`. */
uint64_t sg_job_leased(const struct sg_region *r, uint32_t job, uint32_t device);
/** Bytes in use on `device` by the clients of `job`. */
uint64_t sg_job_in_use(const struct sg_region *r, uint32_t job, uint32_t device);
/** Releases held budgets of `device` that nobody has used for the grace period. Returns the
 * devices that gained memory. Called only if `device` has held budgets. */
uint32_t sg_reclaim_idle(struct sg_region *r, uint32_t device, uint64_t now_ns);

/* --- unreserved memory: in use, but reserved by no job (unreserved.c) --- */
/** The device's unreserved memory in bytes: in whole units, at most the device's total. */
uint64_t sg_unreserved_bounded(const struct sg_region *r, uint32_t device, uint64_t bytes);
/** The overrun of the job in bytes; at most the device's total, whatever the field holds. */
uint64_t sg_overrun(const struct sg_region *r, uint32_t job, uint32_t device);
/** The foreign memory in bytes; at most the device's total, whatever the field holds. */
uint64_t sg_foreign(const struct sg_region *r, uint32_t device);
/** `used` without unreserved memory: the bytes that were granted. */
uint64_t sg_granted_bytes(const struct sg_device *d);
/** Forgets the job's overruns on devices where they cannot be measured. The next measurement sets
 * them again. */
void sg_forget_overruns(struct sg_region *r, uint32_t job);
void sg_forget_foreign(struct sg_region *r, uint32_t device);

/* --- the caches (account.c) --- */
/** Bytes that the admission of the job reserves on the device for its processes' contexts. */
uint64_t sg_admission_bytes(const struct sg_region *r, uint32_t job, uint32_t device);
/** Bytes of the job's contexts on a device; an admitted job has the contexts of all declared
 * processes reserved. */
uint64_t sg_context_cost(const struct sg_region *r, uint32_t job, uint32_t device);
/** All that the job has of a device in the accounts: memory or budget, and contexts. Others cannot
 * have it. Reports call this without the lock. */
uint64_t sg_held_by(const struct sg_region *r, uint32_t job, uint32_t device);
/** Counts contexts of the job, granted ones included. */
void sg_account_context(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                        uint64_t minus);
/** Counts memory of an ondemand job, granted memory included. */
void sg_account_memory(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                       uint64_t minus, uint64_t now_ns);
/** Counts unreserved memory of the device. */
void sg_account_unreserved(struct sg_region *r, uint32_t device, uint64_t plus, uint64_t minus);
void sg_account_admission(struct sg_region *r, uint32_t job, bool admitted);
/** Counts the change of a lane's size, or of the persistent memory of a job that holds. */
void sg_account_lane(struct sg_region *r, uint32_t device, uint64_t plus, uint64_t minus);
/** Reserves the job's budget on all its devices; the caller knows that it fits. */
void sg_account_hold(struct sg_region *r, uint32_t job, uint64_t now_ns);
/** Releases the job's budget, and its place in a lane; returns the devices that gained memory. */
uint32_t sg_account_unhold(struct sg_region *r, uint32_t job, uint64_t now_ns);
/** Updates since when the job holds memory. Callers that change held memory elsewhere call it
 * afterwards. */
void sg_account_held(struct sg_region *r, uint32_t job, uint64_t now_ns);
void sg_account_held_of_all(struct sg_region *r, uint64_t now_ns);
/** Adds a finished wait to the job's sums. Call it after the waiter's record says that the wait is
 * over; since_ns must still hold the start of the wait. `place`: where it stood in the queue; any
 * other number is right, too, and slower. */
void sg_account_wait(struct sg_region *r, uint32_t job, const struct sg_waiter *w, uint32_t place,
                     uint64_t now_ns);
/** Counts a waiter with the highest ticket, just before its state says that it waits. */
void sg_account_queued(struct sg_region *r, uint32_t waiter);
/** Removes a waiter from the counts; its record must still hold the request. Returns its place in
 * the queue until now. */
uint32_t sg_account_unqueued(struct sg_region *r, uint32_t waiter);
/** Subtracts all that an active job adds to the sums of the devices. None of its requests may be
 * queued. */
void sg_account_ended(struct sg_region *r, uint32_t job);
void sg_lower_client_mark(struct sg_region *r);
void sg_lower_job_mark(struct sg_region *r);

#endif
