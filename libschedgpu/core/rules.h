/* rules.h - who is given memory, and who waits: docs/reference/rules.md. */
#ifndef SG_RULES_H
#define SG_RULES_H

#include "access.h"

/* --- serving (serve.c) --- */
/** Serves all queues as the policy says: what changed on one device may matter on another. */
void sg_serve(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes);
/** Place of a waiter in its queue by sequence, 1 = oldest. */
uint32_t sg_place(const struct sg_region *r, uint32_t waiter);
int sg_policy_set(struct sg_region *r, uint32_t policy, uint64_t now_ns, struct sg_wakes *wakes);

/* --- what fits (fits.c) --- */
/** Whether what the waiter's request needs is free, safe or not: what does not fit for want of it
 * is found by this at little cost. */
bool sg_has_room(const struct sg_region *r, const struct sg_waiter *waiter);
/** Whether the waiter's request could be granted now. */
bool sg_fits(const struct sg_region *r, const struct sg_waiter *waiter);

/* --- the largest need (admission.c) --- */
/** Adds up what each job needs: before sg_fits() is asked about contexts, after any change. */
void sg_note_needs(struct sg_region *r);
/** What somebody asks for, before it stands in the queue, is needed too. */
void sg_note_need(struct sg_region *r, const struct sg_waiter *draft);

/* --- granting (grant.c) --- */
/** Reserves what a request needs, and counts it: false if a process was faster. `w` fits, or what
 * it asks for is part of what its job has. */
bool sg_reserve(struct sg_region *r, const struct sg_waiter *w, uint64_t now_ns);
/** Grants a request that waits and fits: it, the admission of its job, or the budget of its job and
 * all that waits for that. False: nothing was granted, as a process was faster. */
bool sg_grant(struct sg_region *r, uint32_t waiter, uint64_t now_ns, struct sg_wakes *wakes);
/** Grants the contexts that admissions have reserved to who waits for them on the device; whether
 * somebody did. */
bool sg_grant_covered(struct sg_region *r, uint32_t device, uint64_t now_ns,
                      struct sg_wakes *wakes);

/* --- safety (deadlock.c, banker.c; both use reduction.c) --- */
/** Whether this is a request for memory of a process that others may wait for: it holds some. */
bool sg_holds_and_waits(const struct sg_region *r, const struct sg_waiter *w);
/** Whether waiting for this request could ever end, if every blocked client stays blocked. */
bool sg_wait_can_end(const struct sg_region *r, uint32_t waiter);
/** Whether, with so many more bytes of contexts on each device, all who hold memory and wait could
 * still be served. `granted` is the request that would be done with, or NULL. */
bool sg_contexts_leave_a_way_out(const struct sg_region *r, const struct sg_waiter *granted,
                                 const uint64_t bytes[SCHEDGPU_MAX_DEVICES]);
/** The banker's condition: true if after this grant every job with a claim could still finish. */
bool sg_grant_is_safe(const struct sg_region *r, const struct sg_waiter *waiter);

#endif
