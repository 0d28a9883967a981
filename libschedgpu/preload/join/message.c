/* message.c - see message.h. */
#include "message.h"
#include "../../shell/sys/stderr.h"
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static atomic_bool said[SGP_REASONS];

void sgp_say_once(enum sgp_reason reason, const char *format, ...) {
  if (atomic_exchange(&said[reason], true))
    return;
  int saved = errno;
  char line[512] = "schedgpu: ";
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line + 10, sizeof line - 11, format, arguments);
  va_end(arguments);
  if (length >= 0) {
    size_t end = 10 + (size_t)length;
    if (end > sizeof line - 2)
      end = sizeof line - 2;
    line[end] = '\n';
    sg_write_stderr(line, end + 1);
  }
  errno = saved;
}
