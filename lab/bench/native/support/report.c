/*
 * report.c - see report.h. Names and texts come from the bench itself, so nothing needs escaping.
 */
#include "report.h"
#include "must.h"
#include <stdarg.h>

#define NAMES 4

const char *name_of(const char *format, ...) {
  static char text[NAMES][64];
  static int next;
  char *name = text[next++ % NAMES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(name, sizeof text[0], format, arguments);
  va_end(arguments);
  return name;
}

static double ns_of(const char *unit) {
  if (strcmp(unit, "ms") == 0)
    return 1e6;
  return strcmp(unit, "us") == 0 ? 1e3 : 1;
}

void report(const char *name, const char *unit, struct samples *ours, struct samples *limit,
            const char *limit_is) {
  double ns = ns_of(unit);
  printf("{\"name\":\"%s\",\"unit\":\"%s\",\"p50\":%.4f,\"p99\":%.4f,\"limit\":%.4f,"
         "\"limitIs\":\"%s\"}\n",
         name, unit, samples_percentile(ours, 50) / ns, samples_percentile(ours, 99) / ns,
         samples_percentile(limit, 50) / ns, limit_is);
  fflush(stdout);
}

void report_unmeasured(const char *name, const char *unit, const char *why) {
  printf("{\"name\":\"%s\",\"unit\":\"%s\",\"unmeasured\":\"%s\"}\n", name, unit, why);
  fflush(stdout);
}

void report_stage(const char *approach, const char *stage, struct samples *samples) {
  printf("{\"approach\":\"%s\",\"stage\":\"%s\",\"unit\":\"us\",\"p50\":%.4f,\"p99\":%.4f}\n",
         approach, stage, samples_percentile(samples, 50) / 1e3,
         samples_percentile(samples, 99) / 1e3);
  fflush(stdout);
}
