/* lives.c - kills a client in its own calls, from the first to the last. */
#include "crash_testing.h"

static void ondemand_life(void) {
  if (schedgpu_reserve(0, 3 * GIB, 0) != SCHEDGPU_OK ||
      schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK ||
      schedgpu_release(0, GIB) != SCHEDGPU_OK || schedgpu_context_leave(0) != SCHEDGPU_OK ||
      schedgpu_release(0, 3 * GIB) != SCHEDGPU_OK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void peak_life(void) {
  if (schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK || schedgpu_release(0, 2 * GIB) != SCHEDGPU_OK ||
      schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

/** Queues behind what job 9 holds, gives up, and asks again without waiting. */
static void queueing_life(void) {
  if (schedgpu_reserve(0, 9 * GIB, 1000000) != SCHEDGPU_ETIMEDOUT ||
      schedgpu_reserve(0, 9 * GIB, 0) != SCHEDGPU_EWOULDBLOCK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void case_01_life_of_an_ondemand_process(void **state) {
  (void)state, at_every_store(ONDEMAND, ondemand_life);
}
static void case_01_life_of_a_peak_process(void **state) {
  (void)state, at_every_store(PEAK, peak_life);
}

static void case_01_queueing_and_giving_up(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(0, 0);
    node_job(&n, 1, ONDEMAND, 0);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_nine);
    assert_int_equal(receive_byte(holder.from), 'h');
    alive = run_until(queueing_life, k);
    child_kill(&holder);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
}

static void gate_life(void) {
  if (schedgpu_gate(0) != SCHEDGPU_OK || schedgpu_gate(0) != SCHEDGPU_OK ||
      schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK ||
      schedgpu_release(0, GIB) != SCHEDGPU_OK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

/** Ends the job from one of its processes, as an epilog does while programs live on. */
static void end_of_a_gate_job(void) {
  schedgpu_admin *a;
  if (schedgpu_gate(0) != SCHEDGPU_OK ||
      schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_job_end(a, SCHEDGPU_JOB_SLURM, 1) != SCHEDGPU_OK ||
      schedgpu_reserve(0, GIB, 0) != SCHEDGPU_ENOJOB || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

/** The gate's budget belongs to the job: after the death of its process all of it is held, or
 * nothing. */
static void gate_is_open_or_closed(struct node *n) {
  assert_int_equal(schedgpu_admin_reap(n->admin, NULL), SCHEDGPU_OK);
  node_check(n);
  uint64_t used = region_used(n), open = 4 * GIB + GIB / 8;
  assert_true(used == 0 || used == open);
  int rc = schedgpu_admin_job_end(n->admin, SCHEDGPU_JOB_SLURM, 1);
  assert_true(rc == SCHEDGPU_OK || (rc == SCHEDGPU_ENOJOB && used == 0));
}

static void at_every_store_of_a_gate(void (*script)(void)) {
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, GATE, 4 * GIB);
    alive = run_until(script, k);
    gate_is_open_or_closed(&n);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

static void case_01_life_of_a_process_behind_a_gate(void **state) {
  (void)state, at_every_store_of_a_gate(gate_life);
}
static void case_01_the_end_of_a_gate_job(void **state) {
  (void)state, at_every_store_of_a_gate(end_of_a_gate_job);
}

static void waits_at_the_gate(void) {
  if (schedgpu_gate(1000000) != SCHEDGPU_ETIMEDOUT || schedgpu_gate(0) != SCHEDGPU_EWOULDBLOCK ||
      schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void case_01_waiting_at_a_gate_and_giving_up(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, GATE, 4 * GIB);
    node_job(&n, 9, ONDEMAND, 0);
    struct child holder = child_start(9, hold_nine);
    assert_int_equal(receive_byte(holder.from), 'h');
    alive = run_until(waits_at_the_gate, k);
    child_kill(&holder);
    schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1); /* it may have been granted by then */
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
}

/** The first of two processes asks: it admits its job, with the contexts of both. */
static void first_of_two(void) {
  if (schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK ||
      schedgpu_release(0, GIB) != SCHEDGPU_OK || schedgpu_context_leave(0) != SCHEDGPU_OK ||
      schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void second_of_two(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_attach() == SCHEDGPU_OK ? 'a' : 'x');
  receive_byte(read_fd);
  bool ok = schedgpu_context_enter(0, LONG_WAIT_NS) == SCHEDGPU_OK &&
            schedgpu_reserve(0, 4 * GIB, LONG_WAIT_NS) == SCHEDGPU_OK;
  send_byte(write_fd, ok ? 'e' : 'x');
  receive_byte(read_fd);
}

/** Whatever happened to the first process, the second has its context and all of the budget. */
static void case_01_admission_of_a_job_with_two_processes(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    struct schedgpu_job_spec s = job_spec(1, PEAK, 4 * GIB, 50);
    s.uid = (uint32_t)getuid();
    s.processes = 2;
    assert_int_equal(schedgpu_admin_job_begin(n.admin, &s), SCHEDGPU_OK);
    struct child second = child_start(1, second_of_two);
    assert_int_equal(receive_byte(second.from), 'a');
    alive = run_until(first_of_two, k);
    send_byte(second.to, 'e');
    assert_int_equal(receive_byte(second.from), 'e');
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(region_used(&n), 4 * GIB + 2 * (GIB / 8));
    child_kill(&second);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(case_01_life_of_an_ondemand_process),
    cmocka_unit_test(case_01_life_of_a_peak_process),
    cmocka_unit_test(case_01_queueing_and_giving_up),
    cmocka_unit_test(case_01_life_of_a_process_behind_a_gate),
    cmocka_unit_test(case_01_the_end_of_a_gate_job),
    cmocka_unit_test(case_01_waiting_at_a_gate_and_giving_up),
    cmocka_unit_test(case_01_admission_of_a_job_with_two_processes),
};
RUN_AT_ONCE(tests)
