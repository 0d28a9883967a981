/*
 * pace.h - time that passes without the device: a sleep in place of a computation on the CPU.
 * Sleeps last a little too long, more so on a loaded host; the excess of one sleep is subtracted
 * from the next. Times are ns of CLOCK_MONOTONIC. Not thread-safe.
 */
#ifndef DEMO_PACE_H
#define DEMO_PACE_H

#include <stdint.h>

uint64_t pace_now_ns(void);

/* Returns at once if the time is over. */
void pace_sleep_until_ns(uint64_t ns);

/* Sleeps for `ns`, less the excess of earlier sleeps. */
void pace_compute_ns(uint64_t ns);

#endif
