/*
 * Kills a process at every store of every transition that another process can see. The child runs a
 * script and dies at its k-th store, for k = 1, 2, ... until it completes. After each death the
 * node must recover without help: waiters are served, nothing is lost, nothing is counted twice.
 *
 * The tests are in the files beside this one. Here they all run at the same time, because they
 * mostly sleep.
 */
#include "crash_testing.h"

/** Starts a test in its own process; its output goes to `*out`. */
static pid_t start_in_process(const struct CMUnitTest *test, FILE **out) {
  *out = tmpfile();
  assert_non_null(*out);
  fflush(NULL);
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  alarm(1800);
  if (dup2(fileno(*out), 1) != 1 || dup2(fileno(*out), 2) != 2)
    _exit(1);
  int failed = _cmocka_run_group_tests("killed at every store", test, 1, NULL, NULL);
  exit(failed != 0); /* removes the node of a test that failed */
}

static int end_in_process(pid_t pid, FILE *out) {
  int status, c;
  waitpid(pid, &status, 0);
  rewind(out);
  while ((c = fgetc(out)) != EOF)
    putchar(c);
  fclose(out);
  return status != 0;
}

/** `kill_at_every_store_test NAME` runs one test. */
int main(int argc, char **argv) {
  pid_t pid[sizeof crash_tests.test / sizeof *crash_tests.test];
  FILE *out[sizeof pid / sizeof *pid] = {NULL};
  int failed = 0;
  signal(SIGPIPE, SIG_IGN);
  for (size_t i = 0; i < crash_tests.count; i++)
    if (argc < 2 || strcmp(argv[1], crash_tests.test[i]->name) == 0)
      pid[i] = start_in_process(crash_tests.test[i], &out[i]);
  for (size_t i = 0; i < crash_tests.count; i++)
    failed += out[i] && end_in_process(pid[i], out[i]);
  return failed;
}
