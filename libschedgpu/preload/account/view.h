/*
 * view.h - the device memory that a program sees, whichever interface it asks
 * (docs/explanation/what-programs-see.md): the total is its job's budget, or else what the device
 * can give to jobs, and the use is that of its job. So the answer never depends on other jobs.
 */
#ifndef SGP_VIEW_H
#define SGP_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct sgp_view {
  uint64_t total_bytes;
  uint64_t free_bytes;
};

/**
 * The view of a device of this process, by ordinal. False: unknown, the driver's answer is passed
 * on.
 */
bool sgp_view_of(int device, struct sgp_view *view);

#endif
