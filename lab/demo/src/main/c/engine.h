/* engine.h - runs a program of the workload: its cycles of CPU parts and GPU parts. */
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
  uint64_t busy_ns;   /* how long its kernels would last alone */
  uint64_t kernel_ns; /* how long it waited for its kernels */
  unsigned asked, held;
  struct span asking[MAX_CYCLES];  /* from the request for memory to its grant */
  struct span holding[MAX_CYCLES]; /* from the grant to the release */
};

/* Runs the program `scale` times faster (> 0). Prints errors to stderr. */
enum outcome engine_run(const struct program *program, double scale, struct report *report);

/* Writes the report, or the properties of the program, as one line of JSON. */
void engine_print_report(FILE *out, const struct program *program, double scale,
                         const struct report *report);
void engine_print_program(FILE *out, const struct program *program);

#endif
