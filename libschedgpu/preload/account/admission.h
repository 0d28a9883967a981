/*
 * admission.h - the life of a context: admit it, let the driver make it, remember it.
 */
#ifndef SGP_ADMISSION_H
#define SGP_ADMISSION_H

#include "charge.h"

/** Admits a context on `device`. `*context` is filled as far as known. */
struct sgp_charge sgp_admit(CUdevice device, bool primary, struct sgp_context *context);

/** Remembers the context, or leaves it if there is none or it was admitted before. */
void sgp_admit_settle(const struct sgp_charge *charge, CUresult result,
                      struct sgp_context *context);

/** A reference to the primary context went: if it was the last, what the context owned is gone. */
void sgp_primary_released(CUdevice device);

#endif
