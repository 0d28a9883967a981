/* cpus.h - which CPU a process runs on, where that is part of what is measured. */
#ifndef BENCH_CPUS_H
#define BENCH_CPUS_H

#include <stdbool.h>

/** Keeps the calling process on the first, or on the last, of the CPUs that the bench may use. */
void pin_first(void);
void pin_last(void);
/** Whether these are two. */
bool two_cpus(void);

#endif
