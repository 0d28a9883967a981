/* admission.h - the life of a context: admit it, let the driver create it, record it. */
#ifndef SGP_ADMISSION_H
#define SGP_ADMISSION_H

#include "charge.h"

/** Admits a context on `device`. Fills `*context` as far as it is known. */
struct sgp_charge sgp_admit(CUdevice device, bool primary, struct sgp_context *context);

/** Records the context, or leaves it if there is none or it was admitted before. */
void sgp_admit_settle(const struct sgp_charge *charge, CUresult result,
                      struct sgp_context *context);

/**
 * A reference to the primary context was released. If it was the last one, memory of the context is
 * gone.
 */
void sgp_primary_released(CUdevice device);

#endif
