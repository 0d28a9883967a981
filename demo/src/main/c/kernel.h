/* The kernel of all programs, in PTX so that a build needs no CUDA compiler: it spins for a time.
 */
#ifndef DEMO_KERNEL_H
#define DEMO_KERNEL_H

#define KERNEL_NAME "busy_ns"

extern const char kernel_ptx[];

#endif
