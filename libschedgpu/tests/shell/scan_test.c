/* Reads that may be repeated all the time, because they take no lock. */
#include "../support/node.h"
#include "../../shell/admin/admin_handle.h"

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static void holder(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

static void dead_clients_are_reported_until_reaped(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holder);
  assert_int_equal(receive_byte(a.from), 'h');
  assert_int_equal(schedgpu_admin_dead(n.admin), 0);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_dead(n.admin), 1);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_dead(n.admin), 0);
  node_free(&n);
}

static void administers(int write_fd, int read_fd) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_reap(a, NULL) != SCHEDGPU_OK) /* takes a slot */
    _exit(3);
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
}

static void dead_clients_of_the_root_side_are_reported_separately(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child user = child_start(1, holder), hook = child_start(0, administers);
  assert_int_equal(receive_byte(user.from), 'h');
  assert_int_equal(receive_byte(hook.from), 'a');
  child_kill(&user);
  assert_int_equal(schedgpu_admin_dead_of_root(n.admin), 0);
  assert_int_equal(schedgpu_admin_dead(n.admin), 1);
  child_kill(&hook);
  assert_int_equal(schedgpu_admin_dead_of_root(n.admin), 1);
  assert_int_equal(schedgpu_admin_dead(n.admin), 2);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_dead_of_root(n.admin), 0);
  node_free(&n);
}

static void a_lock_with_a_dead_owner_is_noticed(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  atomic_store(&n.admin->h.r->h.lock, SG_SLOTS + 1); /* of an impossible slot */
  assert_int_equal(schedgpu_admin_dead(n.admin), 1);
  assert_int_equal(schedgpu_admin_dead_of_root(n.admin), 1);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_dead(n.admin), 0);
  node_free(&n);
}

/** This process has the lock, so a call that takes it would wait forever. */
static void a_scan_does_not_wait_for_the_lock(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  schedgpu_admin *other;
  assert_int_equal(schedgpu_admin_open(n.dir, &other), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK); /* takes a slot */
  schedgpu_admin_set_timeout(other, SCHEDGPU_FOREVER);
  assert_int_equal(sg_lock(&n.admin->h, SCHEDGPU_FOREVER), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_dead(other), 0);
  assert_int_not_equal(schedgpu_admin_changes(other), 0);
  sg_unlock(&n.admin->h);
  schedgpu_admin_close(other);
  node_free(&n);
}

static void writing_changes_the_sequence_and_a_scan_does_not(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  uint64_t before = schedgpu_admin_changes(n.admin);
  assert_int_equal(schedgpu_admin_dead(n.admin), 0);
  assert_int_equal(node_used(&n), 0); /* a snapshot */
  assert_int_equal(schedgpu_admin_changes(n.admin), before);
  node_job(&n, 2, ONDEMAND, 0);
  assert_int_not_equal(schedgpu_admin_changes(n.admin), before);
  node_free(&n);
}

/* --- how often: the test gives the times, so it does not wait for a clock --- */

#define MS UINT64_C(1000000)
#define START (UINT64_C(3600000) * MS)

/** A scan at START that took `took_ns`, as long as the one before. */
static struct sg_region *scanned_region(struct sg_region *r, uint64_t took_ns) {
  atomic_store(&r->h.scanned_ns, 0);
  atomic_store(&r->h.scan_took_ns, took_ns);
  assert_true(sg_dead_scan_due(r, START, 10 * MS));
  return r;
}

static void one_scan_in_each_period_serves_all(void **state) {
  (void)state;
  struct sg_region *r = scanned_region(fixture_new(1, 0, SCHEDGPU_POLICY_FIFO), 0);
  assert_false(sg_dead_scan_due(r, START, 10 * MS));
  assert_false(sg_dead_scan_due(r, START + 10 * MS - 1, 10 * MS));
  assert_true(sg_dead_scan_due(r, START + 10 * MS, 10 * MS));
  assert_false(sg_dead_scan_due(r, START + 10 * MS, 10 * MS)); /* by another process */
  assert_true(sg_dead_scan_due(r, START + 10 * MS, 0));
  fixture_free(r);
}

static void scans_take_at_most_a_twentieth_of_a_cpu(void **state) {
  (void)state;
  struct sg_region *r = scanned_region(fixture_new(1, 0, SCHEDGPU_POLICY_FIFO), 2 * MS);
  assert_false(sg_dead_scan_due(r, START + 40 * MS - 1, 10 * MS));
  assert_false(sg_dead_scan_due(r, START + 40 * MS - 1, 0));
  assert_true(sg_dead_scan_due(r, START + 40 * MS, 10 * MS));
  fixture_free(r);
}

/** The scanning process was stopped meanwhile, or the number is damaged. */
static void no_scan_is_delayed_by_more_than_a_tenth_of_a_second(void **state) {
  (void)state;
  struct sg_region *r = scanned_region(fixture_new(1, 0, SCHEDGPU_POLICY_FIFO), UINT64_MAX);
  assert_false(sg_dead_scan_due(r, START + 100 * MS - 1, 0));
  assert_true(sg_dead_scan_due(r, START + 100 * MS, 0));
  atomic_store(&r->h.scanned_ns, UINT64_MAX); /* an impossible time */
  assert_true(sg_dead_scan_due(r, START, 10 * MS));
  fixture_free(r);
}

static void the_duration_of_a_scan_is_recorded(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct sg_region *r = n.admin->h.r;
  atomic_store(&r->h.scan_took_ns, UINT64_MAX);
  assert_false(sg_dead_scan(&n.admin->h));
  assert_true(atomic_load(&r->h.scan_took_ns) != UINT64_MAX);
  node_free(&n);
}

int main(void) {
  alarm(600); /* a hang must end as a failure, not as a hang */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dead_clients_are_reported_until_reaped),
      cmocka_unit_test(dead_clients_of_the_root_side_are_reported_separately),
      cmocka_unit_test(a_lock_with_a_dead_owner_is_noticed),
      cmocka_unit_test(a_scan_does_not_wait_for_the_lock),
      cmocka_unit_test(writing_changes_the_sequence_and_a_scan_does_not),
      cmocka_unit_test(one_scan_in_each_period_serves_all),
      cmocka_unit_test(scans_take_at_most_a_twentieth_of_a_cpu),
      cmocka_unit_test(no_scan_is_delayed_by_more_than_a_tenth_of_a_second),
      cmocka_unit_test(the_duration_of_a_scan_is_recorded),
  };
  return cmocka_run_group_tests_name("look", tests, NULL, NULL);
}
