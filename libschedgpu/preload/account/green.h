/*
 * green.h - the green contexts of this process: parts of a primary context with fewer processors.
 * They own no memory.
 */
#ifndef SGP_GREEN_H
#define SGP_GREEN_H

#include "../../abi/driver_abi.h"
#include <stdatomic.h>
#include <stdbool.h>

/** Records that `context` stands for `green`. */
void sgp_green_add(CUcontext context, CUgreenCtx green);

/** True if `context` stands for a green context. */
bool sgp_is_green(CUcontext context);

/** Forgets the context that stands for `green`, and returns it; NULL if there is none. */
CUcontext sgp_green_remove(CUgreenCtx green);

/** Changes when the meaning of a CUcontext has changed: places that threads cached are void. */
extern _Atomic uint32_t sgp_places_epoch;
void sgp_places_changed(void);

void sgp_green_after_fork(void);

#endif
