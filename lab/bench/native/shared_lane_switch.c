/*
 * shared_lane_switch.c - from before the end of an iteration until the next process has the turn
 * and the memory of the lane, which both share. The limit is a wake of a bare futex between the
 * same two processes.
 */
#include "bench.h"
#include "support/cpus.h"
#include "support/preloaded.h"
#include "support/processes.h"
#include "support/report.h"
#include "support/rhythm.h"
#include <sys/mman.h>

#define BLOCKS 3
#define RHYTHMS 2 * BLOCKS
#define KEPT (32 * MIB)
#define LANE (64 * MIB)

/** Two jobs, whose ephemeral memory fits once; the quantum is over at once. The one that waits has
 * the higher priority: else the turn stays for 5 ms, if the other one had less of the device. */
static struct node new_node(void) {
  struct schedgpu_setup setup =
      fixture_setup(1, 2 * (CONTEXT_BYTES + KEPT) + LANE, CONTEXT_BYTES, SCHEDGPU_POLICY_FIFO);
  setup.quantum_ns = 1;
  struct node node = emulated_node(setup);
  for (uint64_t id = 1; id <= 2; id++) {
    struct schedgpu_job_spec job = job_spec(id, SCHEDGPU_MODE_PEAK, KEPT + LANE, id == 2 ? 60 : 50);
    job.uid = (uint32_t)getuid();
    job.lane = SCHEDGPU_LANE_FAIR;
    job.persistent_bytes = KEPT;
    MUST(schedgpu_admin_job_begin(node.admin, &job) == SCHEDGPU_OK);
  }
  return node;
}

struct program {
  const struct node *node;
  uint64_t job;
  const char *part;
  int memory;
};

static void run(void *argument) {
  const struct program *program = argument;
  char memory[16], blocks[16];
  snprintf(memory, sizeof memory, "%d", program->memory);
  snprintf(blocks, sizeof blocks, "%d", BLOCKS);
  set_environment(program->node, program->job, EMULATOR_DIR);
  execl(LANE_LOOP, LANE_LOOP, program->part, memory, blocks, (char *)NULL);
  MUST(!"the program cannot be executed");
}

/** Whichever fails first ends the measurement, and so the other one. */
static void await_both(void) {
  for (int i = 0; i < 2; i++) {
    int status;
    MUST(wait(&status) > 0 && status == 0);
  }
}

static void measure_at(const char *name, enum place place) {
  struct samples found = samples_new((size_t)BLOCKS * RHYTHM_ROUNDS);
  struct samples limit = samples_new(found.capacity);
  struct node node = new_node();
  int memory = memfd_create("rhythms", 0);
  MUST(memory >= 0 && ftruncate(memory, RHYTHMS * sizeof(struct rhythm)) == 0);
  struct rhythm *rhythm = mmap(NULL, RHYTHMS * sizeof *rhythm, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_POPULATE, memory, 0);
  MUST(rhythm != MAP_FAILED);
  for (int i = 0; i < RHYTHMS; i++) {
    rhythm[i].place = place;
    rhythm[i].rounds = (uint32_t)sample_count(RHYTHM_ROUNDS);
  }
  process_start(run, &(struct program){&node, 1, "release", memory});
  process_start(run, &(struct program){&node, 2, "wait", memory});
  await_both();
  for (int i = 0; i < RHYTHMS; i++)
    for (uint32_t round = 0; round < rhythm[i].rounds; round++)
      samples_add(i % 2 == 0 ? &limit : &found, rhythm[i].ns[round]);
  report(name, "us", &found, &limit, BARE_WAKE);
  munmap(rhythm, RHYTHMS * sizeof *rhythm);
  close(memory);
  remove_emulated_node(&node);
  samples_free(&found);
  samples_free(&limit);
}

void measure_shared_lane_switch(void) {
  if (two_cpus())
    measure_at("shared-lane-switch", OTHER_CPU);
  else
    report_unmeasured("shared-lane-switch", "us", "one CPU only");
  measure_at("shared-lane-switch-same-cpu", SAME_CPU);
}
