/*
 * contended.c - reserve and release by several processes at once that do nothing else: the worst
 * case. The limit is the same number of processes on a bare lock.
 */
#include "bench.h"
#include "support/bare_lock.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/processes.h"
#include "support/report.h"

#define MAX_PROCESSES 32
#define SAMPLES_EACH 20000
#define TIME_NS (400 * NS_PER_MS)

struct crowd {
  _Alignas(64) _Atomic uint32_t lock;
  _Alignas(64) struct gate gate;
  _Atomic uint32_t next_number;
  uint32_t count[MAX_PROCESSES];
  float ns[MAX_PROCESSES][SAMPLES_EACH];
};

/** Runs timed rounds until the time is over. */
static void rounds(struct crowd *crowd, uint32_t me, void (*round)(struct crowd *)) {
  uint32_t most = (uint32_t)sample_count(SAMPLES_EACH), n = 0;
  gate_enter(&crowd->gate);
  uint64_t start_ns = now_ns(), end_ns = start_ns + TIME_NS;
  while (n < most && start_ns < end_ns) {
    round(crowd);
    uint64_t done_ns = now_ns();
    crowd->ns[me][n++] = (float)(done_ns - start_ns);
    start_ns = done_ns;
  }
  crowd->count[me] = n;
}

static void reserve_and_release(struct crowd *crowd) {
  (void)crowd;
  reserve_or_die(MIB, SCHEDGPU_NO_WAIT);
  release_or_die(MIB);
}

static void two_lock_pairs(struct crowd *crowd) {
  for (int i = 0; i < 2; i++) {
    bare_lock(&crowd->lock);
    bare_unlock(&crowd->lock);
  }
}

static void be_client(void *crowd) {
  uint32_t me = atomic_fetch_add(&((struct crowd *)crowd)->next_number, 1);
  attach_as(me + 1);
  rounds(crowd, me, reserve_and_release);
  schedgpu_detach();
}

static void be_bare(void *crowd) {
  uint32_t me = atomic_fetch_add(&((struct crowd *)crowd)->next_number, 1);
  rounds(crowd, me, two_lock_pairs);
}

static struct samples run_crowd(uint32_t processes, void (*body)(void *)) {
  struct crowd *crowd = shared_new(sizeof *crowd);
  struct samples all = samples_new((size_t)processes * SAMPLES_EACH);
  pid_t pid[MAX_PROCESSES];
  for (uint32_t i = 0; i < processes; i++)
    pid[i] = process_start(body, crowd);
  gate_await(&crowd->gate, processes);
  gate_open(&crowd->gate);
  for (uint32_t i = 0; i < processes; i++)
    process_await(pid[i]);
  for (uint32_t i = 0; i < processes; i++)
    for (uint32_t n = 0; n < crowd->count[i]; n++)
      samples_add(&all, crowd->ns[i][n]);
  shared_free(crowd, sizeof *crowd);
  return all;
}

static void measure_with(uint32_t processes) {
  struct samples limit = run_crowd(processes, be_bare), ours = run_crowd(processes, be_client);
  report(name_of("reserve-release-%u-processes", processes), "ns", &ours, &limit,
         "the same number of processes at a bare futex lock, two pairs each");
  samples_free(&ours);
  samples_free(&limit);
}

void measure_contended(void) {
  struct node node = node_new(0, 0);
  for (uint32_t i = 0; i < MAX_PROCESSES; i++)
    node_job(&node, i + 1, SCHEDGPU_MODE_ONDEMAND, 0);
  measure_with(2);
  measure_with(8);
  measure_with(32);
  node_free(&node);
}
