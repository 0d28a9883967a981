/*
 * Sets of kernels that have not finished yet: what a stream has still to do, what an event waits
 * for. A set that is in the list loses its tasks as they finish. All functions: driver locked.
 */
#ifndef EMULATED_GPU_WORK_H
#define EMULATED_GPU_WORK_H

#include <stdint.h>

struct work_set {
  uint64_t tasks;
  uint64_t finished_ns; /* when the last of those that left it finished */
  struct work_set *next, *previous;
};

void work_set_add(struct work_set *set);
void work_set_remove(struct work_set *set);

/* Brings all sets in the list up to now. */
void work_update(void);

/* Waits, with the driver unlocked, until the tasks have finished. */
void work_wait(uint64_t tasks);

/* Launches a kernel after the given tasks; returns the set of it alone, empty for 0 ns after
 * nothing. Waits while the process has as many tasks as there can be. */
uint64_t work_launch(unsigned device, unsigned context, uint64_t duration_ns, uint64_t after);

/* The tasks of a context that have not finished. */
uint64_t work_of_context(unsigned context);

/* A context is gone: its kernels stop. */
void work_abandon(unsigned context);

#endif
