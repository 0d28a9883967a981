/* compare.c - see compare.h. */
#include "compare.h"
#include "clock.h"

#define BLOCK 64
#define LEAST 3

static double time_of(const struct comparison *c, void (*operation)(void *),
                      void (*before)(void *)) {
  if (before)
    before(c->argument);
  uint64_t start_ns = now_ns();
  for (unsigned i = 0; i < c->batch; i++)
    operation(c->argument);
  uint64_t took_ns = now_ns() - start_ns;
  return (double)took_ns / c->batch / (c->divisor ? c->divisor : 1);
}

static int goes_on(const struct comparison *c, const struct samples *s, uint64_t end_ns) {
  return s->count < c->samples && (s->count < LEAST || now_ns() < end_ns);
}

void compare(const struct comparison *c, struct samples *ours, struct samples *limit) {
  *ours = samples_new(c->samples);
  *limit = samples_new(c->samples);
  uint64_t end_ns = now_ns() + c->time_ns;
  time_of(c, c->ours, c->before_ours); /* warm-up */
  time_of(c, c->limit, NULL);
  while (goes_on(c, ours, end_ns)) {
    size_t block = ours->count;
    for (int i = 0; i < BLOCK && goes_on(c, ours, end_ns); i++)
      samples_add(ours, time_of(c, c->ours, c->before_ours));
    for (block = ours->count - block; block > 0; block--)
      samples_add(limit, time_of(c, c->limit, NULL));
  }
}
