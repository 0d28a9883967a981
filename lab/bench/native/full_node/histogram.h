/* histogram.h - any number of times in a fixed amount of memory, with an error of at most 1.6 %. */
#ifndef FULL_NODE_HISTOGRAM_H
#define FULL_NODE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_FINE 64
#define HISTOGRAM_BUCKETS (60 * HISTOGRAM_FINE)

struct histogram {
  uint64_t count;
  uint64_t most_ns;
  uint64_t bucket[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *histogram, uint64_t ns);
/** The percentile in ms, at most one bucket too large. 0 if there are no values. */
double histogram_ms(const struct histogram *histogram, double percent);

#endif
