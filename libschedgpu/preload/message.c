#include "message.h"
#include "schedgpu/schedgpu.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_bool said[SGP_REASONS];

/* A broken pipe must not kill the host: SIGPIPE is blocked while we write and, if the write raised
   it, taken away again. */
struct pipe_guard {
  sigset_t before;
  bool pending;
};

static void only_sigpipe(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGPIPE);
}

static void guard_pipe(struct pipe_guard *guard) {
  sigset_t pipe_only, pending;
  only_sigpipe(&pipe_only);
  sigpending(&pending);
  guard->pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe_only, &guard->before);
}

static void unguard_pipe(const struct pipe_guard *guard) {
  sigset_t pipe_only;
  only_sigpipe(&pipe_only);
  if (!guard->pending)
    sigtimedwait(&pipe_only, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}

/* The raw system call, because write() is a place where threads are cancelled. */
static void write_quietly(const char *text, size_t length) {
  struct pipe_guard guard;
  guard_pipe(&guard);
  syscall(SYS_write, STDERR_FILENO, text, length);
  unguard_pipe(&guard);
}

void sgp_say_wait(const struct schedgpu_wait_notice *notice, void *argument) {
  struct pipe_guard guard;
  int saved = errno;
  guard_pipe(&guard);
  schedgpu_print_wait(notice, argument);
  unguard_pipe(&guard);
  errno = saved;
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
