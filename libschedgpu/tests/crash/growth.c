/* growth.c - kills a process of a job with a growable budget. */
#include "crash_testing.h"

/** Takes the budget and more, then more again, waits in vain for still more, and releases all. */
static void overflowing_life(void) {
  if (schedgpu_reserve(0, 5 * GIB, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 2 * GIB, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, GIB, 1000000) != SCHEDGPU_ETIMEDOUT ||
      schedgpu_release(0, 6 * GIB) != SCHEDGPU_OK || schedgpu_release(0, GIB) != SCHEDGPU_OK ||
      schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void node_overflowing_job(struct node *n, uint64_t id, uint64_t budget_bytes) {
  struct schedgpu_job_spec s = job_spec(id, PEAK, budget_bytes, 50);
  s.uid = (uint32_t)getuid();
  s.flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  assert_int_equal(schedgpu_admin_job_begin(n->admin, &s), SCHEDGPU_OK);
}

static void hold_six(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 6 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

static void hold_three(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 3 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

static void case_01_life_of_a_process_with_a_growable_budget(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(0, 0);
    node_overflowing_job(&n, 1, 4 * GIB);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_three);
    assert_int_equal(receive_byte(holder.from), 'h');
    alive = run_until(overflowing_life, k);
    child_kill(&holder);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

static void gives_back_inside_the_budget(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 4 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  crash_at_store(receive_byte(read_fd), SIGKILL);
  schedgpu_release(0, GIB); /* which a sibling waits for; the rest stays */
  crash_never();
  send_byte(write_fd, 'e');
  receive_byte(read_fd);
}

static void wait_for_one(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_reserve(0, GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'g' : 'x');
  receive_byte(read_fd);
}

/** A sibling waits for a part of the budget. The process that releases dies, and the sibling is
 * served all the same. */
static void case_01_a_sibling_waits_inside_the_budget(void **state) {
  (void)state;
  bool through = false;
  char k = 1;
  for (; !through; k++) {
    assert_true(k < 127);
    struct node n = node_new(0, 0);
    node_overflowing_job(&n, 1, 4 * GIB);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_six);
    assert_int_equal(receive_byte(holder.from), 'h');
    struct child giver = child_start(1, gives_back_inside_the_budget);
    assert_int_equal(receive_byte(giver.from), 'h');
    struct child waiter = child_start(1, wait_for_one);
    await_waiters(&n, 1);
    send_byte(giver.to, k);
    through = receive_byte(giver.from) == 'e';
    assert_int_equal(receive_byte(waiter.from), 'g');
    child_kill(&giver);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(region_used(&n), 10 * GIB);
    child_kill(&waiter);
    child_kill(&holder);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %d stores\n", k - 2);
  assert_true(k > 5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(case_01_life_of_a_process_with_a_growable_budget),
    cmocka_unit_test(case_01_a_sibling_waits_inside_the_budget),
};
RUN_AT_ONCE(tests)
