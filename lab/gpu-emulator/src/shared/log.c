/* log.c - see log.h. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *format, va_list arguments) {
  char text[1024];
  vsnprintf(text, sizeof text, format, arguments);
  /* one call per line, so that lines of several processes do not mix */
  fprintf(stderr, "emulated GPU: %s\n", text);
}

void log_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
}

static int wanted(void) {
  static int cached = -1;
  int value = __atomic_load_n(&cached, __ATOMIC_RELAXED);
  if (value < 0) {
    const char *text = getenv("EMULATED_GPU_LOG");
    value = text && !strcmp(text, "1");
    __atomic_store_n(&cached, value, __ATOMIC_RELAXED);
  }
  return value;
}

void log_call(const char *format, ...) {
  if (!wanted())
    return;
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
}
