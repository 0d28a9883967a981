/*
 * footprint.h - the memory that the nodes of a graph allocate, by device.
 */
#ifndef SGP_FOOTPRINT_H
#define SGP_FOOTPRINT_H

#include "../../abi/driver_abi.h"
#include "schedgpu/admin.h"
#include <stdbool.h>

#define SGP_FOOTPRINT_DEVICES SCHEDGPU_MAX_DEVICES

struct sgp_footprint {
  bool allocates; /**< there is a node that allocates, wherever */
  bool any;       /**< on a device of the job */
  struct {
    CUdevice device;
    uint64_t most;             /**< without reuse of memory within the graph */
    uint64_t least;            /**< memory freed outside, and the largest allocation freed inside */
  } on[SGP_FOOTPRINT_DEVICES]; /**< by ordinal */
};

/** The footprint of a graph with the graphs inside it. Empty if the driver does not report it. */
struct sgp_footprint sgp_footprint_of(CUgraph graph);

#endif
