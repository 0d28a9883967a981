/* run_command.c - `schedgpu run` around a command that does nothing, as a user starts it. */
#include "bench.h"
#include "support/agent.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/processes.h"
#include "support/report.h"

#define ROUNDS 60

/** Wall time of a program: fork, exec, wait. */
static double time_of(char *const words[]) {
  uint64_t start_ns = now_ns();
  pid_t pid = fork();
  if (pid == 0) {
    execv(words[0], words);
    _exit(127);
  }
  process_await(pid);
  return (double)(now_ns() - start_ns);
}

void measure_run_command(void) {
  if (!agent_is_built()) {
    report_unmeasured("run-command", "ms", "not measured: node-agent is not built");
    return;
  }
  struct node node = node_new(CONTEXT_BYTES, 0);
  char *const bare[] = {"/bin/true", NULL};
  char *const job[] = {AGENT,  "run", "--run-dir", node.dir, "--mem",
                       "300M", "--",  "/bin/true", NULL};
  char *const words[] = {AGENT,  "run", "--run-dir", node.dir, "--mem",
                         "300M", "--",  "/bin/sh",   "-c",     "test -n \"$SCHEDGPU_JOB\"",
                         NULL};
  time_of(words); /* checks that it becomes a job: otherwise the times would mean nothing */
  size_t rounds = sample_count(ROUNDS);
  struct samples ours = samples_new(rounds), limit = samples_new(rounds);
  for (size_t i = 0; i < rounds; i++) {
    samples_add(&limit, time_of(bare));
    samples_add(&ours, time_of(job));
  }
  report("run-command", "ms", &ours, &limit, "/bin/true alone");
  node_free(&node);
}
