/* iterations_test.c - processes of a lane begin and end iterations: schedgpu.h. */
#include "../support/node.h"
#include "../support/stopped.h"
#include "../../core/lanes/lanes.h"
#include "../../shell/admin/admin_handle.h"
#include "../../shell/client/compute_turn.h"
#include <pthread.h>

static struct node n;

static void lane_job(uint64_t id, uint32_t policy, uint64_t budget_bytes, uint64_t persistent) {
  struct schedgpu_job_spec s = job_spec(id, SCHEDGPU_MODE_PEAK, budget_bytes, 50);
  s.uid = (uint32_t)getuid();
  s.lane = policy;
  s.persistent_bytes = persistent;
  assert_int_equal(schedgpu_admin_job_begin(n.admin, &s), SCHEDGPU_OK);
}

/** Two jobs of 9 GiB that keep 512 MiB: one lane. */
static int set_up(void **state) {
  (void)state;
  n = node_new(0, 0);
  lane_job(1, SCHEDGPU_LANE_PACK, 9 * GIB, 512 * MIB);
  lane_job(2, SCHEDGPU_LANE_PACK, 9 * GIB, 512 * MIB);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  node_free(&n);
  return 0;
}

/** Polls: the only way to know that a child waits for the turn. */
static void await_turn_waiting(uint32_t count) {
  uint64_t size = schedgpu_snapshot_size();
  struct sg_region *r = aligned_alloc(64, (size + 63) / 64 * 64);
  assert_non_null(r);
  for (uint32_t waiting = UINT32_MAX; waiting != count; nap_ms(1)) {
    waiting = 0;
    assert_int_equal(schedgpu_admin_snapshot(n.admin, r, size), SCHEDGPU_OK);
    for (uint32_t i = 0; i < SG_SLOTS; i++)
      waiting += r->turn[i].state == SG_WAITING;
  }
  free(r);
}

static void *begin_in_thread(void *unused) {
  (void)unused;
  return (void *)(intptr_t)schedgpu_iteration_begin(0, SCHEDGPU_FOREVER);
}

/** b: begins ('B'), B: begins without waiting, s: begins and waits 30 ms, t: begins in a thread, j:
 * waits for that, a: allocates 4 GiB, A: tries to, p: allocates a part of what is kept, f: frees
 * them, e: ends, d: detaches, w: is the turn wanted? Answers with a letter, or with the error's
 * number as 'A' + n. */
static void obeys(int write_fd, int read_fd) {
  pthread_t thread = 0;
  void *result;
  for (char c = receive_byte(read_fd); c != '.'; c = receive_byte(read_fd)) {
    int rc = SCHEDGPU_EINVAL;
    if (c == 'b')
      rc = schedgpu_iteration_begin(0, SCHEDGPU_FOREVER);
    else if (c == 'B')
      rc = schedgpu_iteration_begin(0, SCHEDGPU_NO_WAIT);
    else if (c == 's')
      rc = schedgpu_iteration_begin(0, 30000000);
    else if (c == 'a')
      rc = schedgpu_reserve(0, 4 * GIB, SCHEDGPU_FOREVER);
    else if (c == 'p')
      rc = schedgpu_reserve(0, 256 * MIB, 3000000000);
    else if (c == 'A')
      rc = schedgpu_try_reserve(0, 4 * GIB);
    else if (c == 't')
      rc = pthread_create(&thread, NULL, begin_in_thread, NULL);
    else if (c == 'j')
      rc = pthread_join(thread, &result) == 0 ? (int)(intptr_t)result : SCHEDGPU_ESYSTEM;
    else if (c == 'f')
      rc = schedgpu_release(0, 4 * GIB);
    else if (c == 'e')
      rc = schedgpu_iteration_end(0);
    else if (c == 'd')
      rc = schedgpu_detach();
    else if (c == 'w')
      rc = -schedgpu_turn_wanted(0);
    send_byte(write_fd, (char)('A' - rc));
  }
}

static const char ok = 'A', yes = 'B', would_block = 'K', timed_out = 'L', kept = 'X';

static char tell(struct child *c, char what) {
  send_byte(c->to, what);
  return receive_byte(c->from);
}

static void the_turn_goes_to_the_waiter(void **state) {
  (void)state;
  struct child a = child_start(1, obeys), b = child_start(2, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  assert_int_equal(tell(&a, 'w'), yes); /* its first iteration is noted */
  assert_int_equal(tell(&a, 'e'), ok);
  assert_int_equal(tell(&a, 'b'), ok);
  assert_int_equal(tell(&a, 'a'), ok);
  assert_int_equal(tell(&a, 'w'), ok);
  assert_int_equal(tell(&b, 'B'), would_block);
  assert_int_equal(tell(&b, 's'), timed_out);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  assert_int_equal(tell(&a, 'w'), yes);
  assert_int_equal(tell(&a, 'f'), ok);
  assert_int_equal(tell(&a, 'e'), ok);
  assert_int_equal(receive_byte(b.from), ok); /* a is idle for 5 ms, and b looks */
  assert_int_equal(tell(&b, 'a'), ok);
  child_kill(&a);
  child_kill(&b);
}

/** The ticket of the one process that waits for a turn, which says where in the line it is. */
static uint64_t waiting_ticket(void) {
  const struct sg_region *r = n.admin->h.r;
  uint64_t ticket = 0;
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (r->turn[i].state == SG_WAITING)
      ticket = r->turn[i].ticket;
  return ticket;
}

static void a_thread_that_does_not_wait_leaves_the_place_of_another_one(void **state) {
  (void)state;
  struct child a = child_start(1, obeys), b = child_start(2, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  assert_int_equal(tell(&b, 't'), ok);
  await_turn_waiting(1);
  uint64_t ticket = waiting_ticket();
  assert_int_equal(tell(&b, 'B'), would_block);
  assert_int_equal(waiting_ticket(), ticket);
  assert_int_equal(tell(&b, 's'), timed_out);
  assert_int_equal(waiting_ticket(), ticket);
  assert_int_equal(tell(&b, 'A'), would_block);
  assert_int_equal(waiting_ticket(), ticket);
  assert_int_equal(tell(&a, 'e'), ok);
  assert_int_equal(tell(&b, 'j'), ok);
  assert_int_equal(tell(&b, 'B'), ok);
  child_kill(&a);
  child_kill(&b);
}

static void memory_beyond_what_is_kept_waits_for_the_turn(void **state) {
  (void)state;
  struct child a = child_start(1, obeys), b = child_start(2, obeys);
  assert_int_equal(tell(&a, 'a'), ok);
  send_byte(b.to, 'a');
  await_turn_waiting(1);
  assert_int_equal(tell(&a, 'd'), ok);
  assert_int_equal(receive_byte(b.from), ok);
  child_kill(&a);
  child_kill(&b);
}

/** A dead process of the job seems to use more than the job keeps, and no scan is due. */
static void memory_that_is_kept_does_not_wait_because_of_a_dead_process(void **state) {
  (void)state;
  struct sg_region *r = n.admin->h.r;
  struct child a = child_start(1, obeys), b = child_start(2, obeys), c = child_start(1, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  assert_int_equal(tell(&a, 'a'), ok);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  atomic_store(&r->h.scan_took_ns, UINT64_MAX);
  atomic_store(&r->h.scanned_ns, sg_now_ns());
  child_kill(&a);
  assert_int_equal(tell(&c, 'p'), ok);
  assert_int_equal(receive_byte(b.from), ok);
  child_kill(&b);
  child_kill(&c);
}

/** Nobody else does anything: the waiter itself finds out that it may leave. */
static void a_waiter_leaves_a_turn_that_does_not_end(void **state) {
  (void)state;
  struct sg_region *r = n.admin->h.r;
  lane_job(3, SCHEDGPU_LANE_PACK, 4 * GIB, 512 * MIB);
  lane_job(4, SCHEDGPU_LANE_PACK, 4 * GIB, 512 * MIB);
  assert_int_equal(schedgpu_admin_set_foreign(n.admin, 0, 4 * GIB), SCHEDGPU_OK);
  struct child a = child_start(3, obeys), b = child_start(4, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  assert_int_equal(schedgpu_admin_set_foreign(n.admin, 0, 0), SCHEDGPU_OK);
  atomic_store(&r->lane[0].begun_ns, 1); /* fifteen seconds ago, and more */
  assert_int_equal(receive_byte(b.from), ok);
  assert_int_equal(tell(&a, 'e'), ok);
  child_kill(&a);
  child_kill(&b);
}

static void the_turn_of_a_killed_process_goes_on(void **state) {
  (void)state;
  struct child a = child_start(1, obeys), b = child_start(2, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  assert_int_equal(tell(&a, 'a'), ok);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), ok);
  child_kill(&b);
}

static void a_waiter_that_is_killed_leaves(void **state) {
  (void)state;
  struct child a = child_start(1, obeys), b = child_start(2, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  assert_int_equal(tell(&a, 'e'), ok);
  assert_int_equal(tell(&a, 'b'), ok);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  child_kill(&b);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  await_turn_waiting(0);
  assert_int_equal(tell(&a, 'w'), ok);
  child_kill(&a);
}

static void a_stopped_process_keeps_its_turn(void **state) {
  (void)state;
  struct child a = child_start(1, obeys), b = child_start(2, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  stop_process(a.pid);
  assert_int_equal(tell(&b, 's'), timed_out);
  kill(a.pid, SIGCONT);
  assert_int_equal(tell(&a, 'a'), ok);
  child_kill(&a);
  child_kill(&b);
}

static int told_fd;
static uint64_t told_job = 1;

/** Tells the test: 't' that the wait for a turn was reported, with the job that has it, 'T' that
 * for a compute turn; 'e' its end; 'x' anything else. */
static void on_notice(const struct schedgpu_wait_notice *notice, void *argument) {
  (void)argument;
  bool known = notice->is_turn && notice->holder_job_id == told_job && notice->holders == 1;
  char told = notice->is_turn == SCHEDGPU_COMPUTE_TURN ? 'T' : 't';
  send_byte(told_fd, !known ? 'x' : notice->ended ? 'e' : told);
  schedgpu_print_wait(notice, NULL);
}

static void waits_for_the_turn_with_an_observer(int write_fd, int read_fd) {
  told_fd = write_fd;
  schedgpu_set_wait_observer(on_notice, NULL);
  send_byte(write_fd, schedgpu_iteration_begin(0, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'g' : 'x');
  receive_byte(read_fd);
}

/** The iteration of job 1 has no end: job 2 is told whose turn it is, once, and goes on waiting. */
static void an_endless_iteration_is_told_to_who_waits(void **state) {
  (void)state;
  struct child a = child_start(1, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  struct child b = child_start(2, waits_for_the_turn_with_an_observer);
  assert_int_equal(receive_byte(b.from), 't'); /* after ten seconds */
  await_turn_waiting(1);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'e');
  assert_int_equal(receive_byte(b.from), 'g');
  child_kill(&b);
}

static void computes(int write_fd, int read_fd) {
  send_byte(write_fd, sg_compute_turn_begin(0) == SCHEDGPU_OK ? 'g' : 'x');
  receive_byte(read_fd);
}

#define ENDLESS_NS UINT64_C(3600000000000)

static void computes_until_another_waits(int write_fd, int read_fd) {
  bool has = sg_compute_turn_begin(0) == SCHEDGPU_OK;
  send_byte(write_fd, has ? 'g' : 'x');
  sg_compute_turn_await_waiter(0, ENDLESS_NS);
  send_byte(write_fd, sg_compute_turn_is_wanted(0) ? 'w' : 'x');
  receive_byte(read_fd);
}

/** The thread that ends turns sleeps meanwhile. */
static void who_begins_to_wait_wakes_the_process_that_computes(void **state) {
  (void)state;
  lane_job(3, SCHEDGPU_LANE_SHARE, GIB, GIB);
  lane_job(4, SCHEDGPU_LANE_SHARE, GIB, GIB);
  struct child a = child_start(3, computes_until_another_waits);
  assert_int_equal(receive_byte(a.from), 'g');
  while (sg_proc_state(a.pid) != 'S')
    nap_ms(1);
  struct child b = child_start(4, computes);
  assert_int_equal(receive_byte(a.from), 'w');
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'g');
  child_kill(&b);
}

static void computes_with_an_observer(int write_fd, int read_fd) {
  told_fd = write_fd;
  told_job = 3;
  schedgpu_set_wait_observer(on_notice, NULL);
  computes(write_fd, read_fd);
}

/** It keeps no memory from others, so nobody is told to declare more. */
static void a_long_compute_turn_is_told_as_such(void **state) {
  (void)state;
  lane_job(3, SCHEDGPU_LANE_SHARE, GIB, GIB);
  lane_job(4, SCHEDGPU_LANE_SHARE, GIB, GIB);
  struct child a = child_start(3, computes);
  assert_int_equal(receive_byte(a.from), 'g');
  struct child b = child_start(4, computes_with_an_observer);
  assert_int_equal(receive_byte(b.from), 'T'); /* after ten seconds */
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'e');
  assert_int_equal(receive_byte(b.from), 'g');
  child_kill(&b);
}

static void exits_in_an_iteration(int write_fd, int read_fd) {
  bool begun = schedgpu_iteration_begin(0, 0) == SCHEDGPU_OK &&
               schedgpu_reserve(0, 4 * GIB, 0) == SCHEDGPU_OK;
  send_byte(write_fd, begun ? 'g' : 'x');
  receive_byte(read_fd);
  _exit(0); /* neither an end nor a detach */
}

static void the_turn_of_a_process_that_leaves_without_a_word_goes_on(void **state) {
  (void)state;
  struct child a = child_start(1, exits_in_an_iteration), b = child_start(2, obeys);
  assert_int_equal(receive_byte(a.from), 'g');
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  send_byte(a.to, '.');
  assert_int_equal(receive_byte(b.from), ok);
  assert_int_equal(tell(&b, 'a'), ok); /* its memory is free again */
  child_kill(&a);
  child_kill(&b);
}

/** Beyond its budget a job gets nothing, in its turn too: the lane never grows by that. */
static void a_job_that_grows_beyond_its_lane_is_refused(void **state) {
  (void)state;
  struct child a = child_start(1, obeys), b = child_start(2, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  assert_int_equal(tell(&a, 'a'), ok);
  assert_int_equal(tell(&a, 'a'), ok);
  assert_int_equal(tell(&a, 'a'), 'A' - SCHEDGPU_EBUDGET); /* 12 of 9 GiB */
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  assert_int_equal(tell(&a, 'f'), ok);
  assert_int_equal(tell(&a, 'f'), ok);
  assert_int_equal(tell(&a, 'e'), ok);
  assert_int_equal(receive_byte(b.from), ok);
  child_kill(&a);
  child_kill(&b);
}

/** A job with more in use than it declared, while nothing is free. */
static void a_turn_that_cannot_be_returned_is_kept(void **state) {
  (void)state;
  node_job(&n, 3, SCHEDGPU_MODE_ONDEMAND, 0);
  struct child a = child_start(1, obeys), b = child_start(2, obeys), c = child_start(3, obeys);
  struct schedgpu_job_spec s = job_spec(2, SCHEDGPU_MODE_PEAK, 9 * GIB, 90);
  s.uid = (uint32_t)getuid();
  s.lane = SCHEDGPU_LANE_PACK;
  s.persistent_bytes = 512 * MIB;
  assert_int_equal(schedgpu_admin_job_begin(n.admin, &s), SCHEDGPU_OK); /* a higher priority */
  assert_int_equal(tell(&a, 'b'), ok);
  assert_int_equal(tell(&a, 'a'), ok);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  assert_int_equal(tell(&a, 'e'), kept);
  assert_int_equal(tell(&a, 'f'), ok);
  assert_int_equal(tell(&a, 'e'), ok);
  assert_int_equal(receive_byte(b.from), ok);
  child_kill(&a);
  child_kill(&b);
  child_kill(&c);
}

/** A job that uses nothing leaves its lane to who waits for memory, as soon as its iteration ends.
 */
static void an_ended_iteration_leaves_an_idle_budget(void **state) {
  (void)state;
  node_job(&n, 3, SCHEDGPU_MODE_PEAK, 4 * GIB);
  struct child a = child_start(1, obeys), c = child_start(3, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  send_byte(c.to, 'a');
  await_waiting(&n, 1);
  assert_int_equal(tell(&a, 'e'), ok);
  assert_int_equal(receive_byte(c.from), ok);
  child_kill(&a);
  child_kill(&c);
}

/** A forked child is another process: it has not the turn of its parent. */
static void forks_in_an_iteration(int write_fd, int read_fd) {
  int rc = schedgpu_iteration_begin(0, SCHEDGPU_FOREVER);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0)
    _exit(schedgpu_iteration_end(0) != SCHEDGPU_OK ||
          schedgpu_iteration_begin(0, SCHEDGPU_NO_WAIT) != SCHEDGPU_EWOULDBLOCK);
  int status = 1;
  waitpid(pid, &status, 0);
  bool mine = schedgpu_iteration_begin(0, SCHEDGPU_NO_WAIT) == SCHEDGPU_OK;
  send_byte(write_fd, rc == SCHEDGPU_OK && status == 0 && mine ? 'A' : 'x');
  receive_byte(read_fd);
}

static void a_forked_child_has_no_turn(void **state) {
  (void)state;
  struct child a = child_start(1, forks_in_an_iteration);
  assert_int_equal(receive_byte(a.from), ok);
  child_kill(&a);
}

static void jobs_without_a_lane_pass(void **state) {
  (void)state;
  node_job(&n, 3, SCHEDGPU_MODE_PEAK, GIB);
  struct child a = child_start(3, obeys);
  assert_int_equal(tell(&a, 'b'), ok);
  assert_int_equal(tell(&a, 'e'), ok);
  assert_int_equal(tell(&a, 'w'), ok);
  child_kill(&a);
}

static void wrong_devices_are_refused(int write_fd, int read_fd) {
  bool good = schedgpu_iteration_begin(7, SCHEDGPU_FOREVER) == SCHEDGPU_EDEVICE &&
              schedgpu_iteration_end(7) == SCHEDGPU_EDEVICE &&
              schedgpu_iteration_begin(0, -3) == SCHEDGPU_EINVAL && schedgpu_turn_wanted(7) == 0;
  send_byte(write_fd, good ? 'A' : 'x');
  receive_byte(read_fd);
}

static void a_device_that_the_job_has_not_is_an_error(void **state) {
  (void)state;
  struct child a = child_start(1, wrong_devices_are_refused);
  assert_int_equal(receive_byte(a.from), ok);
  child_kill(&a);
}

/** Its turns are those of its launches: marks of iterations must not end one. */
static void in_a_job_with_a_share_iterations_mean_nothing(void **state) {
  (void)state;
  lane_job(3, SCHEDGPU_LANE_SHARE, GIB, GIB);
  lane_job(4, SCHEDGPU_LANE_SHARE, GIB, GIB);
  struct child a = child_start(3, obeys), b = child_start(4, obeys);
  assert_int_equal(tell(&a, 'B'), ok);
  assert_int_equal(tell(&b, 'B'), ok); /* it would have to wait */
  assert_int_equal(tell(&a, 'w'), ok); /* and is not wanted */
  assert_int_equal(tell(&a, 'e'), ok);
  child_kill(&a);
  child_kill(&b);
}

static void begins_and_ends(int write_fd, int read_fd) {
  for (int i = 0; i < 3000; i++) {
    if (schedgpu_iteration_begin(0, SCHEDGPU_FOREVER) != SCHEDGPU_OK ||
        schedgpu_reserve(0, 6 * GIB, SCHEDGPU_NO_WAIT) != SCHEDGPU_OK ||
        schedgpu_release(0, 6 * GIB) != SCHEDGPU_OK || schedgpu_iteration_end(0) != SCHEDGPU_OK) {
      send_byte(write_fd, 'x');
      return;
    }
  }
  send_byte(write_fd, 'A');
  receive_byte(read_fd);
}

/** In its iteration each gets the memory at once, though both together need more than there is. */
static void many_iterations_of_four_processes(void **state) {
  (void)state;
  lane_job(3, SCHEDGPU_LANE_PACK, 9 * GIB, 64 * MIB);
  lane_job(4, SCHEDGPU_LANE_PACK, 9 * GIB, 64 * MIB);
  struct child c[4];
  for (uint64_t i = 0; i < 4; i++)
    c[i] = child_start(i + 1, begins_and_ends);
  for (int i = 0; i < 4; i++)
    assert_int_equal(receive_byte(c[i].from), ok);
  for (int i = 0; i < 4; i++)
    child_kill(&c[i]);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  alarm(300);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_turn_goes_to_the_waiter, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_thread_that_does_not_wait_leaves_the_place_of_another_one,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(memory_beyond_what_is_kept_waits_for_the_turn, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(memory_that_is_kept_does_not_wait_because_of_a_dead_process,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_waiter_leaves_a_turn_that_does_not_end, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_turn_of_a_killed_process_goes_on, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_waiter_that_is_killed_leaves, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_stopped_process_keeps_its_turn, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_endless_iteration_is_told_to_who_waits, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_long_compute_turn_is_told_as_such, set_up, tear_down),
      cmocka_unit_test_setup_teardown(who_begins_to_wait_wakes_the_process_that_computes, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(the_turn_of_a_process_that_leaves_without_a_word_goes_on,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_job_that_grows_beyond_its_lane_is_refused, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_turn_that_cannot_be_returned_is_kept, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_ended_iteration_leaves_an_idle_budget, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_forked_child_has_no_turn, set_up, tear_down),
      cmocka_unit_test_setup_teardown(jobs_without_a_lane_pass, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_device_that_the_job_has_not_is_an_error, set_up, tear_down),
      cmocka_unit_test_setup_teardown(in_a_job_with_a_share_iterations_mean_nothing, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(many_iterations_of_four_processes, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
