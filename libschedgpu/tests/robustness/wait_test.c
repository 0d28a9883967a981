/*
 * Cases 8, 9, 11, 12 and 14: waits, and what other processes do meanwhile. The test can stop a
 * waiter in its observer, which is called when the request is queued and before the thread sleeps.
 * So each order of events is forced and not waited for.
 */
#include "robustness.h"
#include <pthread.h>

/* --- case 8: a stopped holder of the lock --- */

static void case_08_a_stopped_lock_holder_is_named_and_keeps_the_lock(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child a = start_lock_holder();
  char letter;
  stop_child(&a);
  schedgpu_admin_set_timeout(n.admin, 60 * MS);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_ELOCK);
  assert_int_equal(schedgpu_admin_lock_holder(n.admin, &letter), a.pid);
  assert_int_equal(letter, 'T');
  kill(a.pid, SIGCONT);
  send_byte(a.to, 'u');
  assert_int_equal(receive_byte(a.from), 'u');
  assert_int_equal(child_wait(&a), 0);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  end_empty(&n);
}

static void tells_of_the_lock(const struct schedgpu_wait_notice *notice, void *write_fd) {
  if (notice->lock_holder_pid)
    send_byte(*(int *)write_fd, notice->lock_holder_state);
}

/** First with a deadline, which ends in ELOCK; then without one. */
static void is_stopped_by_the_lock(int write_fd, int read_fd) {
  schedgpu_attach();
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
  schedgpu_set_wait_observer(tells_of_the_lock, &write_fd);
  send_byte(write_fd, schedgpu_reserve(0, GIB, 1 * MS) == SCHEDGPU_ELOCK ? 'e' : 'x');
  schedgpu_set_wait_observer(NULL, NULL);
  send_byte(write_fd, schedgpu_reserve(0, GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'g' : 'x');
}

static void case_08_a_client_names_the_stopped_process_and_goes_on_after_sigcont(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child b = child_start(1, is_stopped_by_the_lock);
  assert_int_equal(receive_byte(b.from), 'a');
  struct child a = start_lock_holder();
  stop_child(&a);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'T');
  assert_int_equal(receive_byte(b.from), 'e');
  kill(a.pid, SIGCONT);
  send_byte(a.to, 'u');
  assert_int_equal(receive_byte(b.from), 'g');
  assert_int_equal(child_wait(&a), 0);
  assert_int_equal(child_wait(&b), 0);
  end_empty(&n);
}

/* --- case 9: no other process, no agent, one waiter without a deadline --- */

static void a_death_serves_the_waiter(uint32_t mode) {
  struct node n = node_with_jobs(2, mode);
  struct child a = start_holder(1);
  struct child b = child_start(2, holds_six);
  await_waiting(&n, 1);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'h');
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&b);
  end_empty(&n);
}

static void case_09_quiet_system_a_killed_holder_is_noticed_by_the_only_waiter(void **state) {
  (void)state, a_death_serves_the_waiter(ONDEMAND);
}
static void case_09_quiet_system_a_killed_holder_of_a_budget_is_noticed_too(void **state) {
  (void)state, a_death_serves_the_waiter(PEAK);
}

/* --- cases 11 and 12: time-out, cancel and death against a grant --- */

static int observer_write_fd, observer_read_fd;

/** The waiting thread stays here, in the queue and without a lock, until the test lets it
 * continue. */
static void hold_the_waiter(const struct schedgpu_wait_notice *notice, void *unused) {
  (void)unused;
  if (notice->ended)
    return;
  send_byte(observer_write_fd, 'w');
  receive_byte(observer_read_fd);
}

static void hold_my_waits(int write_fd, int read_fd) {
  observer_write_fd = write_fd;
  observer_read_fd = read_fd;
  schedgpu_set_wait_observer(hold_the_waiter, NULL);
}

static char letter_of(int rc) {
  return rc == SCHEDGPU_OK          ? 'g'
         : rc == SCHEDGPU_ETIMEDOUT ? 't'
         : rc == SCHEDGPU_ENOJOB    ? 'n'
                                    : 'x';
}

/** Wants 6 GiB at once, is stopped in the queue ('w'), and sends the result. */
static void wants_six_at_once(int write_fd, int read_fd) {
  hold_my_waits(write_fd, read_fd);
  send_byte(write_fd, letter_of(schedgpu_reserve(0, 6 * GIB, 1)));
  receive_byte(read_fd);
}

static void await_deadline(const struct sg_handle *view) {
  while (sg_now_ns() <= view->r->waiter[SECOND].deadline_ns)
    nap_ms(1);
}

static void case_11_a_grant_before_the_time_out_wins(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct sg_handle view = map_region(&n);
  struct child a = start_holder(1), b = child_start(2, wants_six_at_once);
  assert_int_equal(receive_byte(b.from), 'w');
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(atomic_load(&view.r->waiter[SECOND].state), SG_GRANTED);
  await_deadline(&view);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'g');
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&a);
  child_kill(&b);
  sg_close(&view);
  end_empty(&n);
}

static void case_11_a_time_out_before_the_grant_wins(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct sg_handle view = map_region(&n);
  struct child a = start_holder(1), b = child_start(2, wants_six_at_once);
  assert_int_equal(receive_byte(b.from), 'w');
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 't');
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(view.r->h.grants, 0);
  assert_int_equal(node_used(&n), 0);
  child_kill(&a);
  child_kill(&b);
  sg_close(&view);
  end_empty(&n);
}

static int thread_rc;

static void *reserve_in_thread(void *unused) {
  thread_rc = schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER);
  return unused;
}

/** A detach is how one thread cancels the waits of the others. */
static void detaches_under_its_waiter(int write_fd, int read_fd) {
  pthread_t thread;
  int to_observer[2];
  if (pipe(to_observer) != 0)
    _exit(5);
  hold_my_waits(write_fd, to_observer[0]);
  if (pthread_create(&thread, NULL, reserve_in_thread, NULL) != 0)
    _exit(5);
  receive_byte(read_fd);
  send_byte(write_fd, schedgpu_detach() == SCHEDGPU_OK ? 'd' : 'x');
  receive_byte(read_fd);
  send_byte(to_observer[1], 'g');
  pthread_join(thread, NULL);
  send_byte(write_fd, letter_of(thread_rc));
  receive_byte(read_fd);
}

/** In both orders the wait ends as cancelled, and no memory is lost. */
static void cancel_and_grant(bool grant_first) {
  struct node n = node_with_jobs(2, ONDEMAND);
  struct sg_handle view = map_region(&n);
  struct child a = start_holder(1), b = child_start(2, detaches_under_its_waiter);
  assert_int_equal(receive_byte(b.from), 'w');
  if (grant_first) {
    send_byte(a.to, 'f');
    assert_int_equal(receive_byte(a.from), 'r');
    assert_int_equal(atomic_load(&view.r->waiter[SECOND].state), SG_GRANTED);
  }
  send_byte(b.to, 'd');
  assert_int_equal(receive_byte(b.from), 'd');
  if (!grant_first) {
    send_byte(a.to, 'f');
    assert_int_equal(receive_byte(a.from), 'r');
  }
  assert_int_equal(view.r->h.grants, grant_first);
  assert_int_equal(node_used(&n), 0);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'n');
  assert_int_equal(node_used(&n), 0);
  child_kill(&a);
  child_kill(&b);
  sg_close(&view);
  end_empty(&n);
}

static void case_11_a_cancel_after_the_grant_releases_it(void **state) {
  (void)state, cancel_and_grant(true);
}
static void case_11_a_cancel_before_the_grant_leaves_the_queue(void **state) {
  (void)state, cancel_and_grant(false);
}

/** The end of a job takes back a grant that its process has not taken yet. */
static void case_11_the_end_of_a_job_after_the_grant_releases_it(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child a = start_holder(1), b = child_start(2, wants_six_at_once);
  assert_int_equal(receive_byte(b.from), 'w');
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 2), SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 0);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'n');
  child_kill(&a);
  child_kill(&b);
  end_empty(&n);
}

static void wants_three(int write_fd, int read_fd) {
  send_byte(write_fd, letter_of(schedgpu_reserve(0, 3 * GIB, SCHEDGPU_FOREVER)));
  receive_byte(read_fd);
}

static void case_11_a_head_that_times_out_lets_the_next_in(void **state) {
  (void)state;
  struct node n = node_with_jobs(3, ONDEMAND);
  struct child a = start_holder(1), head = child_start(2, wants_six_at_once);
  assert_int_equal(receive_byte(head.from), 'w');
  struct child next = child_start(3, wants_three);
  await_waiting(&n, 2); /* 4 GiB are free, but no request overtakes the head */
  send_byte(head.to, 'g');
  assert_int_equal(receive_byte(head.from), 't');
  assert_int_equal(node_used(&n), 9 * GIB); /* by the head itself, when it left */
  assert_int_equal(receive_byte(next.from), 'g');
  child_kill(&a);
  child_kill(&head);
  child_kill(&next);
  end_empty(&n);
}

static void case_12_a_grant_to_a_dead_client_goes_to_the_next(void **state) {
  (void)state;
  struct node n = node_with_jobs(3, ONDEMAND);
  struct sg_handle view = map_region(&n);
  struct child a = start_holder(1), b = child_start(2, wants_six_at_once);
  assert_int_equal(receive_byte(b.from), 'w');
  struct child c = child_start(3, holds_six);
  await_waiting(&n, 2);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(atomic_load(&view.r->waiter[SECOND].state), SG_GRANTED);
  child_kill(&b);
  assert_int_equal(receive_byte(c.from), 'h'); /* by its own scan for dead clients */
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&a);
  child_kill(&c);
  sg_close(&view);
  end_empty(&n);
}

/* --- case 14: threads that wait at once; signals: signal_test.c --- */

static void *reserve_one(void *unused) {
  (void)unused;
  return schedgpu_reserve(0, GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? NULL : (void *)1;
}

static void waits_with_eight_threads(int write_fd, int read_fd) {
  pthread_t thread[8];
  void *failed = NULL;
  for (int i = 0; i < 8; i++)
    if (pthread_create(&thread[i], NULL, reserve_one, NULL) != 0)
      _exit(5);
  for (int i = 0; i < 8 && !failed; i++)
    pthread_join(thread[i], &failed);
  send_byte(write_fd, failed ? 'x' : 'a');
  receive_byte(read_fd);
}

static void case_14_threads_that_wait_at_once_are_all_served(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child a = start_holder(1);
  struct child b = child_start(2, waits_with_eight_threads);
  while (node_used(&n) != 10 * GIB) /* 4 GiB were free */
    nap_ms(1);
  await_waiting(&n, 1); /* the other three wait for their turn */
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'a');
  assert_int_equal(node_used(&n), 8 * GIB);
  child_kill(&b);
  end_empty(&n);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_08_a_stopped_lock_holder_is_named_and_keeps_the_lock),
      cmocka_unit_test(case_08_a_client_names_the_stopped_process_and_goes_on_after_sigcont),
      cmocka_unit_test(case_09_quiet_system_a_killed_holder_is_noticed_by_the_only_waiter),
      cmocka_unit_test(case_09_quiet_system_a_killed_holder_of_a_budget_is_noticed_too),
      cmocka_unit_test(case_11_a_grant_before_the_time_out_wins),
      cmocka_unit_test(case_11_a_time_out_before_the_grant_wins),
      cmocka_unit_test(case_11_a_cancel_after_the_grant_releases_it),
      cmocka_unit_test(case_11_a_cancel_before_the_grant_leaves_the_queue),
      cmocka_unit_test(case_11_the_end_of_a_job_after_the_grant_releases_it),
      cmocka_unit_test(case_11_a_head_that_times_out_lets_the_next_in),
      cmocka_unit_test(case_12_a_grant_to_a_dead_client_goes_to_the_next),
      cmocka_unit_test(case_14_threads_that_wait_at_once_are_all_served),
  };
  return cmocka_run_group_tests_name("cases 8, 9, 11, 12, 14: waiting", tests, NULL, NULL);
}
