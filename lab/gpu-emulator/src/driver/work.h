/*
 * work.h - sets of kernels that have not finished: of a stream, or of an event. A set in the list
 * loses its tasks when they finish. Call all functions with the driver locked.
 */
#ifndef EMULATED_GPU_WORK_H
#define EMULATED_GPU_WORK_H

#include <stdint.h>

struct work_set {
  uint64_t tasks;
  uint64_t finished_ns; /* when the last task that has left the set finished */
  struct work_set *next, *previous;
};

void work_set_add(struct work_set *set);
void work_set_remove(struct work_set *set);

/* Updates all sets in the list to the present time. */
void work_update(void);

/* Waits, with the driver unlocked, until the tasks have finished. */
void work_wait(uint64_t tasks);

/* Launches a kernel after the given tasks. Returns a set with only this task; an empty one for 0 ns
 * after no task. Waits while the process has the maximum number of tasks. */
uint64_t work_launch(unsigned device, unsigned context, uint64_t duration_ns, uint64_t after);

/* The unfinished tasks of a context. */
uint64_t work_of_context(unsigned context);

/* Stops the kernels of a context that is gone. */
void work_abandon(unsigned context);

#endif
