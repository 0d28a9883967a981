/* samples.h - measured times, in nanoseconds per operation. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stddef.h>

struct samples {
  double *ns;
  size_t count;
  size_t capacity;
};

/** Room for `capacity` samples; more are dropped. Free with samples_free(). */
struct samples samples_new(size_t capacity);
void samples_free(struct samples *samples);
void samples_add(struct samples *samples, double ns);
/** The smallest sample that at least `percent` of all do not exceed. Sorts. Needs one sample. */
double samples_percentile(struct samples *samples, double percent);

#endif
