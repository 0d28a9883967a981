/*
 * Time that passes without the device: a sleep in the place of a computation on the CPU. Sleeps
 * last a little too long, the more so on a loaded host; what one took too long is taken off the
 * next. Times are ns of CLOCK_MONOTONIC. Not thread-safe.
 */
#ifndef DEMO_PACE_H
#define DEMO_PACE_H

#include <stdint.h>

uint64_t pace_now_ns(void);

/* Sleeps. */
void pace_compute_ns(uint64_t ns);

#endif
