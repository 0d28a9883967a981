/*
 * figure_9.c - the paper's Figure 9: every stage of the life cycle, for ours and for the paper's
 * two methods of its shared memory approach. Each life is one of a fresh process.
 */
#include "alternatives/approach.h"
#include "bench.h"
#include "schedgpu/schedgpu.h"
#include "support/clock.h"
#include "support/cpus.h"
#include "support/must.h"
#include "support/processes.h"
#include "support/report.h"

#define LIVES 1000
#define BYTES (UINT64_C(1) << 20)

enum stage { INITIALISATION, PRE_ALLOCATION, POST_FREE, SHUTDOWN, TOTAL, STAGES };

static const char *const stage_names[STAGES] = {"initialisation", "pre-allocation", "post-free",
                                                "shutdown", "total"};
static const struct schedgpu_approach *const approaches[] = {&approach_ours, &approach_file_lock,
                                                             &approach_mutex_condition};
#define APPROACHES (sizeof approaches / sizeof *approaches)

struct life {
  const struct schedgpu_approach *approach;
  double ns[STAGES];
};

static void live(void *argument) {
  struct life *life = argument;
  const struct schedgpu_approach *a = life->approach;
  uint64_t at_ns[STAGES];
  pin_last();
  at_ns[INITIALISATION] = now_ns();
  MUST(a->init() == SCHEDGPU_OK);
  at_ns[PRE_ALLOCATION] = now_ns();
  MUST(a->reserve(BYTES, SCHEDGPU_FOREVER) == SCHEDGPU_OK);
  at_ns[POST_FREE] = now_ns();
  MUST(a->release(BYTES) == SCHEDGPU_OK);
  at_ns[SHUTDOWN] = now_ns();
  MUST(a->shutdown() == SCHEDGPU_OK);
  at_ns[TOTAL] = now_ns();
  for (int stage = INITIALISATION; stage < TOTAL; stage++)
    life->ns[stage] = (double)(at_ns[stage + 1] - at_ns[stage]);
  life->ns[TOTAL] = (double)(at_ns[TOTAL] - at_ns[INITIALISATION]);
}

static void live_once(struct life *life, const struct schedgpu_approach *approach,
                      struct samples found[STAGES]) {
  life->approach = approach;
  process_run(live, life);
  for (int stage = 0; stage < STAGES; stage++)
    samples_add(&found[stage], life->ns[stage]);
}

void measure_figure_9(void) {
  struct life *life = shared_new(sizeof *life);
  struct samples found[APPROACHES][STAGES];
  size_t lives = sample_count(LIVES);
  for (size_t a = 0; a < APPROACHES; a++) {
    approaches[a]->set_up();
    for (int stage = 0; stage < STAGES; stage++)
      found[a][stage] = samples_new(lives);
  }
  for (size_t i = 0; i < lives; i++)
    for (size_t a = 0; a < APPROACHES; a++)
      live_once(life, approaches[a], found[a]);
  for (size_t a = 0; a < APPROACHES; a++) {
    approaches[a]->tear_down();
    for (int stage = 0; stage < STAGES; stage++)
      report_stage(approaches[a]->name, stage_names[stage], &found[a][stage]);
  }
}
