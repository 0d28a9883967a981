/* banker.h - the banker's condition, from a state of a reduction on. */
#ifndef SG_BANKER_H
#define SG_BANKER_H

#include "reduction.h"

/**
 * The banker's condition from here on (banker.c): whether, if `w` (or nothing, if NULL) were
 * granted too, every job with a claim could still get all of it, one after the other. Contexts stay
 * from here on. Uses up `red`.
 */
bool sg_claims_are_covered(const struct sg_region *r, struct sg_reduction *red,
                           const struct sg_waiter *w);

#endif
