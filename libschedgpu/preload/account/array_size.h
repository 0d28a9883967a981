/*
 * array_size.h - estimates the memory of an array from its descriptor, for drivers that cannot be
 * asked.
 */
#ifndef SGP_ARRAY_SIZE_H
#define SGP_ARRAY_SIZE_H

#include "../../abi/driver_abi.h"

/** Bytes of an array with `levels` levels (1 for a plain array); never too few. */
uint64_t sgp_array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels);

#endif
