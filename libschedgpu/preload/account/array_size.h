/*
 * array_size.h - what an array takes, as far as its descriptor tells: for drivers that cannot be
 * asked.
 */
#ifndef SGP_ARRAY_SIZE_H
#define SGP_ARRAY_SIZE_H

#include "../hooks/driver_abi.h"

/** Bytes of an array with `levels` levels (a plain array: 1), rather too many than too few. */
uint64_t sgp_array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels);

#endif
