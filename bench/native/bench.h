/*
 * bench.h - the measurements. Each runs in a process of its own, on a node of its own, and reports
 * what it found (report.h) together with its limit, measured by the way.
 */
#ifndef BENCH_H
#define BENCH_H

#include "support/samples.h"
#include <stdint.h>

/** `full`, or a few if it is only to be seen that all of it works (--quick). */
size_t sample_count(size_t full);
/** The same for how long a measurement may take. */
uint64_t time_limit_ns(uint64_t full_ns);

/* One file each. */
void measure_reserve_release(void);
void measure_contended(void);
void measure_life_cycle(void);
void measure_hand_off(void);
void measure_kill_to_waiter(void);
void measure_in_budget_alloc(void);
void measure_queue_pass(void);
void measure_attached(void);
void measure_hooks(void);
void measure_run_command(void);
void measure_figure_9(void);

/* What two of them measure. */
struct comparison;
/** Reserve and release of this process, attached by it, beside two pairs of a bare lock. */
void compare_reserve_release(struct samples *ours, struct samples *limit);
/** Whole life cycles of fresh processes; `limit` may be NULL. */
void run_life_cycles(const char *dir, struct samples *ours, struct samples *limit);

#endif
