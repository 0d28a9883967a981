/*
 * The file by whose locks the living are known is replaced, or what it says of a process no longer
 * fits: nobody who lives is taken for dead.
 */
#include "damaged_node.h"

static void an_old_liveness_file_kills_nobody(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct schedgpu_reaped reaped;
  struct schedgpu_region_info info;
  node_job(&n, 1, ONDEMAND, 0);
  node_job(&n, 2, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(hear(a.from), 'h');
  live_deleted(&n);
  assert_int_equal(schedgpu_admin_region_info(n.admin, &info), SCHEDGPU_OK);
  assert_int_equal(info.live_right, 0);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 0);
  root_side_comes(&n);
  assert_int_equal(schedgpu_admin_region_info(n.admin, &info), SCHEDGPU_OK);
  assert_int_equal(info.live_right, 1);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 0);
  assert_int_equal(node_used(&n), 6 * GIB);
  struct child b = child_start(2, waits); /* a newcomer waits: the slot of the first is not his */
  await_waiting(&n, 1);
  child_kill(&a); /* of the older file, but certainly gone */
  assert_int_equal(hear(b.from), 'h');
  child_kill(&b);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 1);
  assert_int_equal(node_used(&n), 0);
  node_free(&n);
}

static void who_takes_the_lock_locks_the_new_liveness_file(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(hear(a.from), 'h');
  live_deleted(&n);
  root_side_comes(&n);
  say(a.to, 'f');
  assert_int_equal(hear(a.from), 'r');
  struct sg_region *r = (struct sg_region *)map(&n);
  uint32_t renewed = 0;
  for (uint32_t i = SG_FIRST_CLIENT; i < SG_SLOTS; i++)
    renewed += r->client[i].state == SG_ACTIVE && r->client[i].live_ino == r->h.live_ino;
  assert_int_equal(renewed, 1);
  shmdt(r);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void a_generation_that_was_damaged_kills_nobody(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  struct schedgpu_reaped reaped;
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(hear(a.from), 'h');
  struct sg_region *r = (struct sg_region *)map(&n);
  for (uint32_t i = SG_FIRST_CLIENT; i < SG_SLOTS; i++)
    if (r->client[i].state == SG_ACTIVE)
      atomic_fetch_add(&r->client[i].gen, 1);
  shmdt(r);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 0);
  say(a.to, 'f');
  assert_int_equal(hear(a.from), 'r');
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, &reaped), SCHEDGPU_OK);
  assert_int_equal(reaped.clients, 1);
  node_free(&n);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_old_liveness_file_kills_nobody),
      cmocka_unit_test(who_takes_the_lock_locks_the_new_liveness_file),
      cmocka_unit_test(a_generation_that_was_damaged_kills_nobody),
  };
  return cmocka_run_group_tests_name("liveness file", tests, NULL, NULL);
}
