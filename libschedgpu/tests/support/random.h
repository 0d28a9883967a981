/*
 * random.h - random numbers from a seed. A test that uses them prints its seed; SG_SEED=... sets
 * it.
 */
#ifndef SG_TEST_RANDOM_H
#define SG_TEST_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t seed;

static inline uint64_t draw(uint64_t below) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (seed >> 33) % below;
}

static inline bool seed_is_given(void) {
  return getenv("SG_SEED") != NULL;
}

/** The seed from SG_SEED, or a new one each time. */
static inline uint64_t seed_of_run(void) {
  return seed_is_given() ? strtoull(getenv("SG_SEED"), NULL, 10) : (uint64_t)time(NULL);
}

#endif
