/* attached.c - measures whether a call costs more while many idle processes are attached. */
#include "bench.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/processes.h"
#include "support/report.h"

#define MAX_ATTACHED 256
#define PROCESSES_PER_JOB 4
#define MEASURED_JOB 1000

static const uint32_t crowd_sizes[] = {1, 16, 64, MAX_ATTACHED};
#define SIZES (sizeof crowd_sizes / sizeof *crowd_sizes)

struct idle {
  _Atomic uint32_t attached;
  _Atomic uint32_t next_number;
};

static void be_idle(void *argument) {
  struct idle *idle = argument;
  attach_as(atomic_fetch_add(&idle->next_number, 1) / PROCESSES_PER_JOB + 1);
  reserve_or_die(MIB, SCHEDGPU_NO_WAIT);
  atomic_fetch_add(&idle->attached, 1);
  for (;;)
    pause();
}

static void grow_to(struct idle *idle, pid_t *pid, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++)
    pid[i] = process_start(be_idle, idle);
  while (atomic_load(&idle->attached) < to)
    sleep_ns(NS_PER_MS);
}

/** The results for one number of attached processes. */
struct found {
  struct samples reserve_release;
  struct samples life_cycle;
};

static struct found measure_beside(const struct node *node) {
  struct found found;
  struct samples unused;
  be_job(MEASURED_JOB);
  run_life_cycles(node->dir, &found.life_cycle, NULL);
  attach_as(MEASURED_JOB);
  compare_reserve_release(&found.reserve_release, &unused);
  samples_free(&unused);
  schedgpu_detach();
  return found;
}

static void measure_all(const struct node *node, struct idle *idle, pid_t *pid) {
  struct found found[SIZES];
  for (size_t i = 0; i < SIZES; i++) {
    grow_to(idle, pid, i ? crowd_sizes[i - 1] : 0, crowd_sizes[i]);
    found[i] = measure_beside(node);
  }
  for (size_t i = 1; i < SIZES; i++)
    report(name_of("reserve-release-%u-attached", crowd_sizes[i]), "ns", &found[i].reserve_release,
           &found[0].reserve_release, "the same beside 1 attached client");
  for (size_t i = 1; i < SIZES; i++)
    report(name_of("life-cycle-%u-attached", crowd_sizes[i]), "us", &found[i].life_cycle,
           &found[0].life_cycle, "the same beside 1 attached client");
}

void measure_attached(void) {
  struct node node = node_new(MIB, 0);
  struct idle *idle = shared_new(sizeof *idle);
  pid_t pid[MAX_ATTACHED];
  for (uint32_t job = 1; job <= MAX_ATTACHED / PROCESSES_PER_JOB; job++)
    node_job(&node, job, SCHEDGPU_MODE_ONDEMAND, 0);
  node_job(&node, MEASURED_JOB, SCHEDGPU_MODE_ONDEMAND, 0);
  measure_all(&node, idle, pid);
  for (uint32_t i = 0; i < MAX_ATTACHED; i++)
    process_kill(pid[i]);
  shared_free(idle, sizeof *idle);
  node_free(&node);
}
