/* processes.h - the processes of a measurement, and the memory that they share. */
#ifndef BENCH_PROCESSES_H
#define BENCH_PROCESSES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Zeroed memory that all processes share that are forked later. */
void *shared_new(size_t size);
void shared_free(void *shared, size_t size);

/** Runs `body` in a new process, which dies with this one. */
pid_t process_start(void (*body)(void *argument), void *argument);
/** Waits for its end, and checks that it succeeded. */
void process_await(pid_t pid);
/** Starts a process and waits for it. */
void process_run(void (*body)(void *argument), void *argument);
void process_kill(pid_t pid);

/** Lets many processes start together. */
struct gate {
  _Atomic uint32_t arrived;
  _Atomic uint32_t open;
};
void gate_enter(struct gate *gate);
/** Returns when `count` processes have arrived. */
void gate_await(struct gate *gate, uint32_t count);
void gate_open(struct gate *gate);

#endif
