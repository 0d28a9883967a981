/*
 * kernel.h - the kernel of all programs, in PTX so that a build needs no CUDA compiler. Each of its
 * threads does a fixed amount of work, its only parameter; so the kernel takes longer on a shared
 * device. The emulator knows it by its name: there a unit of work is a nanosecond.
 */
#ifndef DEMO_KERNEL_H
#define DEMO_KERNEL_H

#include <stdint.h>

#define KERNEL_NAME "busy_ns"
#define KERNEL_THREADS 128

extern const char kernel_ptx[];

/* The parameter of a kernel that lasts `busy_ns` alone: DEMO_WORK_PER_NS units per ns, 1 by
 * default; at least 1. */
uint64_t kernel_work(uint64_t busy_ns);

/* Blocks of KERNEL_THREADS threads in a launch: DEMO_BLOCKS, 1 by default. */
unsigned kernel_blocks(void);

#endif
