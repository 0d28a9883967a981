/*
 * view.h - what a program is told of a device, whoever it asks
 * (docs/explanation/what-programs-see): its job's budget, or else what the device can give to jobs,
 * is its device, and only its own job uses it. So the answer never changes with a neighbour.
 */
#ifndef SGP_VIEW_H
#define SGP_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct sgp_view {
  uint64_t total_bytes;
  uint64_t free_bytes;
};

/** Of a device of this process, by ordinal. False: nothing is known, the driver's answer stands. */
bool sgp_view_of(int device, struct sgp_view *view);

#endif
