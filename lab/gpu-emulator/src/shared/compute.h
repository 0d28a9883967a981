/*
 * compute.h - compute time: all kernels that run on a device at the same time get equal shares of
 * it, whatever their processes.
 *
 * Nothing runs by itself. Each reader of a device first advances its simulation to the present
 * time. So the kernels of a stopped process go on, and results do not depend on the reader. Call
 * all functions with the state locked. Times are ns of CLOCK_MONOTONIC.
 */
#ifndef EMULATED_GPU_COMPUTE_H
#define EMULATED_GPU_COMPUTE_H

#include "state.h"

enum { SAMPLE_PERIOD_NS = 200000000 };

/* Advances a device to now_ns. */
void compute_advance(struct shared_state *state, unsigned device, uint64_t now_ns);

/*
 * Adds a kernel to a device that was just advanced to now. It starts when the tasks `after`, all of
 * the same device, have finished. Its duration must not be 0. Returns its index, or -1 if the
 * process has 64 tasks.
 */
int compute_submit(struct shared_state *state, unsigned slot, const struct task *task);

/* The unfinished tasks of a process. */
uint64_t compute_unfinished(const struct shared_state *state, unsigned slot);

/* Forgets finished tasks; their indexes may be used again. */
void compute_forget(struct shared_state *state, unsigned slot, uint64_t tasks);

/* The time from the device's clock until the next kernel finishes; UINT64_MAX if none runs. */
uint64_t compute_next_finish_ns(const struct shared_state *state, unsigned device);

/* The time in which the device has run kernels, up to its last advance. */
uint64_t compute_busy_ns(const struct shared_state *state, unsigned device);

/* The share, 0 to 100, of the last full sample period in which the device was busy. */
unsigned compute_utilization(const struct shared_state *state, unsigned device);

#endif
