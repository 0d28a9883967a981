/*
 * hand_off.c - the time from just before the release until the waiter runs again. The limit is a
 * wake of a bare futex in the same rhythm.
 */
#include "bench.h"
#include "support/bare_lock.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/cpus.h"
#include "support/lane_node.h"
#include "support/processes.h"
#include "support/report.h"
#include <sched.h>

#define ROUNDS 1000
#define BLOCKS 3
#define WHOLE_DEVICE (10 * GIB)
#define ASLEEP_NS (150 * NS_PER_US) /* after this time the waiter sleeps: it needs some 20 us */

enum place { OTHER_CPU, SAME_CPU };

struct rhythm {
  _Atomic uint32_t held;  /**< round whose release is prepared */
  _Atomic uint32_t ready; /**< round in which the waiter is about to wait */
  _Atomic uint32_t done;  /**< round in which it went on */
  _Alignas(64) _Atomic uint32_t futex;
  _Alignas(64) uint64_t released_ns;
  uint32_t rounds;
  enum place place;
  const struct mechanism *mechanism;
  double ns[ROUNDS];
};

/** How one side waits and the other side wakes it. */
struct mechanism {
  void (*begin)(uint64_t job);
  void (*hold)(struct rhythm *rhythm, uint32_t round);
  void (*let_go)(struct rhythm *rhythm, uint32_t round);
  void (*wait)(struct rhythm *rhythm, uint32_t round);
  void (*done)(void);
};

static void hold_device(struct rhythm *rhythm, uint32_t round) {
  (void)rhythm, (void)round;
  reserve_or_die(WHOLE_DEVICE, SCHEDGPU_FOREVER);
}

static void let_device_go(struct rhythm *rhythm, uint32_t round) {
  (void)rhythm, (void)round;
  release_or_die(WHOLE_DEVICE);
}

static void give_device_back(void) {
  release_or_die(WHOLE_DEVICE);
}

static const struct mechanism ours = {attach_as, hold_device, let_device_go, hold_device,
                                      give_device_back};

static void nothing_to_begin(uint64_t job) {
  (void)job;
}

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

static const struct mechanism bare = {nothing_to_begin, nothing_to_hold, wake_futex, wait_futex,
                                      nothing_to_do};

static void await_round(_Atomic uint32_t *counter, uint32_t round) {
  while (atomic_load(counter) < round)
    sched_yield();
}

static void be_waiter(void *argument) {
  struct rhythm *rhythm = argument;
  pin_first();
  rhythm->mechanism->begin(2);
  for (uint32_t round = 1; round <= rhythm->rounds; round++) {
    await_round(&rhythm->held, round);
    atomic_store(&rhythm->ready, round);
    rhythm->mechanism->wait(rhythm, round);
    rhythm->ns[round - 1] = (double)(now_ns() - rhythm->released_ns);
    rhythm->mechanism->done();
    atomic_store(&rhythm->done, round);
  }
}

static void be_releaser(void *argument) {
  struct rhythm *rhythm = argument;
  if (rhythm->place == SAME_CPU)
    pin_first();
  else
    pin_last();
  rhythm->mechanism->begin(1);
  for (uint32_t round = 1; round <= rhythm->rounds; round++) {
    rhythm->mechanism->hold(rhythm, round);
    atomic_store(&rhythm->held, round);
    await_round(&rhythm->ready, round);
    if (rhythm->place == SAME_CPU)
      sleep_ns(ASLEEP_NS);
    else
      spin_ns(ASLEEP_NS);
    rhythm->released_ns = now_ns();
    rhythm->mechanism->let_go(rhythm, round);
    await_round(&rhythm->done, round);
  }
}

static void run_block(const struct mechanism *mechanism, enum place place, struct samples *found) {
  struct rhythm *rhythm = shared_new(sizeof *rhythm);
  rhythm->mechanism = mechanism;
  rhythm->place = place;
  rhythm->rounds = (uint32_t)sample_count(ROUNDS);
  pid_t waiter = process_start(be_waiter, rhythm), releaser = process_start(be_releaser, rhythm);
  process_await(releaser);
  process_await(waiter);
  for (uint32_t i = 0; i < rhythm->rounds; i++)
    samples_add(found, rhythm->ns[i]);
  shared_free(rhythm, sizeof *rhythm);
}

static void measure_at(const char *name, enum place place, const struct mechanism *mechanism) {
  struct samples found = samples_new((size_t)BLOCKS * ROUNDS), limit = samples_new(found.capacity);
  for (int block = 0; block < BLOCKS; block++) {
    run_block(&bare, place, &limit);
    run_block(mechanism, place, &found);
  }
  report(name, "us", &found, &limit, "a bare futex wake between two processes, in the same rhythm");
  samples_free(&found);
  samples_free(&limit);
}

static void measure_both(const char *name, const char *name_same_cpu,
                         const struct mechanism *mechanism) {
  if (two_cpus())
    measure_at(name, OTHER_CPU, mechanism);
  else
    report_unmeasured(name, "us", "one CPU only");
  measure_at(name_same_cpu, SAME_CPU, mechanism);
}

void measure_hand_off(void) {
  struct node node = node_new(0, 0);
  node_job(&node, 1, SCHEDGPU_MODE_ONDEMAND, 0);
  node_job(&node, 2, SCHEDGPU_MODE_ONDEMAND, 0);
  measure_both("hand-off", "hand-off-same-cpu", &ours);
  node_free(&node);
}

static void begin_iteration(struct rhythm *rhythm, uint32_t round) {
  (void)rhythm, (void)round;
  MUST(schedgpu_iteration_begin(0, SCHEDGPU_FOREVER) == SCHEDGPU_OK);
}

static void end_iteration(struct rhythm *rhythm, uint32_t round) {
  (void)rhythm, (void)round;
  MUST(schedgpu_iteration_end(0) == SCHEDGPU_OK);
}

static void end_the_waiters_iteration(void) {
  end_iteration(NULL, 0);
}

static const struct mechanism lane = {attach_as, begin_iteration, end_iteration, begin_iteration,
                                      end_the_waiters_iteration};

void measure_turn_switch(void) {
  struct node node = lane_node();
  measure_both("turn-switch", "turn-switch-same-cpu", &lane);
  node_free(&node);
}
