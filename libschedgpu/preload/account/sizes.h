/* sizes.h - arithmetic on sizes that a program requests. An overflow gives the maximum. */
#ifndef SGP_SIZES_H
#define SGP_SIZES_H

#include <stdint.h>

/* Rows begin at multiples of this, as a first guess; it is also the unit of the account. */
#define SGP_PITCH_BYTES UINT64_C(512)

static inline uint64_t sgp_times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline uint64_t sgp_plus(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t sgp_round_up(uint64_t value, uint64_t multiple) {
  return value > UINT64_MAX - multiple ? value : (value + multiple - 1) / multiple * multiple;
}

/** Rounds up to units of the account. */
static inline uint64_t sgp_units(uint64_t bytes) {
  return sgp_round_up(bytes, SGP_PITCH_BYTES);
}

static inline uint64_t sgp_minus(uint64_t a, uint64_t b) {
  return a > b ? a - b : 0;
}

static inline uint64_t sgp_smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

#endif
