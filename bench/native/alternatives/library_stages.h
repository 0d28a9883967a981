/* library_stages.h - a client's stages by the library's own calls, whoever writes the region. */
#ifndef BENCH_LIBRARY_STAGES_H
#define BENCH_LIBRARY_STAGES_H

#include "approach.h"

int library_init(void);
int library_reserve(uint64_t bytes, int64_t timeout_ns);
int library_release(uint64_t bytes);
int library_shut_down(void);

#endif
