/* driver_support.h - short calls of the driver for tests; all for use in child processes. */
#ifndef DRIVER_SUPPORT_H
#define DRIVER_SUPPORT_H

#include "test_support.h"
#include "cuda_abi.h"

#define OK(call) REQUIRE_EQUAL(call, CUDA_SUCCESS)

enum { MS = 1000000 };

/* Calls cuInit, and makes the primary context of the ordinal current. */
CUcontext use_device(int ordinal);

/* Free bytes of the current device. */
size_t free_bytes(void);
CUdeviceptr allocate(size_t bytes);

/* The kernel that is busy for a given time. */
CUfunction busy_kernel(void);
void launch_busy(CUfunction function, uint64_t ns, CUstream stream);

#endif
