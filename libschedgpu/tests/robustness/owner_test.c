/*
 * Cases 5, 6 and 7: bytes of the liveness file that change owners, and the lock, which names its
 * owner by slot and generation, never by a pid or a thread id.
 */
#include "robustness.h"

static uint32_t slot_of_client(const struct sg_handle *h) {
  for (uint32_t i = SG_FIRST_CLIENT; i < SG_SLOTS; i++)
    if (h->r->client[i].state == SG_ACTIVE && h->r->client[i].job != SG_NONE)
      return i;
  fail_msg("there is no client");
  return SG_NONE;
}

/** A new process has taken the byte and done nothing else: the record is the dead client's. */
static void case_05_the_record_of_the_dead_is_stale_once_its_byte_is_taken(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child dead = start_holder(1);
  struct sg_handle newcomer = map_region(&n);
  uint32_t slot = slot_of_client(&newcomer);
  child_kill(&dead);
  assert_int_equal(sg_slot_take(&newcomer, slot, slot + 1), SCHEDGPU_OK);
  struct sg_handle other = map_region(&n);
  assert_true(sg_slot_dead(&other, slot));    /* for other processes, although the byte is locked */
  assert_true(sg_slot_dead(&newcomer, slot)); /* and for the new process itself */
  assert_int_equal(reap(&n), 1);
  assert_int_equal(node_used(&n), 0);
  sg_close(&other);
  sg_close(&newcomer);
  end_empty(&n);
}

static void attaches(int write_fd, int read_fd) {
  send_byte(write_fd, schedgpu_attach() == SCHEDGPU_OK ? 'a' : 'x');
  receive_byte(read_fd);
}

/** A process that attaches in the slot of a dead client gets nothing of what that held. */
static void case_05_a_new_client_inherits_nothing(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle h = map_region(&n);
  struct child dead = start_holder(1);
  uint32_t slot = slot_of_client(&h);
  child_kill(&dead);
  struct sg_handle newcomer = map_region(&n);
  struct sg_job_key key = {SCHEDGPU_JOB_SLURM, 1, (uint32_t)getuid()};
  struct sg_joined joined;
  assert_int_equal(sg_attach_slot(&newcomer, slot, slot + 1, &key, SCHEDGPU_FOREVER, &joined),
                   SCHEDGPU_OK);
  assert_int_equal(newcomer.slot, slot);
  assert_int_equal(node_used(&n), 0);
  assert_int_equal(h.r->client[slot].lease[0], 0);
  assert_int_equal(reap(&n), 0); /* it lives */
  leave(&newcomer);
  sg_close(&h);
  end_empty(&n);
}

/** A new process prefers an unused slot, and leaves the record to a reap. */
static void case_05_a_new_client_prefers_an_unused_slot(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct sg_handle h = map_region(&n);
  struct child dead = start_holder(1);
  uint32_t slot = slot_of_client(&h);
  child_kill(&dead);
  struct sg_handle newcomer = map_region(&n);
  assert_int_equal(sg_slot_take(&newcomer, SG_FIRST_CLIENT, SG_SLOTS), SCHEDGPU_OK);
  assert_int_not_equal(newcomer.slot, slot);
  sg_close(&newcomer);
  struct child b = child_start(2, attaches);
  assert_int_equal(receive_byte(b.from), 'a');
  child_kill(&b);
  sg_close(&h);
  end_empty(&n);
}

/** Kills the holder of the lock. Then `*h` has its byte, and nothing else. */
static void replace_a_dead_lock_holder(struct node *n, struct sg_handle *h) {
  struct child a = start_lock_holder();
  *h = map_region(n);
  uint32_t slot = (atomic_load(&h->r->h.lock) & 0x7ff) - 1;
  child_kill(&a);
  assert_int_equal(sg_slot_take(h, slot, slot + 1), SCHEDGPU_OK);
}

static void case_06_the_new_owner_of_the_byte_is_not_taken_for_the_lock_holder(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle newcomer;
  replace_a_dead_lock_holder(&n, &newcomer);
  uint64_t before = newcomer.r->h.recoveries;
  /* takes over, although the byte is locked, and removes the client */
  assert_int_equal(reap(&n), 0);
  assert_int_equal(newcomer.r->h.recoveries, before + 1);
  assert_int_equal(node_used(&n), 0);
  sg_close(&newcomer);
  end_empty(&n);
}

static void case_06_the_new_owner_of_the_byte_takes_the_lock_over_itself(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle newcomer;
  replace_a_dead_lock_holder(&n, &newcomer);
  uint64_t before = newcomer.r->h.recoveries;
  assert_int_equal(sg_lock(&newcomer, SCHEDGPU_FOREVER), SCHEDGPU_OK);
  assert_int_equal(newcomer.r->h.recoveries, before + 1);
  assert_int_equal(newcomer.r->device[0].used_bytes, 0);
  sg_unlock(&newcomer);
  sg_close(&newcomer);
  end_empty(&n);
}

static void is_process_1(void) {
  if (getpid() != 1 || gettid() != 1)
    _exit(8);
}

static void sits_as_process_1(int write_fd, int read_fd) {
  is_process_1();
  sits_on_the_lock(write_fd, read_fd);
}

static void blocks_as_process_1(int write_fd, int read_fd) {
  is_process_1();
  attach_and_lock(write_fd, read_fd);
}

static void expect_lock_held(struct node *n) {
  schedgpu_admin_set_timeout(n->admin, 60 * MS);
  assert_int_equal(schedgpu_admin_reap(n->admin, NULL), SCHEDGPU_ELOCK);
  schedgpu_admin_set_timeout(n->admin, SCHEDGPU_FOREVER);
}

/** With a robust mutex, a third process would now get the lock although another one has it. */
static void case_07_same_tids_in_two_pid_namespaces_one_blocked_is_killed(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle view = map_region(&n);
  struct inner b = inner_start(1, CLONE_NEWPID, blocks_as_process_1);
  char said = receive_byte(b.c.from);
  if (said == 's') {
    inner_kill(&b);
    node_free(&n);
    skip_because("the kernel does not give us PID namespaces");
  }
  assert_int_equal(said, 'a');
  struct inner a = inner_start(1, CLONE_NEWPID, sits_as_process_1);
  assert_int_equal(receive_byte(a.c.from), 'a');
  send_byte(a.c.to, 'l');
  assert_int_equal(receive_byte(a.c.from), 'l');
  send_byte(b.c.to, 'l');
  await_lock_waiter(&view);
  inner_kill(&b);
  expect_lock_held(&n);
  send_byte(a.c.to, 'u');
  assert_int_equal(receive_byte(a.c.from), 'u');
  assert_int_equal(reap(&n), 1); /* only the killed one is dead */
  assert_int_equal(view.r->h.recoveries, 0);
  inner_kill(&a);
  sg_close(&view);
  end_empty(&n);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_05_the_record_of_the_dead_is_stale_once_its_byte_is_taken),
      cmocka_unit_test(case_05_a_new_client_inherits_nothing),
      cmocka_unit_test(case_05_a_new_client_prefers_an_unused_slot),
      cmocka_unit_test(case_06_the_new_owner_of_the_byte_is_not_taken_for_the_lock_holder),
      cmocka_unit_test(case_06_the_new_owner_of_the_byte_takes_the_lock_over_itself),
      cmocka_unit_test(case_07_same_tids_in_two_pid_namespaces_one_blocked_is_killed),
  };
  return cmocka_run_group_tests_name("cases 5, 6, 7: who owns what", tests, NULL, NULL);
}
