/*
 * bare_lock.h - the smallest possible lock between processes: one compare-and-swap to take it, one
 * exchange to free it, a futex while it is taken. It has no owner, no check for dead owners, and no
 * time-out. It is the limit for measurements of the region's lock.
 */
#ifndef BENCH_BARE_LOCK_H
#define BENCH_BARE_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BARE_FREE = 0, BARE_TAKEN = 1, BARE_WAITED_FOR = 2 };
#define BARE_SPINS 200

static inline long futex_call(_Atomic uint32_t *word, int operation, uint32_t value) {
  return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static inline int bare_try(_Atomic uint32_t *lock) {
  uint32_t unlocked = BARE_FREE;
  return atomic_compare_exchange_strong_explicit(lock, &unlocked, BARE_TAKEN, memory_order_acquire,
                                                 memory_order_relaxed);
}

static inline void bare_lock(_Atomic uint32_t *lock) {
  if (bare_try(lock))
    return;
  for (int i = 0; i < BARE_SPINS; i++)
    if (atomic_load_explicit(lock, memory_order_relaxed) == BARE_FREE && bare_try(lock))
      return;
  while (atomic_exchange_explicit(lock, BARE_WAITED_FOR, memory_order_acquire) != BARE_FREE)
    futex_call(lock, FUTEX_WAIT, BARE_WAITED_FOR);
}

static inline void bare_unlock(_Atomic uint32_t *lock) {
  if (atomic_exchange_explicit(lock, BARE_FREE, memory_order_release) == BARE_WAITED_FOR)
    futex_call(lock, FUTEX_WAKE, 1);
}

#endif
