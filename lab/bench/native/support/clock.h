/* clock.h - CLOCK_MONOTONIC, and busy waiting. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static inline void spin_ns(uint64_t ns) {
  uint64_t end_ns = now_ns() + ns;
  while (now_ns() < end_ns) {
  }
}

static inline void sleep_ns(uint64_t ns) {
  struct timespec t = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
  nanosleep(&t, NULL);
}

#endif
