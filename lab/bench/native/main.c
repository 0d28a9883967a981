/*
 * main.c - the harness: runs the measurements and prints the results, a JSON object per line.
 *
 * Usage: schedgpu-bench [--quick] [NAME...]
 */
#include "bench.h"
#include "support/clock.h"
#include "support/processes.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool quick;

size_t sample_count(size_t full) {
  return quick && full > 3 ? 3 : full;
}

uint64_t time_limit_ns(uint64_t full_ns) {
  return quick ? NS_PER_MS : full_ns;
}

static const struct {
  const char *name;
  const char *title;
  void (*run)(void);
} measurements[] = {
    {"reserve-release", "reserve + release, alone", measure_reserve_release},
    {"contended", "reserve + release, 2, 8, 32 processes at once", measure_contended},
    {"life-cycle", "attach, context, reserve, release, detach", measure_life_cycle},
    {"hand-off", "release to waiter running", measure_hand_off},
    {"turn", "begin and end of an iteration, alone", measure_turn},
    {"turn-switch", "end of an iteration to waiter running", measure_turn_switch},
    {"shared-lane", "the same in a shared lane, with its memory", measure_shared_lane_switch},
    {"launch", "a launch in a job with a share, and shares of time", measure_launch},
    {"kill-to-waiter", "SIGKILL of the holder to waiter running", measure_kill_to_waiter},
    {"in-budget-alloc", "allocation inside a budget", measure_in_budget_alloc},
    {"queue-pass", "a pass over the queue, each policy", measure_queue_pass},
    {"attached", "the same beside 1, 16, 64, 256 attached clients", measure_attached},
    {"hooks", "prolog and epilog", measure_hooks},
    {"run-command", "schedgpu run around a command", measure_run_command},
    {"command-start", "commands beside a Java that does nothing", measure_command_start},
    {"figure-9", "the stages of the life cycle, five approaches", measure_figure_9},
};
#define MEASUREMENTS (sizeof measurements / sizeof *measurements)

static void run(void *index) {
  measurements[*(size_t *)index].run();
}

static bool wanted(const char *name, int argc, char **argv) {
  bool all = true;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], name) == 0)
      return true;
    all &= strcmp(argv[i], "--quick") == 0;
  }
  return all;
}

static bool known(const char *name) {
  for (size_t i = 0; i < MEASUREMENTS; i++)
    if (strcmp(measurements[i].name, name) == 0)
      return true;
  return false;
}

static bool arguments_are_known(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else if (!known(argv[i])) {
      fprintf(stderr, "schedgpu-bench: %s: unknown: use --quick or", argv[i]);
      for (size_t m = 0; m < MEASUREMENTS; m++)
        fprintf(stderr, " %s", measurements[m].name);
      fprintf(stderr, "\n");
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  if (!arguments_are_known(argc, argv))
    return 64;
  for (size_t i = 0; i < MEASUREMENTS; i++) {
    if (!wanted(measurements[i].name, argc, argv))
      continue;
    fprintf(stderr, "  %-16s %s\n", measurements[i].name, measurements[i].title);
    process_run(run, &i);
  }
  return 0;
}
