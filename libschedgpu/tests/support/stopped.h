/* stopped.h - stops a child process, and knows that it has stopped. */
#ifndef SG_TEST_STOPPED_H
#define SG_TEST_STOPPED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/wait.h>
#include <cmocka.h>

static inline void await_stopped(pid_t pid) {
  int status;
  assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
  assert_true(WIFSTOPPED(status));
}

/** Returns when all its threads have stopped: kill() alone does not wait for that, and on a busy
 * machine a thread that runs meanwhile does what it would not do as a stopped one. */
static inline void stop_process(pid_t pid) {
  assert_int_equal(kill(pid, SIGSTOP), 0);
  await_stopped(pid);
}

#endif
