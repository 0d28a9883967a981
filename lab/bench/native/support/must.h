/* must.h - a failed check ends the measurement's process with the reason. */
#ifndef BENCH_MUST_H
#define BENCH_MUST_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "bench: %s:%d: check failed: %s (errno: %s)\n", __FILE__, __LINE__,          \
              #condition, strerror(errno));                                                        \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#endif
