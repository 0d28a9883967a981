/*
 * launch.c - what a launch costs in a job with a share that is alone, over a driver that does
 * nothing; and how the time of a device is shared between busy programs that never synchronize.
 */
#include "bench.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/preloaded.h"
#include "support/report.h"

#define ROUNDS 3
#define SAMPLES 400
#define JOBS 3
#define KERNEL_NS "200000"
#define PARTS 7 /* 1 + 2 + 4 */

/** Jobs 1, 2 and 3, with weights 1, 2 and 4, or without shares. */
static struct node new_node(bool shares) {
  struct node node = emulated_node(fixture_setup(1, 10 * GIB, CONTEXT_BYTES, SCHEDGPU_POLICY_FIFO));
  for (uint32_t i = 0; i < JOBS; i++) {
    struct schedgpu_job_spec job = job_spec(i + 1, SCHEDGPU_MODE_PEAK, GIB, 50);
    job.uid = (uint32_t)getuid();
    job.lane = shares ? SCHEDGPU_LANE_SHARE : SCHEDGPU_LANE_NONE;
    job.share = shares ? 1u << i : 0;
    job.persistent_bytes = shares ? GIB : 0;
    MUST(schedgpu_admin_job_begin(node.admin, &job) == SCHEDGPU_OK);
  }
  return node;
}

struct program {
  pid_t pid;
  FILE *from, *to;
};

static void run(const struct node *node, uint32_t job, bool share, const char *driver,
                const char *const words[3]) {
  set_environment(node, job, driver);
  if (share)
    setenv("SCHEDGPU_SHARE", "1", 1);
  execl(LAUNCH_LOOP, LAUNCH_LOOP, words[0], words[1], words[2], (char *)NULL);
  _exit(127);
}

static struct program start(const struct node *node, uint32_t job, bool share, const char *driver,
                            const char *const words[3]) {
  int out[2], in[2];
  MUST(pipe2(out, O_CLOEXEC) == 0 && pipe2(in, O_CLOEXEC) == 0);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(in[0], STDIN_FILENO);
    run(node, job, share, driver, words);
  }
  close(out[1]);
  close(in[0]);
  struct program program = {pid, fdopen(out[0], "r"), fdopen(in[1], "w")};
  MUST(pid > 0 && program.from && program.to);
  return program;
}

static void end(struct program *program) {
  int status;
  fclose(program->from);
  fclose(program->to);
  MUST(waitpid(program->pid, &status, 0) == program->pid && status == 0);
}

/* --- the cost of a launch --- */

static void measure_cost(const struct node *node, bool share, struct samples *samples) {
  char count[32];
  double ns;
  snprintf(count, sizeof count, "%zu", sample_count(SAMPLES));
  struct program program =
      start(node, 1, share, NULL_DRIVER_DIR, (const char *const[]){"cost", count, "1000"});
  while (fscanf(program.from, "%lf", &ns) == 1)
    samples_add(samples, ns);
  end(&program);
}

static void report_cost(void) {
  struct samples ours = samples_new((size_t)ROUNDS * SAMPLES);
  struct samples limit = samples_new((size_t)ROUNDS * SAMPLES);
  struct node shares = new_node(true), plain = new_node(false);
  for (int round = 0; round < ROUNDS; round++) {
    measure_cost(&shares, true, &ours);
    measure_cost(&plain, false, &limit);
  }
  report("launch", "ns", &ours, &limit,
         "the same library in a job without a share, a driver that does nothing");
  remove_emulated_node(&shares);
  remove_emulated_node(&plain);
}

/* --- shares of time --- */

/** The largest difference to 1:2:4, in per cent of the time of the device. */
static double worst_difference(const double launched_ns[JOBS]) {
  double all_ns = launched_ns[0] + launched_ns[1] + launched_ns[2], worst = 0;
  for (int i = 0; i < JOBS; i++) {
    double difference = 100 * (launched_ns[i] / all_ns - (double)(1 << i) / PARTS);
    difference = difference < 0 ? -difference : difference;
    worst = difference > worst ? difference : worst;
  }
  return worst;
}

static void measure_shares_of(bool shares, struct samples *samples) {
  struct node node = new_node(shares);
  struct program program[JOBS];
  char ms[32], line[32];
  double launched_ns[JOBS] = {0};
  snprintf(ms, sizeof ms, "%zu", sample_count(100) * 100); /* ten seconds */
  for (uint32_t i = 0; i < JOBS; i++) {
    program[i] =
        start(&node, i + 1, shares, EMULATOR_DIR, (const char *const[]){"busy", KERNEL_NS, ms});
    MUST(fgets(line, sizeof line, program[i].from));
  }
  for (uint32_t i = 0; i < JOBS; i++)
    MUST(fputs("go\n", program[i].to) >= 0 && fflush(program[i].to) == 0);
  for (uint32_t i = 0; i < JOBS; i++) {
    MUST(fscanf(program[i].from, "%lf", &launched_ns[i]) == 1);
    end(&program[i]);
  }
  samples_add(samples, worst_difference(launched_ns));
  remove_emulated_node(&node);
}

static void report_shares(void) {
  struct samples ours = samples_new(1), limit = samples_new(1);
  measure_shares_of(true, &ours);
  measure_shares_of(false, &limit);
  report("shares-1-2-4", "%", &ours, &limit, "the same programs without shares: equal times");
}

void measure_launch(void) {
  report_cost();
  report_shares();
}
