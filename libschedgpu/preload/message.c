#include "message.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_bool said[SGP_REASONS];

/* A broken pipe must not kill the host: SIGPIPE is blocked for the write and, if the write raised
   it, taken away again. The raw system call, because write() is a place where threads are cancelled. */
static void write_quietly(const char *text, size_t length) {
  sigset_t pipe_only, before, pending;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
  long written = syscall(SYS_write, STDERR_FILENO, text, length);
  if (written < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
    sigtimedwait(&pipe_only, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

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
    write_quietly(line, end + 1);
  }
  errno = saved;
}
