/* dice.h - all randomness comes from one printed seed: SG_SEED repeats the decisions. */
#ifndef STRESS_DICE_H
#define STRESS_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct dice {
  uint64_t state;
};

/** splitmix64 (Steele, Lea, Flood, OOPSLA 2014): any state is a good one. */
static inline uint64_t dice_next(struct dice *d) {
  uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/** Independent dice for part `a`, `b` of the run with `seed`. */
static inline struct dice dice_of(uint64_t seed, uint64_t a, uint64_t b) {
  struct dice d = {seed + a * UINT64_C(0x9e3779b97f4a7c15)};
  d.state = dice_next(&d) ^ b;
  d.state = dice_next(&d);
  return d;
}

/** 0 to n - 1. */
static inline uint64_t dice_below(struct dice *d, uint64_t n) {
  return dice_next(d) % n;
}

static inline bool dice_one_in(struct dice *d, uint64_t n) {
  return dice_below(d, n) == 0;
}

#endif
