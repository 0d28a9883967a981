/*
 * growth.h - growable budgets: jobs of mode peak whose requests beyond the budget wait for
 * memory.
 */
#ifndef SG_GROWTH_H
#define SG_GROWTH_H

#include "../layout/access.h"

/** What a process has of the held budget: leased (it may use that without the lock), or granted
 * and not taken yet. */
uint64_t sg_client_taken(const struct sg_region *r, uint32_t slot, uint32_t device);
/** Bytes granted to processes of the job and not taken yet. */
uint64_t sg_granted_of_budget(const struct sg_region *r, uint32_t job, uint32_t device);
/** Bytes leased and granted to the job, summed over the clients and waiters; ignores the job's
 * record. */
uint64_t sg_taken_by_records(const struct sg_region *r, uint32_t job, uint32_t device);
/** Takes unused leases back from the waiting processes of jobs with a growable budget, on all
 * devices. From then on they count as free. */
void sg_pull_back_leases(struct sg_region *r);
/** Releases growth on the device that is not taken and then sets `gave_back`. True if any job
 * holds growth. */
bool sg_release_growth(struct sg_region *r, uint32_t device, bool *gave_back);
/** What is left of the held budget. Unused leases count as left, since they can be taken back. */
uint64_t sg_left_of_budget(const struct sg_region *r, uint32_t job, uint32_t device);
/** Enlarges the held budget by the bytes that the request lacks; false if they are not free. */
bool sg_grow_budget(struct sg_region *r, const struct sg_waiter *w);
/* account.c */
/** Enlarges or shrinks the held budget. */
void sg_account_growth(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                       uint64_t minus);
/* leases.c */
/** Lowers a lease to what is in use and returns the units taken back. */
uint64_t sg_lease_take_back(_Atomic uint64_t *lease);

#endif
