/* rules.h - which request is granted and which one waits: docs/reference/rules.md. */
#ifndef SG_RULES_H
#define SG_RULES_H

#include "../layout/access.h"

/* --- serving (serve.c) --- */
/** Serves all queues under the policy: a change on one device may matter on another. */
void sg_serve(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes);
/** Position of a waiter in its queue by ticket, 1 = oldest. */
uint32_t sg_place(const struct sg_region *r, uint32_t waiter);
int sg_policy_set(struct sg_region *r, uint32_t policy, uint64_t now_ns, struct sg_wakes *wakes);

/* --- what fits (fits.c) --- */
/** True if the memory that the request needs is free, whether or not the grant would be safe. A
 * cheap first check. */
bool sg_has_room(const struct sg_region *r, const struct sg_waiter *waiter);
/** True if the waiter's request could be granted now. */
bool sg_fits(const struct sg_region *r, const struct sg_waiter *waiter);

/* --- the largest need (admission.c) --- */
/** Adds up each job's need. Call it after any change, before sg_fits() for a context. */
void sg_note_needs(struct sg_region *r);
/** Adds the need of a request that does not stand in the queue yet. */
void sg_note_need(struct sg_region *r, const struct sg_waiter *draft);

/* --- granting (grant.c) --- */
/** Reserves and counts what a request needs; false if another process was faster. `w` must fit, or
 * ask for a part of what its job has. */
bool sg_reserve(struct sg_region *r, const struct sg_waiter *w, uint64_t now_ns);
/**
 * Grants a waiting request that fits: the request, the admission of its job, or the budget of its
 * job and all requests that wait for it. False: nothing was granted, as another process was faster.
 */
bool sg_grant(struct sg_region *r, uint32_t waiter, uint64_t now_ns, struct sg_wakes *wakes);
/** Grants the contexts that admissions have reserved to the requests that wait for them on the
 * device; true if there was one. */
bool sg_grant_covered(struct sg_region *r, uint32_t device, uint64_t now_ns,
                      struct sg_wakes *wakes);

/* --- safety (deadlock.c, banker.c; both use reduction.c) --- */
/** True if this is a request for memory of a process that holds memory, so that others may wait
 * for it. */
bool sg_holds_and_waits(const struct sg_region *r, const struct sg_waiter *w);
/** True if the wait for this request can end even if every blocked client stays blocked. */
bool sg_wait_can_end(const struct sg_region *r, uint32_t waiter);
/** True if, with so many more bytes of contexts on each device, all waiters that hold memory could
 * still be served. `granted` is a request to count as granted, or NULL. */
bool sg_contexts_are_safe(const struct sg_region *r, const struct sg_waiter *granted,
                          const uint64_t bytes[SCHEDGPU_MAX_DEVICES]);
/** The banker's condition: true if every job with a claim could still finish after this grant. */
bool sg_grant_is_safe(const struct sg_region *r, const struct sg_waiter *waiter);

#endif
