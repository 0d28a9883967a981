/* reserve_release.c - the cost of one reservation of a process that is alone, in mode ondemand. */
#include "bench.h"
#include "support/bare_lock.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/compare.h"
#include "support/cpus.h"
#include "support/processes.h"
#include "support/report.h"

#define BATCH 32
#define SAMPLES 20000

static void reserve_and_release(void *unused) {
  (void)unused;
  MUST(schedgpu_reserve(0, MIB, SCHEDGPU_NO_WAIT) == SCHEDGPU_OK);
  MUST(schedgpu_release(0, MIB) == SCHEDGPU_OK);
}

static void two_lock_pairs(void *lock) {
  bare_lock(lock);
  bare_unlock(lock);
  bare_lock(lock);
  bare_unlock(lock);
}

void compare_reserve_release(struct samples *ours, struct samples *limit) {
  void *lock = shared_new(64);
  compare(&(struct comparison){.ours = reserve_and_release,
                               .limit = two_lock_pairs,
                               .argument = lock,
                               .batch = BATCH,
                               .samples = sample_count(SAMPLES),
                               .time_ns = time_limit_ns(2 * NS_PER_S)},
          ours, limit);
  shared_free(lock, 64);
}

void measure_reserve_release(void) {
  struct samples ours, limit;
  struct node node = node_new(0, 0);
  node_job(&node, 1, SCHEDGPU_MODE_ONDEMAND, 0);
  pin_last();
  attach_as(1);
  compare_reserve_release(&ours, &limit);
  report("reserve-release", "ns", &ours, &limit, "two lock + unlock pairs of a bare futex lock");
  schedgpu_detach();
  node_free(&node);
}
