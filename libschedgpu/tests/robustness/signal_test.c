/*
 * Case 14: signals while a thread is inside the library. Their handlers do not call it: that is not
 * supported (schedgpu.h).
 */
#include "robustness.h"
#include <linux/futex.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* --- a futex that is interrupted every millisecond, whatever the load of the machine --- */

#define BETWEEN_SIGNALS_NS 1000000

static bool interrupting; /* of this process */
static long interruptions;

static uint64_t ns_of(const struct timespec *t) {
  return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static struct timespec timespec_of(uint64_t ns) {
  return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

static long pass_on(long number, const long *a) {
  static long (*real)(long number, ...);
  if (!real)
    *(void **)&real = dlsym(RTLD_NEXT, "syscall");
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/** A wait that would last longer than `a` ends as if interrupted. */
static long wait_interrupted(long *a) {
  const struct timespec *timeout = (const struct timespec *)a[3];
  uint64_t start_ns = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET ? sg_now_ns() : 0;
  if (ns_of(timeout) <= start_ns + BETWEEN_SIGNALS_NS)
    return pass_on(SYS_futex, a);
  struct timespec soon = timespec_of(start_ns + BETWEEN_SIGNALS_NS);
  a[3] = (long)&soon;
  long rc = pass_on(SYS_futex, a);
  if (rc != -1 || errno != ETIMEDOUT)
    return rc;
  interruptions++;
  errno = EINTR;
  return -1;
}

/** Replaces the system's function. */
long syscall(long number, ...) {
  va_list list;
  long a[6];
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(list, long);
  va_end(list);
  int command = (int)a[1] & FUTEX_CMD_MASK;
  bool waits = number == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
  return interrupting && waits && a[3] != 0 ? wait_interrupted(a) : pass_on(number, a);
}

static void waits_interrupted(int write_fd, int read_fd) {
  interrupting = true;
  reserve_six();
  send_byte(write_fd, interruptions > 0 ? 'h' : 'x');
  receive_byte(read_fd);
}

/** Signals that come more often than a slice ends must not keep a waiter from its scans. */
static void case_14_signals_hide_no_death_from_a_waiter(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child a = start_holder(1), b = child_start(2, waits_interrupted);
  await_waiting(&n, 1);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'h');
  child_kill(&b);
  end_empty(&n);
}

static void locks_interrupted(int write_fd, int read_fd) {
  interrupting = true;
  struct sg_handle h = attach_and_lock(write_fd, read_fd);
  sg_unlock(&h);
  leave(&h);
  send_byte(write_fd, interruptions > 0 ? 'u' : 'x');
}

static void case_14_signals_hide_no_dead_lock_holder(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle view = map_region(&n);
  struct child b = child_start(1, locks_interrupted);
  assert_int_equal(receive_byte(b.from), 'a');
  struct child a = start_lock_holder();
  send_byte(b.to, 'l');
  await_lock_waiter(&view);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'l');
  assert_int_equal(receive_byte(b.from), 'u');
  assert_int_equal(child_wait(&b), 0);
  sg_close(&view);
  end_empty(&n);
}

/* --- true signals --- */

static volatile sig_atomic_t signals;

static void count_signal(int number) {
  (void)number;
  signals++;
}

/** As a sampling profiler does: a signal every 2 ms, for as long as the process lives. */
static void be_interrupted(void) {
  struct sigaction action = {.sa_handler = count_signal,
                             .sa_flags = SA_RESTART}; /* for the pipes */
  struct itimerval often = {{0, 2000}, {0, 2000}};
  if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &often, NULL) != 0)
    _exit(5);
}

static void holds_six_interrupted(int write_fd, int read_fd) {
  be_interrupted();
  holds_six(write_fd, read_fd);
}

static void times_out_interrupted(int write_fd, int read_fd) {
  be_interrupted();
  int rc = schedgpu_reserve(0, 6 * GIB, 50 * MS);
  send_byte(write_fd, rc == SCHEDGPU_ETIMEDOUT && signals > 0 ? 't' : 'x');
  receive_byte(read_fd);
}

static void case_14_a_signal_handler_ends_no_wait(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child a = start_holder(1), b = child_start(2, times_out_interrupted);
  assert_int_equal(receive_byte(b.from), 't');
  child_kill(&b);
  struct child c = child_start(2, holds_six_interrupted);
  await_waiting(&n, 1);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(receive_byte(c.from), 'h');
  child_kill(&a);
  child_kill(&c);
  end_empty(&n);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_14_a_signal_handler_ends_no_wait),
      cmocka_unit_test(case_14_signals_hide_no_death_from_a_waiter),
      cmocka_unit_test(case_14_signals_hide_no_dead_lock_holder),
  };
  return cmocka_run_group_tests_name("case 14: signals", tests, NULL, NULL);
}
