/* pace.c - see pace.h. */
#include "pace.h"

#include <errno.h>
#include <time.h>

static uint64_t overslept_ns;

uint64_t pace_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void pace_sleep_until_ns(uint64_t ns) {
  struct timespec end = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
    ;
}

void pace_compute_ns(uint64_t ns) {
  if (ns <= overslept_ns) {
    overslept_ns -= ns;
    return;
  }
  uint64_t end_ns = pace_now_ns() + ns - overslept_ns;
  pace_sleep_until_ns(end_ns);
  overslept_ns = pace_now_ns() - end_ns;
}
