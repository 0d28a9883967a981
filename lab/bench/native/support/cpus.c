/* cpus.c - see cpus.h. */
#include "cpus.h"
#include "must.h"
#include <sched.h>

/* The CPUs of this process before it was pinned: a child of a pinned process needs all of them. */
static cpu_set_t allowed;

__attribute__((constructor)) static void read_allowed(void) {
  MUST(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
}

static int first(void) {
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed))
    cpu++;
  return cpu;
}

static int last(void) {
  int cpu = CPU_SETSIZE - 1;
  while (!CPU_ISSET(cpu, &allowed))
    cpu--;
  return cpu;
}

static void pin(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  MUST(sched_setaffinity(0, sizeof one, &one) == 0);
}

void pin_first(void) {
  pin(first());
}

void pin_last(void) {
  pin(last());
}

bool two_cpus(void) {
  return first() != last();
}
