/* compare.h - an operation of one process beside its limit. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include "samples.h"
#include <stdint.h>

struct comparison {
  void (*ours)(void *argument);
  void (*limit)(void *argument);
  void *argument;
  void (*before_ours)(void *argument); /**< puts things back, not timed; NULL: nothing to do */
  unsigned
      batch; /**< calls in one sample: more where the clock would be seen; 1 with before_ours */
  unsigned divisor; /**< operations in one call; 0 = 1 */
  size_t samples;
  uint64_t time_ns; /**< no more samples after this long, though at least three */
};

/**
 * Measures both in turn, in short blocks, so that what disturbs the machine disturbs both. The
 * caller frees the samples.
 */
void compare(const struct comparison *comparison, struct samples *ours, struct samples *limit);

#endif
