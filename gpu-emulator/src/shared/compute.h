/*
 * Compute: all kernels that run on a device at a time, of whatever process, get equal shares of it.
 *
 * Nothing runs by itself. Whoever looks at a device first brings its simulation up to now, so a
 * stopped process's kernels go on, and results do not depend on who looks when. All functions: with
 * the state locked; times in ns of CLOCK_MONOTONIC.
 */
#ifndef EMULATED_GPU_COMPUTE_H
#define EMULATED_GPU_COMPUTE_H

#include "state.h"

enum { SAMPLE_PERIOD_NS = 200000000 };

/* Brings a device up to now_ns. */
void compute_advance(struct shared_state *state, unsigned device, uint64_t now_ns);

/* Adds a kernel to a device that was just advanced to now. It starts when the tasks `after`, all of
 * the same device, have finished; its duration must not be 0. Returns its index, or -1 when the
 * process has 64 tasks. */
int compute_submit(struct shared_state *state, unsigned slot, const struct task *task);

/* The tasks of a process that have not finished. */
uint64_t compute_unfinished(const struct shared_state *state, unsigned slot);

/* Forgets finished tasks; their indexes may be used again. */
void compute_forget(struct shared_state *state, unsigned slot, uint64_t tasks);

/* How long, from the device's clock, until the next kernel finishes; UINT64_MAX when none runs. */
uint64_t compute_next_finish_ns(const struct shared_state *state, unsigned device);

/* Time in which the device has really run kernels, up to its last advance. */
uint64_t compute_busy_ns(const struct shared_state *state, unsigned device);

/* The share of the last full sample period in which the device was busy, 0-100. */
unsigned compute_utilization(const struct shared_state *state, unsigned device);

#endif
