/* What whoever watches a node may ask all the time: it takes no lock. */
#include "../support/node.h"
#include "../../shell/admin_handle.h"

#define ONDEMAND SCHEDGPU_MODE_ONDEMAND

static void holder(int say_fd, int hear_fd) {
  if (schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  say(say_fd, 'h');
  hear(hear_fd);
}

static void the_dead_are_seen_until_they_are_reaped(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holder);
  assert_int_equal(hear(a.from), 'h');
  assert_int_equal(schedgpu_admin_dead(n.admin), 0);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_dead(n.admin), 1);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_dead(n.admin), 0);
  node_free(&n);
}

static void a_lock_whose_owner_is_dead_is_seen(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  atomic_store(&n.admin->h.r->h.lock, SG_SLOTS + 1); /* of a slot that nobody can have */
  assert_int_equal(schedgpu_admin_dead(n.admin), 1);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_dead(n.admin), 0);
  node_free(&n);
}

/** This process has the lock: a call that wanted it would wait for ever. */
static void nobody_waits_for_the_lock(void **state) {
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

static void what_is_written_changes_the_number_and_looking_does_not(void **state) {
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

int main(void) {
  alarm(60); /* a hang must end as a failure, not as a hang */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_dead_are_seen_until_they_are_reaped),
      cmocka_unit_test(a_lock_whose_owner_is_dead_is_seen),
      cmocka_unit_test(nobody_waits_for_the_lock),
      cmocka_unit_test(what_is_written_changes_the_number_and_looking_does_not),
  };
  return cmocka_run_group_tests_name("look", tests, NULL, NULL);
}
