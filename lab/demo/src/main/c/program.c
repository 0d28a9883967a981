/* program.c - see program.h. */
#include "program.h"

#include <stdlib.h>

const struct program program_ara = {"ara", 226.847, 16, 0.37, 0.51, 1};
const struct program program_mummergpu = {"mummergpu", 322.799, 15, 4.04, 2.46, 10};
const struct program program_gpu_blast = {"gpu-blast", 69.144, 36, 33.73, 69.48, 1};

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  uint64_t value = text ? strtoull(text, NULL, 10) : 0;
  return value ? value : otherwise;
}

uint64_t program_device_mib(void) {
  return from_environment("DEMO_DEVICE_MIB", 4799);
}

uint64_t program_context_mib(void) {
  return from_environment("DEMO_CONTEXT_MIB", 64);
}

uint64_t program_allocation_mib(const struct program *program) {
  return (uint64_t)(program->peak_percent * (double)program_device_mib() / 100) -
         program_context_mib();
}

/*
 * Solves for h, the share of the run in which memory is held. With n cycles the context exists for
 * a share 1 - (1 - h) / n of the run, from the first GPU part on. The average is context * that +
 * (peak - context) * h.
 */
double program_held_seconds(const struct program *program) {
  double context = 100.0 * (double)program_context_mib() / (double)program_device_mib();
  double late = context * (1 - 1.0 / program->cycles);
  double share = (program->average_percent - late) / (program->peak_percent - late);
  return share * program->alone_seconds;
}

double program_busy_seconds(const struct program *program) {
  return program->busy_percent / 100 * program->alone_seconds;
}

double program_cpu_part_seconds(const struct program *program) {
  return (program->alone_seconds - program_held_seconds(program)) / program->cycles;
}
