/*
 * kill_to_waiter.c - the time from the kill of a holder until a waiter for its memory runs. Without
 * an agent, the waiter itself has to notice the death; an agent gets an event from the kernel.
 */
#include "bench.h"
#include "support/agent.h"
#include "support/bench_node.h"
#include "support/clock.h"
#include "support/processes.h"
#include "support/report.h"

#define KILLS 24
#define STARTS 5
#define WHOLE_DEVICE (10 * GIB)
#define LONGEST_PAUSE_NS (400 * NS_PER_MS) /* longer than any sleep of a waiter */

struct scene {
  _Atomic uint32_t held;
  _Atomic uint64_t served_ns;
};

static void be_holder(void *argument) {
  struct scene *scene = argument;
  attach_as(1);
  reserve_or_die(WHOLE_DEVICE, SCHEDGPU_NO_WAIT);
  atomic_store(&scene->held, 1);
  for (;;)
    pause();
}

static void be_waiter(void *argument) {
  struct scene *scene = argument;
  attach_as(2);
  reserve_or_die(WHOLE_DEVICE, SCHEDGPU_FOREVER);
  atomic_store(&scene->served_ns, now_ns());
  schedgpu_detach();
}

/** Kills after a different pause each time, so at any point of the waiter's sleep. */
static void kill_one(struct node *node, size_t i, size_t of, struct samples *served,
                     struct samples *gone) {
  struct scene *scene = shared_new(sizeof *scene);
  pid_t holder = process_start(be_holder, scene);
  while (!atomic_load(&scene->held))
    sleep_ns(NS_PER_MS);
  pid_t waiter = process_start(be_waiter, scene);
  await_waiting(node, 1);
  sleep_ns(LONGEST_PAUSE_NS * i / of);
  uint64_t start_ns = now_ns();
  kill(holder, SIGKILL);
  MUST(waitpid(holder, NULL, 0) == holder);
  samples_add(gone, (double)(now_ns() - start_ns));
  process_await(waiter);
  samples_add(served, (double)(atomic_load(&scene->served_ns) - start_ns));
  shared_free(scene, sizeof *scene);
}

static void measure_kills(struct node *node, const char *name) {
  size_t kills = sample_count(KILLS);
  struct samples served = samples_new(kills), gone = samples_new(kills);
  for (size_t i = 0; i < kills; i++)
    kill_one(node, i, kills, &served, &gone);
  report(name, "ms", &served, &gone, "kill to the end of waitpid");
}

static void start_command(void) {
  pid_t pid = fork();
  if (pid == 0) {
    MUST(freopen("/dev/null", "w", stdout));
    execl(AGENT, AGENT, "--version", (char *)NULL);
    _exit(127);
  }
  process_await(pid);
}

/** Times the start of a process, until it is ready; its end is not timed. */
static void measure_start(struct node *node) {
  size_t starts = sample_count(STARTS);
  struct samples ready = samples_new(starts), least = samples_new(starts);
  for (size_t i = 0; i < starts; i++) {
    uint64_t start_ns = now_ns();
    struct agent agent = agent_start(node);
    samples_add(&ready, (double)(now_ns() - start_ns));
    agent_end(&agent, node);
    start_ns = now_ns();
    start_command();
    samples_add(&least, (double)(now_ns() - start_ns));
  }
  report("agent-ready", "ms", &ready, &least, "schedgpu --version");
}

void measure_kill_to_waiter(void) {
  struct node node = node_new(0, 0);
  node_job(&node, 1, SCHEDGPU_MODE_ONDEMAND, 0);
  node_job(&node, 2, SCHEDGPU_MODE_ONDEMAND, 0);
  measure_kills(&node, "kill-to-waiter");
  if (agent_is_built()) {
    struct agent agent = agent_start(&node);
    measure_kills(&node, "kill-to-waiter-agent");
    agent_end(&agent, &node);
    measure_start(&node);
  } else {
    report_unmeasured("kill-to-waiter-agent", "ms", "not measured: node-agent is not built");
  }
  node_free(&node);
}
