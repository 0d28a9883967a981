/* repair.c - findings records of live processes, and kills the process that repairs them. */
#include "crash_testing.h"
#include "../../shell/admin/admin_handle.h"

static void reaps(void) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_reap(a, NULL) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

/** Two of the records are in use. */
static void overwrite(struct node *n, size_t offset, size_t size, int byte) {
  for (uint32_t slot = SG_FIRST_CLIENT; slot < SG_FIRST_CLIENT + 4; slot++)
    memset((char *)&n->admin->h.r->client[slot] + offset, byte, size);
}

static void lose_their_jobs(struct node *n) {
  overwrite(n, offsetof(struct sg_client, job), sizeof(uint32_t), 0x55);
}

static void wipe(struct node *n) {
  overwrite(n, 0, sizeof(struct sg_client), 0);
}

static void fill(struct node *n) {
  overwrite(n, 0, sizeof(struct sg_client), 0x55);
}

static void hold_four(int write_fd, int read_fd) {
  if (schedgpu_context_enter(0, 0) != SCHEDGPU_OK || schedgpu_reserve(0, 4 * GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

/**
 * Two processes hold memory and make no call. The process that repairs their records dies at its
 * k-th store, and the next one repairs the rest. Together they keep what they hold, until the last
 * of them is dead.
 */
static bool keeps_all(uint32_t mode, void (*damage)(struct node *), long k) {
  struct node n = node_new(GIB / 8, 0);
  node_job(&n, 1, mode, mode == ONDEMAND ? 0 : 4 * GIB);
  node_job(&n, 2, mode, mode == ONDEMAND ? 0 : 5 * GIB);
  struct child a = child_start(1, hold_four), b = child_start(2, hold_four);
  assert_int_equal(receive_byte(a.from), 'h');
  assert_int_equal(receive_byte(b.from), 'h');
  uint64_t held = region_used(&n);
  assert_true(held > 8 * GIB);
  damage(&n);
  bool alive = run_until(reaps, k);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(region_used(&n), held);
  assert_int_not_equal(n.admin->h.r->h.repairs, 0); /* so that a live process checks its record */
  node_check(&n);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(region_used(&n), held);
  child_kill(&b);
  neighbour_gets_everything(&n);
  node_free(&n);
  return alive;
}

static void at_every_store_of_the_repair(uint32_t mode, void (*damage)(struct node *)) {
  long k = 1;
  while (!keeps_all(mode, damage, k))
    k++;
  printf("survived SIGKILL at each of %ld stores\n", k - 1);
  assert_true(k > 50);
}

static void case_01_the_repair_of_processes_that_lost_their_jobs(void **state) {
  (void)state, at_every_store_of_the_repair(ONDEMAND, lose_their_jobs);
}

static void case_01_the_repair_of_wiped_records(void **state) {
  (void)state, at_every_store_of_the_repair(ONDEMAND, wipe);
}

static void case_01_the_repair_of_overwritten_records(void **state) {
  (void)state, at_every_store_of_the_repair(ONDEMAND, fill);
}

static void case_01_the_repair_of_wiped_records_with_budgets(void **state) {
  (void)state, at_every_store_of_the_repair(PEAK, wipe);
}

/** The process that repairs the records of others must make them check: repairs is counted
 * first. */
static void case_01_the_repair_of_numbers(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, ONDEMAND, 0);
    struct child a = child_start(1, hold_four);
    assert_int_equal(receive_byte(a.from), 'h');
    uint64_t held = region_used(&n);
    atomic_fetch_or(&n.admin->h.r->client[SG_FIRST_CLIENT].lease[0], UINT32_MAX);
    alive = run_until(reaps, k);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    assert_int_not_equal(n.admin->h.r->h.repairs, 0);
    assert_int_equal(region_used(&n), held);
    node_check(&n);
    child_kill(&a);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 50);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(case_01_the_repair_of_numbers),
    cmocka_unit_test(case_01_the_repair_of_processes_that_lost_their_jobs),
    cmocka_unit_test(case_01_the_repair_of_wiped_records),
    cmocka_unit_test(case_01_the_repair_of_overwritten_records),
    cmocka_unit_test(case_01_the_repair_of_wiped_records_with_budgets),
};
RUN_AT_ONCE(tests)
