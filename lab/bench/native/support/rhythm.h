/*
 * rhythm.h - two processes that hand something over, a thousand times: one holds it and lets it go,
 * the other one sleeps until it has it. Measured is the time from just before the first lets go
 * until the second runs again.
 */
#ifndef BENCH_RHYTHM_H
#define BENCH_RHYTHM_H

#include <stdatomic.h>
#include <stdint.h>

#define RHYTHM_ROUNDS 1000

enum place { OTHER_CPU, SAME_CPU };

/** In memory that both processes share. */
struct rhythm {
  _Atomic uint32_t held;     /**< round whose release is prepared */
  _Atomic uint32_t ready;    /**< round in which the waiter is about to wait */
  _Atomic uint32_t released; /**< round in which the other process lets go */
  _Atomic uint32_t done;     /**< round in which the waiter went on */
  _Alignas(64) _Atomic uint32_t futex;
  _Alignas(64) uint64_t released_ns;
  uint32_t rounds;
  enum place place;
  double ns[RHYTHM_ROUNDS];
};

/** How one side waits and the other side wakes it. */
struct mechanism {
  void (*hold)(struct rhythm *rhythm, uint32_t round);
  void (*let_go)(struct rhythm *rhythm, uint32_t round);
  void (*wait)(struct rhythm *rhythm, uint32_t round);
  void (*done)(void);
};

/** A bare futex: the limit. */
extern const struct mechanism bare_wake;
#define BARE_WAKE "a bare futex wake between two processes, in the same rhythm"

/** The part of each of the two processes. */
void rhythm_wait(struct rhythm *rhythm, const struct mechanism *mechanism);
void rhythm_release(struct rhythm *rhythm, const struct mechanism *mechanism);

#endif
