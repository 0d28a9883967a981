/*
 * footprint.h - the memory that the nodes of a graph allocate, by device.
 */
#ifndef SGP_FOOTPRINT_H
#define SGP_FOOTPRINT_H

#include "../hooks/driver_abi.h"
#include <stdbool.h>

#define SGP_FOOTPRINT_DEVICES 16

struct sgp_footprint {
  bool allocates; /**< there is a node that allocates, wherever */
  bool any;       /**< on a device of the job */
  struct {
    CUdevice device;
    uint64_t most;  /**< as if nothing of it used the same memory */
    uint64_t least; /**< what is freed outside, and the largest of what is freed inside */
  } on[SGP_FOOTPRINT_DEVICES]; /**< by ordinal */
};

/** However the graph was made, with the graphs inside it. Empty if the driver does not say. */
struct sgp_footprint sgp_footprint_of(CUgraph graph);

#endif
