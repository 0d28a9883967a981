/*
 * need.h - a request over the devices of its job: what it needs of each, beside what is reserved
 * for it already, and whether that is free. By memory alone; as things are, or as they would be.
 */
#ifndef SG_NEED_H
#define SG_NEED_H

#include "overflow.h"
#include "reduction.h"

/** What the request needs of a device; `red` is NULL, or a reduction: then in its state. */
uint64_t sg_need(const struct sg_region *r, const struct sg_reduction *red,
                 const struct sg_waiter *w, uint32_t device);
/** Whether that is free on each device. */
bool sg_need_is_free(const struct sg_region *r, const struct sg_reduction *red,
                     const struct sg_waiter *w);
/** What a request for memory needs of a device while its job does not hold. */
uint64_t sg_need_with_budget(const struct sg_region *r, const struct sg_waiter *w, uint32_t device);
/** True of a request for a context that is among those which its job's admission reserved. */
bool sg_is_covered(const struct sg_region *r, const struct sg_reduction *red,
                   const struct sg_waiter *w);

#endif
