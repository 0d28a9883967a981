/* clock_test.c - all processes of a node count one time, also those in a time namespace. */
#include "../support/node.h"
#include "../../shell/shell.h"
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif
#define WAIT_NS 1000000
#define HOUR_NS UINT64_C(3600000000000)

static uint64_t raw_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool near(uint64_t a, uint64_t b) {
  return (a < b ? b - a : a - b) < HOUR_NS;
}

/** In the child: 0 if its clock is a day ahead, and its time is not. */
static int compare(uint64_t before_ns) {
  _Atomic uint32_t word = 0;
  if (near(raw_ns(), before_ns) || !near(sg_now_ns(), before_ns))
    return 1;
  uint64_t begun_ns = raw_ns();
  if (sg_futex_wait(&word, 0, WAIT_NS)) /* ends by its time, and not before */
    return 2;
  return raw_ns() - begun_ns < WAIT_NS ? 3 : 0;
}

static void a_time_namespace_does_not_shift_the_time(void **state) {
  (void)state;
  uint64_t before_ns = raw_ns();
  int status = 1;
  pid_t pid = fork();
  if (pid == 0) {
    if (unshare(CLONE_NEWTIME) != 0)
      _exit(77);
    int fd = open("/proc/self/timens_offsets", O_WRONLY);
    if (fd < 0 || write(fd, "monotonic 86400 5", 17) != 17)
      _exit(77);
    pid_t inside = fork();
    if (inside == 0)
      _exit(compare(before_ns));
    waitpid(inside, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    print_message("skipped: no time namespaces here\n");
    skip();
  }
  assert_int_equal(status, 0);
}

/** Its children get the shift, not the process itself. */
static void a_namespace_for_children_does_not_shift_ones_own_time(void **state) {
  (void)state;
  int status = 1;
  pid_t pid = fork();
  if (pid == 0) {
    if (unshare(CLONE_NEWTIME) != 0)
      _exit(77);
    int fd = open("/proc/self/timens_offsets", O_WRONLY);
    if (fd < 0 || write(fd, "monotonic 86400 5", 17) != 17)
      _exit(77);
    _exit(near(sg_now_ns(), raw_ns()) ? 0 : 1);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    print_message("skipped: no time namespaces here\n");
    skip();
  }
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_namespace_for_children_does_not_shift_ones_own_time),
      cmocka_unit_test(a_time_namespace_does_not_shift_the_time),
  };
  return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
