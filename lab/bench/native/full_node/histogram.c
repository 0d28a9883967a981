/*
 * histogram.c - see histogram.h. The width of buckets grows with their values, as in HdrHistogram.
 */
#include "histogram.h"

static uint32_t bucket_of(uint64_t ns) {
  if (ns < HISTOGRAM_FINE)
    return (uint32_t)ns;
  uint32_t shift = 63 - (uint32_t)__builtin_clzll(ns) - 5; /* leaves 32 to 63 */
  return shift * (HISTOGRAM_FINE / 2) + (uint32_t)(ns >> shift);
}

static uint64_t highest_in(uint32_t bucket) {
  if (bucket < HISTOGRAM_FINE)
    return bucket;
  uint32_t shift = bucket / (HISTOGRAM_FINE / 2) - 1;
  uint64_t part = bucket - (uint64_t)shift * (HISTOGRAM_FINE / 2);
  return ((part + 1) << shift) - 1;
}

void histogram_add(struct histogram *h, uint64_t ns) {
  h->count++;
  h->bucket[bucket_of(ns)]++;
  if (ns > h->most_ns)
    h->most_ns = ns;
}

double histogram_ms(const struct histogram *h, double percent) {
  uint64_t seen = 0, wanted = (uint64_t)((double)h->count * percent / 100.0 + 0.999999);
  if (percent >= 100.0 || h->count == 0)
    return (double)h->most_ns / 1e6;
  for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    seen += h->bucket[i];
    if (seen >= wanted && seen > 0) {
      uint64_t ns = highest_in(i);
      return (double)(ns < h->most_ns ? ns : h->most_ns) / 1e6;
    }
  }
  return (double)h->most_ns / 1e6;
}
