/*
 * need.h - the memory that a request needs on each device of its job, beyond what is reserved for
 * it already, and whether that memory is free: now, or in the state of a reduction.
 */
#ifndef SG_NEED_H
#define SG_NEED_H

#include "reduction.h"

/**
 * The size of a request, by which a policy may order requests: its bytes, or in mode `peak` and
 * `gate` the bytes that it needs on all devices of its job together while the job holds no budget.
 */
uint64_t sg_request_size(const struct sg_region *r, const struct sg_waiter *w);
/** Bytes that the request needs on a device. `red` is NULL, or a reduction whose state counts. */
uint64_t sg_need(const struct sg_region *r, const struct sg_reduction *red,
                 const struct sg_waiter *w, uint32_t device);
/** True if what the request needs is free on each device. */
bool sg_need_is_free(const struct sg_region *r, const struct sg_reduction *red,
                     const struct sg_waiter *w);
/** Bytes that a request for memory needs on a device while its job does not hold its budget. */
uint64_t sg_need_with_budget(const struct sg_region *r, const struct sg_waiter *w, uint32_t device);
/** True for a request for a context that the admission of its job has reserved. */
bool sg_is_covered(const struct sg_region *r, const struct sg_reduction *red,
                   const struct sg_waiter *w);

#endif
