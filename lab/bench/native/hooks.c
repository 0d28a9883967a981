/* hooks.c - prolog and epilog, started as slurmd starts them: fork, exec, wait. */
#include "bench.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/report.h"

#define ROUNDS 200
#define FIRST_JOB 1000
#define VARIABLES 6

struct hook_node {
  struct node node;
  char folder[64]; /**< the folder of slurm.conf and the other files */
};

static void write_file(const char *folder, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  MUST(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static struct hook_node hook_node_new(void) {
  struct hook_node h = {.node = node_new(CONTEXT_BYTES, 0), .folder = "/tmp/schedgpu-bench-XXXXXX"};
  char text[256];
  MUST(mkdtemp(h.folder));
  snprintf(text, sizeof text, "RunDir=%s\n", h.node.dir);
  write_file(h.folder, "schedgpu.conf", text);
  snprintf(text, sizeof text,
           "NodeName=gpu1 Device=0 UUID=GPU-test-0 File=/dev/nvidia0 TotalBytes=%llu "
           "ReservedBytes=0 ContextBytes=%llu Virtual=0-3\n",
           (unsigned long long)(10 * GIB), (unsigned long long)CONTEXT_BYTES);
  write_file(h.folder, "devices.conf", text);
  return h;
}

static void hook_node_free(struct hook_node *h) {
  static const char *const files[] = {"schedgpu.conf", "devices.conf"};
  char path[128];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", h->folder, files[i]);
    unlink(path);
  }
  rmdir(h->folder);
  node_free(&h->node);
}

/** Wall time of one program in the environment of a job's hook. */
static double run(const char *program, char *const environment[]) {
  char *const arguments[] = {(char *)program, NULL};
  int status;
  uint64_t start_ns = now_ns();
  pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    execve(program, arguments, environment);
    _exit(127);
  }
  MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
  double took_ns = (double)(now_ns() - start_ns);
  MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return took_ns;
}

static void fill(char text[VARIABLES][128], char *environment[VARIABLES + 1],
                 const struct hook_node *h, size_t job) {
  snprintf(text[0], sizeof text[0], "SLURM_CONF=%s/slurm.conf", h->folder);
  snprintf(text[1], sizeof text[0], "SLURMD_NODENAME=gpu1");
  snprintf(text[2], sizeof text[0], "SLURM_JOB_ID=%zu", job);
  snprintf(text[3], sizeof text[0], "SLURM_JOB_UID=%u", (unsigned)getuid());
  snprintf(text[4], sizeof text[0], "SLURM_JOB_GPUS=0");
  snprintf(text[5], sizeof text[0], "SPANK_SCHEDGPU_MEM=300M");
  for (int i = 0; i < VARIABLES; i++)
    environment[i] = text[i];
  environment[VARIABLES] = NULL;
}

static void measure_on(struct hook_node *h, size_t rounds) {
  struct samples prolog = samples_new(rounds), epilog = samples_new(rounds),
                 both = samples_new(rounds), nothing = samples_new(rounds),
                 twice_nothing = samples_new(rounds);
  char text[VARIABLES][128], *environment[VARIABLES + 1];
  for (size_t i = 0; i < rounds; i++) {
    fill(text, environment, h, FIRST_JOB + i);
    double first = run("/bin/true", environment), began = run(PROLOG, environment),
           ended = run(EPILOG, environment), second = run("/bin/true", environment);
    samples_add(&prolog, began);
    samples_add(&epilog, ended);
    samples_add(&both, began + ended);
    samples_add(&nothing, first);
    samples_add(&twice_nothing, first + second);
  }
  report("hooks", "ms", &both, &twice_nothing, "/bin/true, twice");
  report("hooks-prolog", "ms", &prolog, &nothing, "/bin/true");
  report("hooks-epilog", "ms", &epilog, &nothing, "/bin/true");
}

/** Checks that the hooks begin and end jobs: otherwise the times would mean nothing. */
static void expect_hooks_to_work(struct hook_node *h) {
  char text[VARIABLES][128], *environment[VARIABLES + 1];
  fill(text, environment, h, 1);
  run(PROLOG, environment);
  MUST(schedgpu_admin_job_find(h->node.admin, SCHEDGPU_JOB_SLURM, 1, NULL) == SCHEDGPU_OK);
  run(EPILOG, environment);
  MUST(schedgpu_admin_job_find(h->node.admin, SCHEDGPU_JOB_SLURM, 1, NULL) == SCHEDGPU_ENOJOB);
}

void measure_hooks(void) {
  struct hook_node h = hook_node_new();
  expect_hooks_to_work(&h);
  measure_on(&h, sample_count(ROUNDS));
  hook_node_free(&h);
}
