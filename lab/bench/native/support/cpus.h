/* cpus.h - pins a process to a CPU, where that is part of the measurement. */
#ifndef BENCH_CPUS_H
#define BENCH_CPUS_H

#include <stdbool.h>

/** Pins the calling process to the first, or the last, CPU that the bench may use. */
void pin_first(void);
void pin_last(void);
/** True if these are two CPUs. */
bool two_cpus(void);

#endif
