/*
 * command_start.c - the CPU time of commands that read the node and print little, beside that of a
 * Java that only prints its version. CPU time, because other programs disturb it less than the time
 * until the end.
 */
#include "bench.h"
#include "support/agent.h"
#include "support/bench_node.h"
#include "support/must.h"
#include "support/report.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 9
#define LIMIT_IS "CPU time of java -version"

static double ns_of(struct timeval time) {
  return ((double)time.tv_sec * 1e6 + (double)time.tv_usec) * 1e3;
}

/** CPU time of a program with all that it starts and waits for, in ns. */
static double cpu_of(char *const words[]) {
  struct rusage used;
  int status;
  fflush(NULL);
  pid_t pid = fork();
  MUST(pid >= 0);
  if (pid == 0) {
    MUST(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr));
    execvp(words[0], words);
    _exit(127);
  }
  MUST(wait4(pid, &status, 0, &used) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return ns_of(used.ru_utime) + ns_of(used.ru_stime);
}

/** Measures commands by turns; each is `schedgpu --run-dir DIR` and one word, or two. */
static void measure(struct node *node, size_t count, const char *const commands[][2],
                    const char *suffix) {
  char *const version[] = {"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-version", NULL};
  size_t rounds = sample_count(ROUNDS);
  for (size_t i = 0; i < count; i++) {
    char *const words[] = {
        AGENT, "--run-dir", node->dir, (char *)commands[i][0], (char *)commands[i][1], NULL};
    struct samples ours = samples_new(rounds), limit = samples_new(rounds);
    for (size_t round = 0; round < rounds; round++) {
      samples_add(&limit, cpu_of(version));
      samples_add(&ours, cpu_of(words));
    }
    report(name_of("start-%s%s", commands[i][0], suffix), "ms", &ours, &limit, LIMIT_IS);
  }
}

void measure_command_start(void) {
  static const char *const all[][2] = {
      {"status"}, {"jobs"}, {"top", "--once"}, {"history"}, {"help"}};
  if (!agent_is_built()) {
    report_unmeasured("start-status", "ms", "not measured: node-agent is not built");
    return;
  }
  struct node node = node_new(CONTEXT_BYTES, 0);
  measure(&node, sizeof all / sizeof *all, all, "");
  struct agent agent = agent_start(&node);
  measure(&node, 1, all, "-agent");
  agent_end(&agent, &node);
  node_free(&node);
}
