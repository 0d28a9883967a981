/* stderr.c - see stderr.h */
#include "stderr.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Blocks SIGPIPE during a write, and removes it if the write raised it, because a broken pipe must
 * not kill the program.
 */
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

/* Uses the raw system call, because write() is a cancellation point. */
void sg_write_stderr(const char *text, size_t length) {
  int saved = errno;
  struct pipe_guard guard;
  guard_pipe(&guard);
  syscall(SYS_write, STDERR_FILENO, text, length);
  unguard_pipe(&guard);
  errno = saved;
}
