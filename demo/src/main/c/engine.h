/* Runs a program of the workload: its cycles of CPU parts and GPU parts. */
#ifndef DEMO_ENGINE_H
#define DEMO_ENGINE_H

#include "program.h"

#include <stdio.h>

enum { MAX_CYCLES = 16 };
enum outcome { OUTCOME_COMPLETED = 0, OUTCOME_FAILED = 1, OUTCOME_OUT_OF_MEMORY = 2 };

/* Times are ns of CLOCK_MONOTONIC. */
struct span {
  uint64_t from_ns, to_ns;
};

struct report {
  enum outcome outcome;
  struct span run;
  uint64_t busy_ns;   /* how long its kernels last when they are alone */
  uint64_t kernel_ns; /* how long it waited for them */
  unsigned asked, held;
  struct span asking[MAX_CYCLES];  /* from wanting the device to having its memory */
  struct span holding[MAX_CYCLES]; /* from then to having given it back */
};

/* Runs the program `scale` times faster (> 0). Says on stderr what went wrong. */
enum outcome engine_run(const struct program *program, double scale, struct report *report);

/* The report as one line of JSON; the program's facts likewise. */
void engine_print_report(FILE *out, const struct program *program, double scale,
                         const struct report *report);
void engine_print_program(FILE *out, const struct program *program);

#endif
