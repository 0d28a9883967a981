/* lanes.c - kills a process of a lane: its turn goes on, and its memory is given back. */
#include "crash_testing.h"
#include "../../shell/admin/admin_handle.h"
#include "../../shell/client/lane_memory.h"

static void node_lane_job(struct node *n, uint64_t id, uint64_t persistent_bytes) {
  struct schedgpu_job_spec s = job_spec(id, PEAK, 9 * GIB, 50);
  s.uid = (uint32_t)getuid();
  s.lane = SCHEDGPU_LANE_FAIR;
  s.persistent_bytes = persistent_bytes;
  assert_int_equal(schedgpu_admin_job_begin(n->admin, &s), SCHEDGPU_OK);
}

/** Loads its model, iterates twice, keeps more than it declared, and ends. */
static void life_in_a_lane(void) {
  if (schedgpu_reserve(0, 512 * MIB, 0) != SCHEDGPU_OK ||
      schedgpu_iteration_begin(0, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 8 * GIB, 0) != SCHEDGPU_OK ||
      schedgpu_release(0, 7 * GIB) != SCHEDGPU_OK || schedgpu_iteration_end(0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 2 * GIB, 0) != SCHEDGPU_OK || schedgpu_iteration_end(0) != SCHEDGPU_OK ||
      schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void dies_at_every_store(void (*life)(void)) {
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_lane_job(&n, 1, 512 * MIB);
    alive = run_until(life, k);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

static void case_01_life_of_a_process_in_a_lane(void **state) {
  (void)state;
  dies_at_every_store(life_in_a_lane);
}

/** Maps its lane, and ends without it. */
static void life_in_a_shared_lane(void) {
  if (schedgpu_lane_share(0) != SCHEDGPU_OK || schedgpu_reserve(0, 512 * MIB, 0) != SCHEDGPU_OK ||
      schedgpu_iteration_begin(0, 0) != SCHEDGPU_OK ||
      sg_lane_memory_note(0, 8 * GIB, 7) != SCHEDGPU_OK ||
      schedgpu_iteration_end(0) != SCHEDGPU_OK || schedgpu_release(0, 512 * MIB) != SCHEDGPU_OK ||
      sg_lane_memory_note(0, 0, 0) != SCHEDGPU_OK || schedgpu_detach() != SCHEDGPU_OK)
    _exit(9);
}

static void case_01_life_of_a_process_in_a_shared_lane(void **state) {
  (void)state;
  dies_at_every_store(life_in_a_shared_lane);
}

/** Has the turn for long, keeps more than it declared, and hands the turn over. */
static void hands_its_turn_over(int write_fd, int read_fd) {
  if (schedgpu_iteration_begin(0, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 640 * MIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  crash_at_store(receive_byte(read_fd), SIGKILL);
  schedgpu_iteration_end(0);
  schedgpu_detach();
  crash_never();
  send_byte(write_fd, 'e');
}

static void waits_for_its_turn(int write_fd, int read_fd) {
  bool ok = schedgpu_iteration_begin(0, SCHEDGPU_FOREVER) == SCHEDGPU_OK &&
            schedgpu_reserve(0, 8 * GIB, 0) == SCHEDGPU_OK;
  send_byte(write_fd, ok ? 'g' : 'x');
  receive_byte(read_fd);
}

/** In the region itself, as await_waiters(). */
static uint32_t turns_waiting(struct node *n) {
  const struct sg_region *r = n->admin->h.r;
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    waiting += atomic_load(&r->turn[i].state) == SG_WAITING;
  return waiting;
}

static void case_01_handing_a_turn_over(void **state) {
  (void)state;
  bool through = false;
  char k = 1;
  for (; !through; k++) {
    assert_true(k < 127);
    struct schedgpu_setup setup = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
    setup.quantum_ns = 1; /* over at once */
    struct node n = node_of(&setup);
    node_lane_job(&n, 1, 512 * MIB);
    node_lane_job(&n, 5, 512 * MIB);
    struct child giver = child_start(1, hands_its_turn_over);
    assert_int_equal(receive_byte(giver.from), 'h');
    struct child waiter = child_start(5, waits_for_its_turn);
    while (turns_waiting(&n) == 0)
      nap_ms(1);
    send_byte(giver.to, k);
    through = receive_byte(giver.from) == 'e';
    assert_int_equal(receive_byte(waiter.from), 'g');
    child_kill(&giver);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_OK);
    assert_int_equal(region_used(&n), 9 * GIB);
    child_kill(&waiter);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %d stores\n", k - 2);
  assert_true(k > 5);
}

/** Waits for the turn in vain, and gives up. */
static void gives_up(void) {
  if (schedgpu_iteration_begin(0, 20000000) != SCHEDGPU_ETIMEDOUT)
    _exit(9);
}

static void has_the_turn(int write_fd, int read_fd) {
  if (schedgpu_iteration_begin(0, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

static void case_01_waiting_for_a_turn(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(0, 0);
    node_lane_job(&n, 1, 512 * MIB);
    node_lane_job(&n, 3, 512 * MIB);
    struct child holder = child_start(3, has_the_turn);
    assert_int_equal(receive_byte(holder.from), 'h');
    alive = run_until(gives_up, k);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(turns_waiting(&n), 0);
    child_kill(&holder);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 5);
}

/** What it releases lets the waiter open a lane of its own. */
static void releases(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, MIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  crash_at_store(receive_byte(read_fd), SIGKILL);
  schedgpu_release(0, MIB);
  crash_never();
  send_byte(write_fd, 'e');
}

/** A waiter in the lane of a holder whose iteration never ends. */
static struct child waiter_for_a_stuck_turn(struct node *n) {
  struct child waiter = child_start(5, waits_for_its_turn);
  while (turns_waiting(n) == 0)
    nap_ms(1);
  atomic_store(&n->admin->h.r->lane[0].begun_ns, 1);
  return waiter;
}

/** Whoever moves the waiter is killed: then the waiter moves itself. */
static void case_01_leaving_a_stuck_lane(void **state) {
  (void)state;
  bool through = false;
  char k = 1;
  for (; !through; k++) {
    assert_true(k < 127);
    struct schedgpu_setup setup = fixture_setup(1, 18 * GIB, 0, SCHEDGPU_POLICY_FIFO);
    struct node n = node_of(&setup);
    node_lane_job(&n, 3, 512 * MIB);
    node_lane_job(&n, 5, 512 * MIB);
    node_job(&n, 7, ONDEMAND, 0);
    struct child holder = child_start(3, has_the_turn);
    assert_int_equal(receive_byte(holder.from), 'h');
    struct child mover = child_start(7, releases);
    assert_int_equal(receive_byte(mover.from), 'h');
    struct child waiter = waiter_for_a_stuck_turn(&n);
    send_byte(mover.to, k);
    through = receive_byte(mover.from) == 'e';
    assert_int_equal(receive_byte(waiter.from), 'g');
    child_kill(&mover);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(region_used(&n), 18 * GIB);
    child_kill(&holder);
    child_kill(&waiter);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %d stores\n", k - 2);
  assert_true(k > 5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(case_01_life_of_a_process_in_a_lane),
    cmocka_unit_test(case_01_life_of_a_process_in_a_shared_lane),
    cmocka_unit_test(case_01_handing_a_turn_over),
    cmocka_unit_test(case_01_waiting_for_a_turn),
    cmocka_unit_test(case_01_leaving_a_stuck_lane),
};
RUN_AT_ONCE(tests)
