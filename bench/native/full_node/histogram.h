/* histogram.h - times of any number of events in a fixed size, 1.6 % exact. */
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
/** In milliseconds; no more than `percent` of all are longer than that by a bucket. 0 for none. */
double histogram_ms(const struct histogram *histogram, double percent);

#endif
