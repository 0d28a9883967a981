/*
 * late.h - memory that is reserved, but that the driver does not have yet. A process counts as dead
 * once its address space is gone; the driver frees its device memory some time later, when it has
 * stopped its kernels. So an allocation whose reservation fits may fail for a while. It is repeated
 * with pauses, for at most SGP_LATE_SECONDS. If that was in vain, somebody uses memory that nobody
 * reserved: then later allocations of this process wait for the first two pauses only, until one
 * succeeds after a pause.
 */
#ifndef SGP_LATE_H
#define SGP_LATE_H

#include <stdbool.h>

#define SGP_LATE_SECONDS 10

/**
 * Pauses before the next call of the driver; false if there shall be none.
 *
 * @param device  ordinal, for the message; SGP_NO_DEVICE if it is not known
 * @param pauses  so many were there before, for the same allocation
 */
bool sgp_late_memory_pause(int device, unsigned pauses);

/** Length of a pause; only a test changes it. */
extern long sgp_late_pause_ns;

/** The memory came after at least one pause. */
void sgp_late_memory_came(void);

#endif
