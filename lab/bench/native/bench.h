/*
 * bench.h - the measurements. Each runs in its own process and on its own node. It reports its
 * result (report.h) together with a limit that it measures in the same way.
 */
#ifndef BENCH_H
#define BENCH_H

#include "support/samples.h"
#include <stdint.h>

/** `full`, or a small number with --quick, which only shows that everything works. */
size_t sample_count(size_t full);
/** The same for the time limit of a measurement. */
uint64_t time_limit_ns(uint64_t full_ns);

/* The measurements, one file each. */
void measure_reserve_release(void);
void measure_contended(void);
void measure_life_cycle(void);
void measure_hand_off(void);
void measure_turn_switch(void);
void measure_shared_lane_switch(void);
void measure_turn(void);
void measure_launch(void);
void measure_kill_to_waiter(void);
void measure_in_budget_alloc(void);
void measure_queue_pass(void);
void measure_attached(void);
void measure_hooks(void);
void measure_run_command(void);
void measure_command_start(void);
void measure_figure_9(void);

/* A pair of measurements (support/compare.h). */
struct comparison;
/** Times reserve and release of this process, which it attaches, beside two pairs of a bare
 * lock. */
void compare_reserve_release(struct samples *ours, struct samples *limit);
/** Times whole life cycles of new processes; `limit` may be NULL. */
void run_life_cycles(const char *dir, struct samples *ours, struct samples *limit);

#endif
