/* compare.h - an operation of one process beside its limit. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include "samples.h"
#include <stdint.h>

struct comparison {
  void (*ours)(void *argument);
  void (*limit)(void *argument);
  void *argument;
  void (*before_ours)(void *argument); /**< restores the state, not timed; NULL: nothing to do */
  unsigned
      /** calls in one sample: several where the clock would cost too much; 1 with before_ours */
      batch;
  unsigned divisor; /**< operations in one call; 0 = 1 */
  size_t samples;
  uint64_t time_ns; /**< takes no more samples after this time, but at least three */
};

/** Measures both in turn, in short blocks, so that a disturbance of the machine affects both. The
 * caller frees the samples. */
void compare(const struct comparison *comparison, struct samples *ours, struct samples *limit);

#endif
