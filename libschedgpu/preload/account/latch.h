/*
 * latch.h - a lock for a few instructions: one exchange to take it and a plain store to release it,
 * at half the price of a mutex, because every allocation takes it. A thread that finds it taken for
 * long sleeps, as the owner may need this CPU.
 */
#ifndef SGP_LATCH_H
#define SGP_LATCH_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef _Atomic uint32_t sgp_latch;

#define SGP_LATCH_SPINS 100

/** Not nanosleep(): no thread may be cancelled here. */
__attribute__((noinline, cold, unused)) static void sgp_latch_wait(sgp_latch *latch) {
  for (uint32_t i = 0; atomic_load_explicit(latch, memory_order_relaxed) != 0; i++)
    if (i >= SGP_LATCH_SPINS)
      syscall(SYS_nanosleep, &(struct timespec){0, 50000}, NULL);
}

static inline void sgp_latch_take(sgp_latch *latch) {
  while (atomic_exchange_explicit(latch, 1, memory_order_acquire) != 0)
    sgp_latch_wait(latch);
}

static inline void sgp_latch_give(sgp_latch *latch) {
  atomic_store_explicit(latch, 0, memory_order_release);
}

#endif
