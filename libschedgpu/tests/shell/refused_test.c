/* Refused allocations are counted for the job, without an agent. */
#include "../support/node.h"
#include "../../shell/admin/admin_handle.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static struct schedgpu_job_use use_of(struct node *n, uint64_t id) {
  struct schedgpu_job_use use;
  assert_int_equal(schedgpu_admin_reap(n->admin, NULL), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_job_use(n->admin, SCHEDGPU_JOB_SLURM, id, &use), SCHEDGPU_OK);
  return use;
}

/** Runs `body` in a process of the job, which ends, and returns what the job has used. */
static struct schedgpu_job_use after(struct node *n, uint64_t id, void (*body)(int, int)) {
  struct child c = child_start(id, body);
  assert_int_equal(receive_byte(c.from), 'y');
  child_kill(&c);
  return use_of(n, id);
}

static void is_refused(int write_fd, int read_fd) {
  bool right = schedgpu_reserve(0, 3 * GIB, 0) == SCHEDGPU_OK &&
               schedgpu_reserve(0, 2 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_EBUDGET &&
               schedgpu_reserve(0, 6 * GIB, 0) == SCHEDGPU_EBUDGET &&
               schedgpu_reserve(0, GIB, 0) == SCHEDGPU_OK;
  send_byte(write_fd, right ? 'y' : 'n');
  receive_byte(read_fd);
}

static void a_request_over_the_budget_is_counted(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, PEAK, 4 * GIB);
  struct schedgpu_job_use use = after(&n, 1, is_refused);
  assert_int_equal(use.refusals, 2);
  assert_int_equal(use.refused_bytes, 6 * GIB);
  assert_int_equal(use.peak_bytes[0], 4 * GIB);
  node_free(&n);
}

static void a_request_over_a_budget_on_demand_is_counted(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 4 * GIB);
  struct schedgpu_job_use use = after(&n, 1, is_refused);
  assert_int_equal(use.refusals, 2);
  assert_int_equal(use.refused_bytes, 6 * GIB);
  node_free(&n);
}

static void asks_for_more_than_there_is(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_reserve(0, 11 * GIB, 0) == SCHEDGPU_ETOOBIG ? 'y' : 'n');
  receive_byte(read_fd);
}

static void a_request_over_the_device_is_counted(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct schedgpu_job_use use = after(&n, 1, asks_for_more_than_there_is);
  assert_int_equal(use.refusals, 1);
  assert_int_equal(use.refused_bytes, 10 * GIB);
  node_free(&n);
}

static void only_tries(int write_fd, int read_fd) {
  bool right = schedgpu_try_reserve(0, 5 * GIB) == SCHEDGPU_EBUDGET &&
               schedgpu_try_reserve(0, 4 * GIB) == SCHEDGPU_OK &&
               schedgpu_try_reserve(0, GIB) == SCHEDGPU_EBUDGET &&
               schedgpu_release(0, 4 * GIB) == SCHEDGPU_OK;
  send_byte(write_fd, right ? 'y' : 'n');
  receive_byte(read_fd);
}

static void a_try_is_not_counted(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, PEAK, 4 * GIB);
  assert_int_equal(after(&n, 1, only_tries).refusals, 0);
  node_free(&n);
}

static void finds_no_room(int write_fd, int read_fd) {
  bool right = schedgpu_reserve(0, 5 * GIB, SCHEDGPU_NO_WAIT) == SCHEDGPU_EWOULDBLOCK &&
               schedgpu_reserve(0, 5 * GIB, 1000000) == SCHEDGPU_ETIMEDOUT;
  send_byte(write_fd, right ? 'y' : 'n');
  receive_byte(read_fd);
}

/** Such a job has not asked for too little. */
static void a_request_that_does_not_fit_now_is_not_counted(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, PEAK, 5 * GIB);
  node_job(&n, 2, PEAK, 6 * GIB);
  be_job(2);
  assert_int_equal(schedgpu_reserve(0, 6 * GIB, 0), SCHEDGPU_OK);
  assert_int_equal(after(&n, 1, finds_no_room).refusals, 0);
  assert_int_equal(schedgpu_detach(), SCHEDGPU_OK);
  node_free(&n);
}

static void takes_three(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_reserve(0, 3 * GIB, 0) == SCHEDGPU_OK ? 'y' : 'n');
  receive_byte(read_fd);
}

/** The first attempt fails, and the one after the reap succeeds: the program sees only that. */
static void a_request_that_fits_without_a_dead_sibling_is_not_counted(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, PEAK, 4 * GIB);
  struct child sibling = child_start(1, takes_three);
  assert_int_equal(receive_byte(sibling.from), 'y');
  child_kill(&sibling);
  assert_int_equal(after(&n, 1, takes_three).refusals, 0);
  node_free(&n);
}

static struct sg_region *region;

/** As if a scan had taken so long that the next one is not due. */
static void another_process_scanned(void) {
  atomic_store(&region->h.scan_took_ns, UINT64_MAX);
  atomic_store(&region->h.scanned_ns, sg_now_ns());
}

static void takes_three_after_a_scan(int write_fd, int read_fd) {
  bool attached = schedgpu_attach() == SCHEDGPU_OK; /* attaching may include a scan */
  another_process_scanned();
  send_byte(write_fd, attached && schedgpu_reserve(0, 3 * GIB, 0) == SCHEDGPU_OK ? 'y' : 'n');
  receive_byte(read_fd);
}

static void memory_of_a_dead_sibling_is_found_right_after_a_scan(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  region = n.admin->h.r;
  node_job(&n, 1, PEAK, 4 * GIB);
  struct child sibling = child_start(1, takes_three);
  assert_int_equal(receive_byte(sibling.from), 'y');
  another_process_scanned();
  child_kill(&sibling);
  assert_int_equal(after(&n, 1, takes_three_after_a_scan).refusals, 0);
  node_free(&n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_request_over_the_budget_is_counted),
      cmocka_unit_test(a_request_over_a_budget_on_demand_is_counted),
      cmocka_unit_test(a_request_over_the_device_is_counted),
      cmocka_unit_test(a_try_is_not_counted),
      cmocka_unit_test(a_request_that_does_not_fit_now_is_not_counted),
      cmocka_unit_test(a_request_that_fits_without_a_dead_sibling_is_not_counted),
      cmocka_unit_test(memory_of_a_dead_sibling_is_found_right_after_a_scan),
  };
  alarm(600);
  return cmocka_run_group_tests_name("refused", tests, NULL, NULL);
}
