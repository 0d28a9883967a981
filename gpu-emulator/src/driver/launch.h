/* What a launch and a kernel node have in common. */
#ifndef EMULATED_GPU_LAUNCH_H
#define EMULATED_GPU_LAUNCH_H

#include "code.h"

/* How long a kernel with these parameters lasts. */
uint64_t kernel_duration_ns(CUkernel kernel, void **params, void **extra);

#endif
