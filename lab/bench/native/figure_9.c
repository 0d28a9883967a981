/*
 * figure_9.c - the paper's Figure 9: every stage of the life cycle, for schedGPU, for the paper's
 * two methods of shared memory, and for client and server. Each sample is the life of one new
 * process.
 */
#include "alternatives/approach.h"
#include "alternatives/client_server.h"
#include "bench.h"
#include "schedgpu/schedgpu.h"
#include "support/clock.h"
#include "support/cpus.h"
#include "support/must.h"
#include "support/processes.h"
#include "support/report.h"

#define LIVES 1000
#define SERVERS 50
#define BYTES (UINT64_C(1) << 20)

enum stage { INITIALISATION, PRE_ALLOCATION, POST_FREE, SHUTDOWN, TOTAL, STAGES };

static const char *const stage_names[STAGES] = {"initialisation", "pre-allocation", "post-free",
                                                "shutdown", "total"};
enum { OURS, CLIENT_SERVER = 3, APPROACHES = 5 };
static const struct schedgpu_approach *const approaches[APPROACHES] = {
    &approach_ours, &approach_file_lock, &approach_mutex_condition, &approach_client_server,
    &approach_server_budget};

struct life {
  const struct schedgpu_approach *approach;
  double ns[STAGES];
};

static void live(void *argument) {
  struct life *life = argument;
  const struct schedgpu_approach *a = life->approach;
  uint64_t at_ns[STAGES];
  pin_last();
  if (a->become_client)
    a->become_client();
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

/** Times the server's start and end, which are not part of its clients' stages. */
static void measure_servers(const char *approach) {
  struct samples start = samples_new(sample_count(SERVERS)), stop = samples_new(start.capacity);
  while (start.count < start.capacity) {
    double start_ns, stop_ns;
    client_server_once(&start_ns, &stop_ns);
    samples_add(&start, start_ns);
    samples_add(&stop, stop_ns);
  }
  report_stage(approach, "server-start", &start);
  report_stage(approach, "server-stop", &stop);
}

static void compare_totals(struct samples found[APPROACHES][STAGES], size_t approaches_measured) {
  static const char name[] = "shared-memory";
  if (approaches_measured <= CLIENT_SERVER)
    report_unmeasured(name, "us", "clients of another user are needed: run it as root");
  else
    report(name, "us", &found[OURS][TOTAL], &found[CLIENT_SERVER][TOTAL],
           "the same life as client of a server (Mode=brokered, a message a call)");
}

void measure_figure_9(void) {
  struct life *life = shared_new(sizeof *life);
  static struct samples found[APPROACHES][STAGES];
  size_t lives = sample_count(LIVES), count = client_server_possible() ? APPROACHES : CLIENT_SERVER;
  for (size_t a = 0; a < count; a++) {
    approaches[a]->set_up();
    for (int stage = 0; stage < STAGES; stage++)
      found[a][stage] = samples_new(lives);
  }
  for (size_t i = 0; i < lives; i++)
    for (size_t a = 0; a < count; a++)
      live_once(life, approaches[a], found[a]);
  for (size_t a = 0; a < count; a++) {
    approaches[a]->tear_down();
    for (int stage = 0; stage < STAGES; stage++)
      report_stage(approaches[a]->name, stage_names[stage], &found[a][stage]);
  }
  if (count > CLIENT_SERVER)
    measure_servers(approaches[CLIENT_SERVER]->name);
  compare_totals(found, count);
}
