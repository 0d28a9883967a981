/* rhythm.c - see rhythm.h. */
#include "rhythm.h"
#include "bare_lock.h"
#include "clock.h"
#include "cpus.h"
#include "must.h"
#include <sched.h>

#define ASLEEP_NS (150 * NS_PER_US) /* after this time the waiter sleeps: it needs some 20 us */
#define YIELD_NS (200 * NS_PER_US)
#define NAP_NS (50 * NS_PER_US)

static void nothing_to_hold(struct rhythm *rhythm, uint32_t round) {
  (void)rhythm, (void)round;
}

static void wake_futex(struct rhythm *rhythm, uint32_t round) {
  atomic_store(&rhythm->futex, round);
  futex_call(&rhythm->futex, FUTEX_WAKE, 1);
}

static void wait_futex(struct rhythm *rhythm, uint32_t round) {
  while (atomic_load(&rhythm->futex) != round)
    futex_call(&rhythm->futex, FUTEX_WAIT, round - 1);
}

static void nothing_to_do(void) {}

const struct mechanism bare_wake = {nothing_to_hold, wake_futex, wait_futex, nothing_to_do};

/** A process that yields for long loses its place in the order of its CPU, and is late when it is
 * woken; so one that waits for long sleeps. */
static void await_round(_Atomic uint32_t *counter, uint32_t round) {
  uint64_t start_ns = now_ns();
  while (atomic_load(counter) < round)
    if (now_ns() - start_ns < YIELD_NS)
      sched_yield();
    else
      sleep_ns(NAP_NS);
}

void rhythm_wait(struct rhythm *rhythm, const struct mechanism *mechanism) {
  pin_first();
  for (uint32_t round = 1; round <= rhythm->rounds; round++) {
    await_round(&rhythm->held, round);
    atomic_store(&rhythm->ready, round);
    mechanism->wait(rhythm, round);
    MUST(atomic_load(&rhythm->released) == round);
    rhythm->ns[round - 1] = (double)(now_ns() - rhythm->released_ns);
    mechanism->done();
    atomic_store(&rhythm->done, round);
  }
}

void rhythm_release(struct rhythm *rhythm, const struct mechanism *mechanism) {
  if (rhythm->place == SAME_CPU)
    pin_first();
  else
    pin_last();
  for (uint32_t round = 1; round <= rhythm->rounds; round++) {
    mechanism->hold(rhythm, round);
    atomic_store(&rhythm->held, round);
    await_round(&rhythm->ready, round);
    if (rhythm->place == SAME_CPU)
      sleep_ns(ASLEEP_NS);
    else
      spin_ns(ASLEEP_NS);
    atomic_store(&rhythm->released, round);
    rhythm->released_ns = now_ns();
    mechanism->let_go(rhythm, round);
    await_round(&rhythm->done, round);
  }
}
