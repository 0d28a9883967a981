/*
 * hand_off.c - the time from just before the release until the waiter runs again. The limit is a
 * wake of a bare futex in the same rhythm.
 */
#include "bench.h"
#include "support/bench_node.h"
#include "support/cpus.h"
#include "support/lane_node.h"
#include "support/processes.h"
#include "support/report.h"
#include "support/rhythm.h"

#define BLOCKS 3
#define WHOLE_DEVICE (10 * GIB)

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

static const struct mechanism ours = {hold_device, let_device_go, hold_device, give_device_back};

struct part {
  struct rhythm *rhythm;
  const struct mechanism *mechanism;
};

static void attach_to(const struct part *part, uint64_t job) {
  if (part->mechanism != &bare_wake)
    attach_as(job);
}

static void be_waiter(void *argument) {
  const struct part *part = argument;
  attach_to(part, 2);
  rhythm_wait(part->rhythm, part->mechanism);
}

static void be_releaser(void *argument) {
  const struct part *part = argument;
  attach_to(part, 1);
  rhythm_release(part->rhythm, part->mechanism);
}

static void run_block(const struct mechanism *mechanism, enum place place, struct samples *found) {
  struct rhythm *rhythm = shared_new(sizeof *rhythm);
  struct part part = {rhythm, mechanism};
  rhythm->place = place;
  rhythm->rounds = (uint32_t)sample_count(RHYTHM_ROUNDS);
  pid_t waiter = process_start(be_waiter, &part), releaser = process_start(be_releaser, &part);
  process_await(releaser);
  process_await(waiter);
  for (uint32_t i = 0; i < rhythm->rounds; i++)
    samples_add(found, rhythm->ns[i]);
  shared_free(rhythm, sizeof *rhythm);
}

static void measure_at(const char *name, enum place place, const struct mechanism *mechanism) {
  struct samples found = samples_new((size_t)BLOCKS * RHYTHM_ROUNDS);
  struct samples limit = samples_new(found.capacity);
  for (int block = 0; block < BLOCKS; block++) {
    run_block(&bare_wake, place, &limit);
    run_block(mechanism, place, &found);
  }
  report(name, "us", &found, &limit, BARE_WAKE);
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

static const struct mechanism lane = {begin_iteration, end_iteration, begin_iteration,
                                      end_the_waiters_iteration};

void measure_turn_switch(void) {
  struct node node = lane_node();
  measure_both("turn-switch", "turn-switch-same-cpu", &lane);
  node_free(&node);
}
