/*
 * queue.c - kills a process that frees memory or leaves the queue: waiters are served all the same.
 */
#include "crash_testing.h"

static void hold_six_and_end_at(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 6 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  crash_at_store(receive_byte(read_fd), SIGKILL);
  schedgpu_release(0, 6 * GIB); /* grants to the waiter, and dies during that */
  schedgpu_detach();
  crash_never();
  send_byte(write_fd, 'e');
}

/** Frees by detaching: when it dies its record is gone, and only the lock names it. */
static void hold_six_and_detach_at(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 6 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  crash_at_store(receive_byte(read_fd), SIGKILL);
  schedgpu_detach();
  crash_never();
  send_byte(write_fd, 'e');
}

/** The process that frees dies at every store of that: the waiter is served all the same. */
static void hand_over(void (*giving)(int, int)) {
  bool through = false;
  for (char k = 1; !through; k++) {
    assert_true(k < 127);
    struct node n = node_new(0, 0);
    node_job(&n, 1, ONDEMAND, 0);
    node_job(&n, 2, ONDEMAND, 0);
    struct child giver = child_start(1, giving);
    assert_int_equal(receive_byte(giver.from), 'h');
    struct child waiter = child_start(2, wait_for_five);
    await_waiters(&n, 1);
    send_byte(giver.to, k);
    through = receive_byte(giver.from) == 'e';
    child_kill(&giver);
    assert_int_equal(receive_byte(waiter.from), 'g');
    node_check(&n);
    assert_int_equal(region_used(&n), 5 * GIB);
    child_kill(&waiter);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
}

static void case_01_handing_over_to_the_waiter(void **state) {
  (void)state, hand_over(hold_six_and_end_at);
}
static void case_01_detaching_hands_over_to_the_waiter(void **state) {
  (void)state, hand_over(hold_six_and_detach_at);
}

/** Holds 5 of a claim of 8, gets the rest, which is safe, and releases everything. */
static void finishes_its_claim(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 5 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  crash_at_store(receive_byte(read_fd), SIGKILL);
  schedgpu_reserve(0, 3 * GIB, SCHEDGPU_FOREVER);
  schedgpu_release(0, 8 * GIB);
  schedgpu_detach();
  crash_never();
  send_byte(write_fd, 'e');
}

/** Holds 1 of a claim of 8. 2 more would fit, but then no job could finish. */
static void waits_for_a_safe_state(int write_fd, int read_fd) {
  bool ok = schedgpu_reserve(0, GIB, 0) == SCHEDGPU_OK &&
            schedgpu_reserve(0, 2 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK;
  send_byte(write_fd, ok ? 'g' : 'x');
  receive_byte(read_fd);
}

static void case_01_increments_under_the_bankers_rule(void **state) {
  (void)state;
  bool through = false;
  char k = 1;
  for (; !through; k++) {
    assert_true(k < 127);
    struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
    s.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
    struct node n = node_of(&s);
    node_job(&n, 1, ONDEMAND, 8 * GIB);
    node_job(&n, 2, ONDEMAND, 8 * GIB);
    struct child a = child_start(1, finishes_its_claim);
    assert_int_equal(receive_byte(a.from), 'h');
    struct child b = child_start(2, waits_for_a_safe_state);
    await_waiters(&n, 1);
    send_byte(a.to, k);
    through = receive_byte(a.from) == 'e';
    child_kill(&a);
    assert_int_equal(receive_byte(b.from), 'g');
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(region_used(&n), 3 * GIB);
    child_kill(&b);
    assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 2), SCHEDGPU_OK);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %d stores\n", k - 2);
  assert_true(k > 10);
}

static int observer_write_fd, observer_read_fd;

static void hold_the_waiter(const struct schedgpu_wait_notice *notice, void *unused) {
  (void)unused;
  if (notice->ended)
    return;
  send_byte(observer_write_fd, 'w');
  crash_at_store(receive_byte(observer_read_fd), SIGKILL);
}

/** Leaves the queue when the test says so, and dies at a store of that. */
static void gives_up_in_the_middle(int write_fd, int read_fd) {
  observer_write_fd = write_fd;
  observer_read_fd = read_fd;
  schedgpu_set_wait_observer(hold_the_waiter, NULL);
  int rc = schedgpu_reserve(0, 2 * GIB, 1);
  crash_never();
  send_byte(write_fd, rc == SCHEDGPU_ETIMEDOUT ? 'e' : 'x');
}

/** The waiters before and after it stay in the queue, in their order. */
static void case_01_leaving_the_middle_of_the_queue(void **state) {
  (void)state;
  bool through = false;
  char k = 1;
  for (; !through; k++) {
    assert_true(k < 127);
    struct node n = node_new(0, 0);
    for (uint64_t id = 1; id <= 4; id++)
      node_job(&n, id, ONDEMAND, 0);
    struct child holder = child_start(4, hold_nine);
    assert_int_equal(receive_byte(holder.from), 'h');
    struct child first = child_start(2, wait_for_five);
    await_waiters(&n, 1);
    struct child middle = child_start(1, gives_up_in_the_middle);
    assert_int_equal(receive_byte(middle.from), 'w');
    struct child last = child_start(3, wait_for_three);
    await_waiters(&n, 3);
    send_byte(middle.to, k);
    through = receive_byte(middle.from) == 'e';
    child_kill(&middle);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    await_waiters(&n, 2);
    child_kill(&holder);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    assert_int_equal(receive_byte(first.from), 'g');
    assert_int_equal(receive_byte(last.from), 'g');
    assert_int_equal(region_used(&n), 8 * GIB);
    child_kill(&first);
    child_kill(&last);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %d stores\n", k - 2);
  assert_true(k > 5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(case_01_handing_over_to_the_waiter),
    cmocka_unit_test(case_01_detaching_hands_over_to_the_waiter),
    cmocka_unit_test(case_01_increments_under_the_bankers_rule),
    cmocka_unit_test(case_01_leaving_the_middle_of_the_queue),
};
RUN_AT_ONCE(tests)
