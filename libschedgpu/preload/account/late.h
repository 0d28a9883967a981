/*
 * late.h - waits for memory that is reserved, but that the driver does not have yet. A process
 * counts as dead once its address space is gone; the driver frees its device memory some time
 * later, when its kernels have stopped. So an allocation with a reservation may fail for a while.
 * It is repeated with pauses, for at most SGP_LATE_SECONDS. If that fails, unreserved memory is in
 * use: later allocations of this process wait for the first two pauses only, until one succeeds
 * after a pause.
 */
#ifndef SGP_LATE_H
#define SGP_LATE_H

#include <stdbool.h>

#define SGP_LATE_SECONDS 10

/**
 * Pauses before the next call of the driver. False if no pause is left.
 *
 * @param device ordinal, for the message; SGP_NO_DEVICE if unknown
 *
 * @param pauses earlier pauses for the same allocation
 */
bool sgp_late_memory_pause(int device, unsigned pauses);

/** Length of a pause; only a test changes it. */
extern long sgp_late_pause_ns;

/** The memory came after at least one pause. */
void sgp_late_memory_came(void);

#endif
