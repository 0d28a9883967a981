/*
 * library_stages.h - the stages of a client as calls of the library, for all approaches that use
 * it.
 */
#ifndef BENCH_LIBRARY_STAGES_H
#define BENCH_LIBRARY_STAGES_H

#include "approach.h"

int library_init(void);
int library_reserve(uint64_t bytes, int64_t timeout_ns);
int library_release(uint64_t bytes);
int library_shut_down(void);

#endif
