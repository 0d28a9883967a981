/* banker.h - the banker's condition, checked from a state of a reduction. */
#ifndef SG_BANKER_H
#define SG_BANKER_H

#include "reduction.h"

/**
 * The banker's condition (banker.c): true if every job with a claim could still get all of it, one
 * after the other, after `w` (or nothing, if NULL) is granted too. Processes keep their contexts
 * from here on. Uses up `red`.
 */
bool sg_claims_are_covered(const struct sg_region *r, struct sg_reduction *red,
                           const struct sg_waiter *w);

#endif
