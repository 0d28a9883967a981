/*
 * in_budget_alloc.c - cuMemAlloc and cuMemFree of an unmodified program inside the budget of its
 * job. A driver that does nothing shows the cost of the preload library itself; the emulated driver
 * shows its share of an allocation.
 */
#include "bench.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/report.h"

#define ROUNDS 3
#define SAMPLES 400
#define DEVICE 1 /* a second device, with the UUID that the drivers report */
#define UUID "GPU-e0e0e0e0-0000-4000-8000-000000000000"
#define JOB 1

enum driver { NULL_DRIVER, EMULATED_DRIVER };
enum how { WITHOUT_PRELOAD, OUTSIDE_A_JOB, IN_BUDGET };

static void add_device(struct node *node) {
  struct schedgpu_setup setup = fixture_setup(1, 10 * GIB, CONTEXT_BYTES, SCHEDGPU_POLICY_FIFO);
  setup.device[0].index = DEVICE;
  snprintf(setup.device[0].uuid, sizeof setup.device[0].uuid, UUID);
  MUST(schedgpu_admin_setup(node->dir, &setup) == SCHEDGPU_OK);
  struct schedgpu_job_spec job = job_spec(JOB, SCHEDGPU_MODE_PEAK, 0, 50);
  job.uid = (uint32_t)getuid();
  job.device_mask = 1u << DEVICE;
  job.budget_bytes[DEVICE] = 8 * GIB;
  MUST(schedgpu_admin_job_begin(node->admin, &job) == SCHEDGPU_OK);
}

static void set_environment(const struct node *node, enum driver driver, enum how how) {
  char state[128], job[32];
  snprintf(state, sizeof state, "%s/gpu", node->dir);
  snprintf(job, sizeof job, "slurm:%d", JOB);
  setenv("LD_LIBRARY_PATH", driver == NULL_DRIVER ? NULL_DRIVER_DIR : EMULATOR_DIR, 1);
  setenv("EMULATED_GPU_STATE", state, 1);
  unsetenv("SCHEDGPU_JOB");
  if (how == IN_BUDGET) {
    setenv("SCHEDGPU_JOB", job, 1);
    setenv("SCHEDGPU_DEVICES", UUID, 1);
  }
  if (how != WITHOUT_PRELOAD)
    setenv("LD_PRELOAD", PRELOAD_LIBRARY, 1);
}

/** Starts the program, which writes its samples to the pipe. */
static void run_program(const struct node *node, enum driver driver, enum how how,
                        struct samples *samples) {
  int out[2], status;
  char count[32];
  snprintf(count, sizeof count, "%zu", sample_count(SAMPLES));
  MUST(pipe(out) == 0);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    dup2(out[1], STDOUT_FILENO);
    set_environment(node, driver, how);
    execl(ALLOC_LOOP, ALLOC_LOOP, count, driver == NULL_DRIVER ? "1000" : "10", (char *)NULL);
    _exit(127);
  }
  close(out[1]);
  FILE *lines = fdopen(out[0], "r");
  double ns;
  MUST(pid > 0 && lines);
  while (fscanf(lines, "%lf", &ns) == 1)
    samples_add(samples, ns);
  fclose(lines);
  MUST(waitpid(pid, &status, 0) == pid && status == 0);
}

struct found {
  struct samples how[IN_BUDGET + 1];
};

static struct found measure_on(const struct node *node, enum driver driver) {
  struct found found;
  for (int how = WITHOUT_PRELOAD; how <= IN_BUDGET; how++)
    found.how[how] = samples_new((size_t)ROUNDS * SAMPLES);
  for (int round = 0; round < ROUNDS; round++)
    for (int how = WITHOUT_PRELOAD; how <= IN_BUDGET; how++)
      run_program(node, driver, how, &found.how[how]);
  return found;
}

void measure_in_budget_alloc(void) {
  char state[128];
  struct node node = node_new(CONTEXT_BYTES, 0);
  add_device(&node);
  struct found null = measure_on(&node, NULL_DRIVER), emulated = measure_on(&node, EMULATED_DRIVER);
  report("in-budget-alloc", "ns", &null.how[IN_BUDGET], &null.how[OUTSIDE_A_JOB],
         "pass-through: the same library outside a job, a driver that does nothing");
  report("in-budget-alloc-bare", "ns", &null.how[IN_BUDGET], &null.how[WITHOUT_PRELOAD],
         "no library, a driver that does nothing");
  report("in-budget-alloc-emulated", "ns", &emulated.how[IN_BUDGET], &emulated.how[WITHOUT_PRELOAD],
         "no library, the emulated driver");
  snprintf(state, sizeof state, "%s/gpu", node.dir);
  unlink(state);
  node_free(&node);
}
