/* turn.c - the cost of an iteration's begin and end for a process that has its lane alone. */
#include "bench.h"
#include "support/bare_lock.h"
#include "support/clock.h"
#include "support/compare.h"
#include "support/cpus.h"
#include "support/lane_node.h"
#include "support/processes.h"
#include "support/report.h"

#define BATCH 32
#define SAMPLES 20000

static void begin_and_end(void *unused) {
  (void)unused;
  MUST(schedgpu_iteration_begin(0, SCHEDGPU_NO_WAIT) == SCHEDGPU_OK);
  MUST(schedgpu_iteration_end(0) == SCHEDGPU_OK);
}

static void lock_pair(void *lock) {
  bare_lock(lock);
  bare_unlock(lock);
}

void measure_turn(void) {
  struct samples ours, limit;
  struct node node = lane_node();
  pin_last();
  attach_as(1);
  void *lock = shared_new(64);
  compare(&(struct comparison){.ours = begin_and_end,
                               .limit = lock_pair,
                               .argument = lock,
                               .batch = BATCH,
                               .samples = sample_count(SAMPLES),
                               .time_ns = time_limit_ns(2 * NS_PER_S)},
          &ours, &limit);
  report("turn", "ns", &ours, &limit, "a lock + unlock pair of a bare futex lock");
  shared_free(lock, 64);
  schedgpu_detach();
  node_free(&node);
}
