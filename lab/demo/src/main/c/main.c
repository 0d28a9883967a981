/*
 * One program of the workload; -DPROGRAM says which. It knows nothing of schedGPU.
 *
 *   DEMO_SCALE=20 ara     runs it 20 times faster than on the paper's test-bed
 *   ara --describe        prints what it is like, as JSON
 *
 * Exit status: 0 done, 1 failed, 2 out of device memory.
 */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

static const struct program *const program = &PROGRAM;

static double scale_from_environment(void) {
  const char *text = getenv("DEMO_SCALE");
  if (!text || !*text)
    return 1;
  char *end;
  double scale = strtod(text, &end);
  return *end || !(scale >= 1 && scale <= 1e6) ? 0 : scale;
}

int main(int count, char **arguments) {
  if (count == 2 && !strcmp(arguments[1], "--describe")) {
    engine_print_program(stdout, program);
    return 0;
  }
  double scale = scale_from_environment();
  if (count != 1 || scale <= 0) {
    fprintf(stderr, "%s: usage: DEMO_SCALE=<1 to 1000000> %s [--describe]\n", program->name,
            arguments[0]);
    return 1;
  }
  struct report report;
  enum outcome outcome = engine_run(program, scale, &report);
  engine_print_report(stdout, program, scale, &report);
  return outcome;
}
