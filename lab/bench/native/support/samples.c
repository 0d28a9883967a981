/* samples.c - see samples.h. */
#include "samples.h"
#include "must.h"
#include <math.h>

struct samples samples_new(size_t capacity) {
  struct samples s = {.ns = malloc(capacity * sizeof *s.ns), .capacity = capacity};
  MUST(s.ns);
  return s;
}

void samples_free(struct samples *s) {
  free(s->ns);
  *s = (struct samples){0};
}

void samples_add(struct samples *s, double ns) {
  if (s->count < s->capacity)
    s->ns[s->count++] = ns;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double samples_percentile(struct samples *s, double percent) {
  MUST(s->count > 0);
  qsort(s->ns, s->count, sizeof *s->ns, by_value);
  size_t rank = (size_t)ceil(percent / 100 * (double)s->count);
  return s->ns[rank > 0 ? rank - 1 : 0];
}
