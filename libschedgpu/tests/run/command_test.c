/* command_test.c - the command of `schedgpu run`: its start, its signals, its end. */
#include "../../run/command.h"
#include "../conf/conf_testing.h"
#include "../support/stopped.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define SHELL(script)                                                                              \
  (char *[]) {                                                                                     \
    "sh", "-c", script, NULL                                                                       \
  }

static int status_of(pid_t pid) {
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/** Signals are caught once per process, so each test has its own process. */
static int in_process(int (*body)(void)) {
  pid_t pid = fork();
  if (pid == 0) {
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    _exit(sgr_signals_catch() == 0 ? body() : 99);
  }
  return status_of(pid);
}

static int exits(void) {
  return sgr_command_run(SHELL("exit 7"), environ);
}
static int dies(void) {
  return sgr_command_run(SHELL("kill -KILL $$"), environ);
}
static int is_missing(void) {
  return sgr_command_run((char *[]){"/no/such/command", NULL}, environ) == -1 && errno == ENOENT;
}
static int is_forbidden(void) {
  return sgr_command_run((char *[]){"/etc/passwd", NULL}, environ) == -1 && errno == EACCES;
}

static void the_exit_code_is_that_of_a_shell(void **state) {
  (void)state;
  assert_int_equal(in_process(exits), 7);
  assert_int_equal(in_process(dies), 128 + SIGKILL);
  assert_int_equal(in_process(is_missing), 1);
  assert_int_equal(in_process(is_forbidden), 1);
}

/** Without the catch, the signal would end the process. The pause gives the catching thread time:
 * otherwise the signal might reach the started command. */
static int is_early(void) {
  sigset_t pending;
  kill(getpid(), SIGTERM);
  do {
    usleep(20000);
    sigpending(&pending);
  } while (sigismember(&pending, SIGTERM));
  return sgr_command_run(SHELL("sleep 60 & wait"), environ);
}

static void the_command_gets_signals_that_came_before_it_ran(void **state) {
  (void)state;
  assert_int_equal(in_process(is_early), 128 + SIGTERM);
}

static int is_given(void) {
  return sgr_command_run(
      SHELL("trap 'exit 9' HUP; kill -HUP $PPID; for i in $(seq 30000); do sleep 0.02; done"),
      environ);
}

static void the_command_gets_signals_that_come_while_it_runs(void **state) {
  (void)state;
  assert_int_equal(in_process(is_given), 9);
}

/** The command gets the signal mask of our parent, not ours. */
static int can_be_ended(void) {
  return sgr_command_run(SHELL("kill -TERM $$; exit 3"), environ);
}

static void the_command_has_the_usual_signals(void **state) {
  (void)state;
  assert_int_equal(in_process(can_be_ended), 128 + SIGTERM);
}

static int report_pipe[2];
static void tell_end(void *argument) {
  if (write(report_pipe[1], argument, 1) != 1)
    _exit(98);
}
static int waits_at_gate(void) {
  sgr_signals_end_with(tell_end, "e");
  kill(getpid(), SIGTERM);
  while (true)
    pause();
  return 99;
}

static void a_signal_ends_a_wait_and_ends_the_job(void **state) {
  char said = 0;
  (void)state;
  assert_int_equal(pipe(report_pipe), 0);
  assert_int_equal(in_process(waits_at_gate), 128 + SIGTERM);
  assert_int_equal(read(report_pipe[0], &said, 1), 1);
  assert_int_equal(said, 'e');
}

/**
 * Counts its interrupts, and exits with their number. Ctrl-C also ends a `sleep`, and would end a
 * `seq` that writes the list of a loop.
 */
static int counts_interrupts(void) {
  return sgr_command_run(SHELL("n=0; i=0; trap 'n=$((n + 1)); echo interrupt $n' INT; "
                               "trap 'exit $n' TERM; echo ready; "
                               "while [ $((i += 1)) -lt 30000 ]; do sleep 0.02; done"),
                         environ);
}

static int terminal; /* the other end of a pseudo-terminal */

/** Starts a process that counts interrupts, in the foreground of a new pseudo-terminal. */
static pid_t start_at_terminal(void) {
  terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  const char *name = ptsname(terminal);
  assert_non_null(name);
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  setsid();
  int own = open(name, O_RDWR); /* this makes it the terminal of the session */
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (dup2(own, fd) < 0)
      _exit(99);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  _exit(sgr_signals_catch() == 0 ? counts_interrupts() : 99);
}

/** Reads what the terminal shows, until `text` is there. */
static void await(const char *text) {
  char shown[512] = "";
  for (size_t used = 0; !strstr(shown, text);) {
    ssize_t length = read(terminal, shown + used, sizeof shown - 1 - used);
    if (length <= 0)
      fail_msg("no '%s' in: %s", text, shown);
    used += (size_t)length;
    shown[used] = '\0';
  }
}

/** Lets a stopped process take the signals that wait, the lowest number first, and then end.
 * Returns its exit status. */
static int end_of(pid_t pid) {
  assert_int_equal(kill(pid, SIGTERM), 0);
  assert_int_equal(kill(pid, SIGCONT), 0);
  int code = status_of(pid);
  close(terminal);
  return code;
}

static void the_command_gets_an_interrupt_of_the_terminal_once(void **state) {
  (void)state;
  pid_t pid = start_at_terminal();
  await("ready");
  stop_process(pid);
  assert_int_equal(write(terminal, "\003", 1), 1); /* Ctrl-C */
  await("interrupt 1");
  assert_int_equal(end_of(pid), 1);
}

static void the_command_gets_an_interrupt_of_this_process_alone(void **state) {
  (void)state;
  pid_t pid = start_at_terminal();
  await("ready");
  stop_process(pid);
  assert_int_equal(kill(pid, SIGINT), 0);
  assert_int_equal(end_of(pid), 1);
}

static int ignores(void) {
  signal(SIGHUP, SIG_IGN);
  return sgr_signals_catch() == 0 ? sgr_command_run(SHELL("kill -HUP $PPID $$; exit 4"), environ)
                                  : 99;
}

static void ignored_signals_stay_ignored(void **state) {
  (void)state;
  pid_t pid = fork();
  if (pid == 0)
    _exit(ignores());
  assert_int_equal(status_of(pid), 4);
}

static void the_output_of_a_command_is_read(void **state) {
  char said[8];
  (void)state;
  assert_int_equal(
      sgr_command_ask(SHELL("echo out; echo error >&2; exit 5"), environ, said, sizeof said), 5);
  assert_string_equal(said, "out\nerr");
  assert_int_equal(sgr_command_ask((char *[]){"/none", NULL}, environ, said, sizeof said), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_exit_code_is_that_of_a_shell),
      cmocka_unit_test(the_command_gets_signals_that_came_before_it_ran),
      cmocka_unit_test(the_command_gets_signals_that_come_while_it_runs),
      cmocka_unit_test(the_command_has_the_usual_signals),
      cmocka_unit_test(a_signal_ends_a_wait_and_ends_the_job),
      cmocka_unit_test(the_command_gets_an_interrupt_of_the_terminal_once),
      cmocka_unit_test(the_command_gets_an_interrupt_of_this_process_alone),
      cmocka_unit_test(ignored_signals_stay_ignored),
      cmocka_unit_test(the_output_of_a_command_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
