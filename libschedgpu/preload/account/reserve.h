/* reserve.h - requests of a hook that may wait, as the job does. */
#ifndef SGP_RESERVE_H
#define SGP_RESERVE_H

#include "../join/schedule.h"

/** Reserves, with the job's wait (first_try.h). Prints a message if it refuses. */
struct sgp_verdict sgp_reserve(int device, uint64_t bytes);
/** Admits a context, waiting as the job does. */
struct sgp_verdict sgp_admit_context(int device);

void sgp_reserve_after_fork(void);

#endif
