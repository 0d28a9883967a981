/*
 * Cases 8, 10 and 11, where only the exact store makes the case: processes are stopped or killed at
 * it (support/crash.h).
 */
#include "robustness.h"
#include "../support/crash.h"

static struct sg_handle view; /* of the process that looks: the test, or a child before its store */

static void open_view(void) {
  if (sg_open(&view, getenv("SCHEDGPU_RUN_DIR")) != SCHEDGPU_OK)
    _exit(3);
}

static bool lock_is_held(void) {
  return atomic_load(&view.r->h.lock) != 0;
}

static bool first_is_granted(void) {
  return atomic_load(&view.r->waiter[SECOND].state) == SG_GRANTED;
}

/* --- case 8 --- */

static void lives_and_stops(int write_fd, int read_fd) {
  crash_at_store(receive_byte(read_fd), SIGSTOP);
  bool ok = schedgpu_reserve(0, 3 * GIB, 0) == SCHEDGPU_OK &&
            schedgpu_context_enter(0, 0) == SCHEDGPU_OK &&
            schedgpu_context_leave(0) == SCHEDGPU_OK &&
            schedgpu_release(0, 3 * GIB) == SCHEDGPU_OK && schedgpu_detach() == SCHEDGPU_OK;
  crash_never();
  send_byte(write_fd, ok ? 'e' : 'x');
}

/** True if it stopped. Then other processes find the lock free, or learn which process has it. */
static bool stops_at(struct node *n, char store) {
  struct child c = child_start(1, lives_and_stops);
  int status;
  send_byte(c.to, store);
  assert_int_equal(waitpid(c.pid, &status, WUNTRACED), c.pid);
  bool stopped = WIFSTOPPED(status);
  if (stopped) {
    bool held = lock_is_held();
    schedgpu_admin_set_timeout(n->admin, held ? 11 * MS : SCHEDGPU_FOREVER);
    struct schedgpu_reaped reaped = {0};
    int rc = schedgpu_admin_reap(n->admin, &reaped);
    assert_int_equal(rc, held ? SCHEDGPU_ELOCK : SCHEDGPU_OK);
    assert_int_equal(reaped.clients, 0);
    kill(c.pid, SIGCONT);
    waitpid(c.pid, &status, 0);
  }
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_int_equal(receive_byte(c.from), 'e');
  close(c.from);
  close(c.to);
  return stopped;
}

static void case_08_a_process_stopped_at_any_store_keeps_its_memory(void **state) {
  (void)state;
  struct node n = node_new(GIB / 8, 0);
  char store = 0;
  node_job(&n, 1, ONDEMAND, 0);
  open_view();
  while (stops_at(&n, ++store)) {
    schedgpu_admin_set_timeout(n.admin, SCHEDGPU_FOREVER);
    node_check(&n);
    assert_int_equal(node_used(&n), 0);
    assert_true(store < 127);
  }
  printf("stopped at each of %d stores\n", store - 1);
  assert_true(store > 20);
  assert_int_equal(view.r->h.recoveries, 0);
  sg_close(&view);
  end_empty(&n);
}

/* --- case 10 --- */

static bool granted_and_locked(void) {
  return first_is_granted() && lock_is_held();
}

static bool granted_and_unlocked(void) {
  return first_is_granted() && !lock_is_held();
}

static bool (*killed_when)(void);

static void gives_and_is_killed(int write_fd, int read_fd) {
  open_view();
  reserve_six();
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
  crash_when(killed_when, SIGKILL);
  schedgpu_release(0, 6 * GIB);
  send_byte(write_fd, 'x');
}

/** No process wakes the waiter, and no other process exists. */
static void a_giver_is_killed(bool (*when)(void)) {
  struct node n = node_with_jobs(2, ONDEMAND);
  killed_when = when;
  struct child a = child_start(1, gives_and_is_killed);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(2, holds_six);
  await_waiting(&n, 1);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), '.');
  assert_int_equal(receive_byte(b.from), 'h');
  child_kill(&a);
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&b);
  end_empty(&n);
}

static void case_10_killed_between_grant_and_unlock_the_waiter_has_it(void **state) {
  (void)state, a_giver_is_killed(granted_and_locked);
}
static void case_10_killed_between_unlock_and_wake_the_waiter_has_it(void **state) {
  (void)state, a_giver_is_killed(granted_and_unlocked);
}

/* --- case 11 --- */

static int observer_write_fd, observer_read_fd;

static void hold_the_waiter(const struct schedgpu_wait_notice *notice, void *unused) {
  (void)unused;
  if (notice->ended)
    return;
  send_byte(observer_write_fd, 'w');
  receive_byte(observer_read_fd);
}

/** Its deadline has passed when it leaves the observer. */
static void wants_six_at_once(int write_fd, int read_fd) {
  observer_write_fd = write_fd;
  observer_read_fd = read_fd;
  schedgpu_set_wait_observer(hold_the_waiter, NULL);
  int rc = schedgpu_reserve(0, 6 * GIB, 1);
  send_byte(write_fd, rc == SCHEDGPU_OK ? 'g' : rc == SCHEDGPU_ETIMEDOUT ? 't' : 'x');
  receive_byte(read_fd);
}

static void gives_and_stops_with_the_lock(int write_fd, int read_fd) {
  open_view();
  reserve_six();
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
  crash_when(lock_is_held, SIGSTOP);
  send_byte(write_fd, schedgpu_release(0, 6 * GIB) == SCHEDGPU_OK ? 'r' : 'x');
  receive_byte(read_fd);
}

/** The waiter has given up and waits for the lock in order to leave; meanwhile it gets the
 * grant. */
static void case_11_a_grant_while_the_time_out_waits_for_the_lock_wins(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child a = child_start(1, gives_and_stops_with_the_lock);
  open_view();
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = child_start(2, wants_six_at_once);
  assert_int_equal(receive_byte(b.from), 'w');
  send_byte(a.to, 'f');
  await_stopped(a.pid);
  send_byte(b.to, 'g');
  await_lock_waiter(&view);
  assert_int_equal(atomic_load(&view.r->waiter[SECOND].state), SG_WAITING);
  kill(a.pid, SIGCONT);
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(receive_byte(b.from), 'g');
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&a);
  child_kill(&b);
  sg_close(&view);
  end_empty(&n);
}

static bool first_has_left(void) {
  return lock_is_held() && atomic_load(&view.r->waiter[SECOND].state) == SG_WAITER_FREE;
}

static void leave_and_stop(const struct schedgpu_wait_notice *notice, void *unused) {
  hold_the_waiter(notice, unused);
  if (!notice->ended)
    crash_when(first_has_left, SIGSTOP);
}

static void leaves_and_stops(int write_fd, int read_fd) {
  open_view();
  observer_write_fd = write_fd;
  observer_read_fd = read_fd;
  schedgpu_set_wait_observer(leave_and_stop, NULL);
  send_byte(write_fd, schedgpu_reserve(0, 6 * GIB, 1) == SCHEDGPU_ETIMEDOUT ? 't' : 'x');
  receive_byte(read_fd);
}

/** A release comes while the waiter leaves the queue with the lock. */
static void case_11_a_time_out_that_has_the_lock_wins(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child a = start_holder(1), b = child_start(2, leaves_and_stops);
  open_view();
  assert_int_equal(receive_byte(b.from), 'w');
  send_byte(b.to, 'g');
  await_stopped(b.pid);
  send_byte(a.to, 'f');
  await_lock_waiter(&view);
  kill(b.pid, SIGCONT);
  assert_int_equal(receive_byte(b.from), 't');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(view.r->h.grants, 0);
  assert_int_equal(node_used(&n), 0);
  child_kill(&a);
  child_kill(&b);
  sg_close(&view);
  end_empty(&n);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_08_a_process_stopped_at_any_store_keeps_its_memory),
      cmocka_unit_test(case_10_killed_between_grant_and_unlock_the_waiter_has_it),
      cmocka_unit_test(case_10_killed_between_unlock_and_wake_the_waiter_has_it),
      cmocka_unit_test(case_11_a_grant_while_the_time_out_waits_for_the_lock_wins),
      cmocka_unit_test(case_11_a_time_out_that_has_the_lock_wins),
  };
  return cmocka_run_group_tests_name("cases 8, 10, 11: at the exact store", tests, NULL, NULL);
}
