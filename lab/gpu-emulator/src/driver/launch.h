/* launch.h - the common part of a launch and a kernel node. */
#ifndef EMULATED_GPU_LAUNCH_H
#define EMULATED_GPU_LAUNCH_H

#include "code.h"

/* The duration of a kernel with these parameters, in ns. */
uint64_t kernel_duration_ns(CUkernel kernel, void **params, void **extra);

#endif
