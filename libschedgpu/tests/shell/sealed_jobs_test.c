/*
 * sealed_jobs_test.c - records of the root side are damaged, and users find that first. They cannot
 * read the checkpoint, so they leave the damage to the root side, and lose nothing.
 */
#include "damaged_node.h"

static void begin_for_stranger(struct node *n, uint64_t job) {
  struct schedgpu_job_spec s = job_spec(job, ONDEMAND, 0, 50);
  s.uid = STRANGER;
  assert_int_equal(schedgpu_admin_job_begin(n->admin, &s), SCHEDGPU_OK);
}

static void damage_job(struct node *n, uint32_t index, int byte) {
  char *p = map(n);
  memset(p + offsetof(struct sg_region, job[index]), byte, sizeof(struct sg_job));
  shmdt(p);
}

static void become_stranger(void) {
  if (setgid(STRANGER) != 0 || setuid(STRANGER) != 0)
    _exit(9);
}

static void stranger_attaches(int write_fd, int read_fd) {
  become_stranger();
  attaches(write_fd, read_fd);
}

static void stranger_holds(int write_fd, int read_fd) {
  become_stranger();
  holds(write_fd, read_fd);
}

static uint64_t asked_bytes; /* of the process that asks later */

/** It is attached before the damage is done, and asks afterwards. */
static void stranger_asks_later(int write_fd, int read_fd) {
  become_stranger();
  if (schedgpu_attach() != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
  send_byte(write_fd, schedgpu_reserve(0, asked_bytes, 300000) == SCHEDGPU_OK ? 'h' : 'n');
  receive_byte(read_fd);
  send_byte(write_fd,
            schedgpu_reserve(0, asked_bytes, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'h' : 'n');
  receive_byte(read_fd);
}

static struct child asks_later(uint64_t job, uint64_t bytes) {
  asked_bytes = bytes;
  return child_start(job, stranger_asks_later);
}

static int stranger_attaches_as(uint64_t job) {
  struct child c = child_start(job, stranger_attaches);
  int rc = 'A' - receive_byte(c.from);
  child_kill(&c);
  return rc;
}

static void root_puts_the_job_back(int byte) {
  struct node n = node_new(0, 0);
  begin_for_stranger(&n, 1);
  damage_job(&n, 0, byte);
  assert_int_not_equal(stranger_attaches_as(1), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(stranger_attaches_as(1), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void users_leave_a_job_that_was_overwritten_to_root(void **state) {
  (void)state, root_puts_the_job_back(0x5a);
}

static void users_leave_a_job_that_was_wiped_to_root(void **state) {
  (void)state, root_puts_the_job_back(0);
}

/** As if the holder of the lock had died: the lock is taken over. */
static void lose_the_lock(struct node *n) {
  char *p = map(n);
  memset(p + offsetof(struct sg_header, lock), 0x7f, 4);
  shmdt(p);
}

/** Of a job without processes only its key is left. */
static void a_wiped_job_is_restored_where_a_user_recounted(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  begin_for_stranger(&n, 1);
  begin_for_stranger(&n, 2);
  struct child b = asks_later(2, 6 * GIB);
  assert_int_equal(receive_byte(b.from), 'a');
  damage_job(&n, 0, 0);
  lose_the_lock(&n);
  send_byte(b.to, 'g');
  receive_byte(b.from);
  child_kill(&b);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(stranger_attaches_as(1), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void a_key_of_an_unknown_job_is_removed(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  begin_for_stranger(&n, 1);
  struct sg_region *r = (struct sg_region *)map(&n);
  r->h.job_key[5] = r->h.job_key[0] + 4;
  shmdt(r);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_check(&n);
  node_free(&n);
}

static void memory_of_its_processes_stays_reserved(int byte) {
  struct node n = node_new(GIB / 4, 0);
  begin_for_stranger(&n, 1);
  begin_for_stranger(&n, 2);
  struct child a = child_start(1, stranger_holds);
  assert_int_equal(receive_byte(a.from), 'h');
  uint64_t held = node_used(&n) + GIB / 4; /* the other one's context will be granted */
  struct child b = asks_later(2, 6 * GIB);
  assert_int_equal(receive_byte(b.from), 'a');
  damage_job(&n, 0, byte);
  lose_the_lock(&n);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'n');
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(node_used(&n), held);
  node_check(&n);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'h');
  child_kill(&a);
  child_kill(&b);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void memory_of_an_overwritten_job_is_given_to_no_one(void **state) {
  (void)state, memory_of_its_processes_stays_reserved(0x5a);
}

static void memory_of_a_wiped_job_is_given_to_no_one(void **state) {
  (void)state, memory_of_its_processes_stays_reserved(0);
}

/** It is attached before the damage is done. Then it sends the result of each of its calls. */
static void stranger_tells_answers(int write_fd, int read_fd) {
  struct schedgpu_info info;
  become_stranger();
  if (schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'a');
  while (receive_byte(read_fd) == 'g') {
    send_byte(write_fd, (char)('A' - schedgpu_query(0, &info)));
    send_byte(write_fd, (char)('A' - schedgpu_reserve(0, GIB, 300000)));
    send_byte(write_fd, (char)('A' - schedgpu_reserve(0, GIB, SCHEDGPU_NO_WAIT)));
  }
}

static void expect_answers(struct child *c, int rc) {
  send_byte(c->to, 'g');
  for (int i = 0; i < 3; i++)
    assert_int_equal('A' - receive_byte(c->from), rc);
}

static void wipe_key(struct node *n, uint32_t index) {
  struct sg_region *r = (struct sg_region *)map(n);
  r->h.job_key[index] = 0;
  shmdt(r);
}

/** Damage does not end a job: its processes are refused until root has restored it. */
static void its_processes_are_refused_until_then(int byte, bool key_as_well) {
  struct node n = node_new(0, 0);
  begin_for_stranger(&n, 1);
  struct child c = child_start(1, stranger_tells_answers);
  assert_int_equal(receive_byte(c.from), 'a');
  damage_job(&n, 0, byte);
  if (key_as_well)
    wipe_key(&n, 0);
  expect_answers(&c, SCHEDGPU_ECORRUPT);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  expect_answers(&c, SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 3 * GIB);
  child_kill(&c);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 0);
  node_free(&n);
}

static void a_wiped_job_is_not_an_ended_job(void **state) {
  (void)state, its_processes_are_refused_until_then(0, false);
}

static void a_wiped_job_without_its_key_is_not_an_ended_job(void **state) {
  (void)state, its_processes_are_refused_until_then(0, true);
}

static void an_overwritten_job_is_not_an_ended_job(void **state) {
  (void)state, its_processes_are_refused_until_then(0x5a, false);
}

static void an_ended_job_is_removed(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  begin_for_stranger(&n, 1);
  struct child c = child_start(1, stranger_tells_answers);
  assert_int_equal(receive_byte(c.from), 'a');
  assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_OK);
  expect_answers(&c, SCHEDGPU_ENOJOB);
  child_kill(&c);
  node_free(&n);
}

/** The region's owner can restore the job itself. */
static void root_restores_its_own_wiped_job(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child c = child_start(1, holds);
  assert_int_equal(receive_byte(c.from), 'h');
  damage_job(&n, 0, 0);
  send_byte(c.to, 'f');
  assert_int_equal(receive_byte(c.from), 'r');
  assert_int_equal(node_used(&n), 0);
  child_kill(&c);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

/** Memory granted after the death of the first process counts as well when the second one dies. */
static void memory_granted_until_root_comes_is_given_to_no_one_else(void **state) {
  (void)state;
  struct node n = node_new(GIB / 4, 0);
  for (uint64_t job = 1; job <= 3; job++)
    begin_for_stranger(&n, job);
  struct child a = child_start(1, stranger_holds);
  assert_int_equal(receive_byte(a.from), 'h');
  struct child b = asks_later(2, 2 * GIB), c = asks_later(3, 3 * GIB);
  assert_int_equal(receive_byte(b.from), 'a');
  assert_int_equal(receive_byte(c.from), 'a');
  damage_job(&n, 0, 0x5a);
  lose_the_lock(&n);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'h');
  lose_the_lock(&n);
  send_byte(c.to, 'g');
  assert_int_equal(receive_byte(c.from), 'n'); /* 10 exist, 8 and three contexts are taken */
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 8 * GIB + 3 * (GIB / 4));
  node_check(&n);
  child_kill(&a);
  child_kill(&b);
  child_kill(&c);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

/** `sealed_jobs_test NAME` runs one test; NAME may have asterisks. */
int main(int argc, char **argv) {
  alarm(120);
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(users_leave_a_job_that_was_overwritten_to_root),
      cmocka_unit_test(users_leave_a_job_that_was_wiped_to_root),
      cmocka_unit_test(a_wiped_job_is_restored_where_a_user_recounted),
      cmocka_unit_test(a_key_of_an_unknown_job_is_removed),
      cmocka_unit_test(memory_of_an_overwritten_job_is_given_to_no_one),
      cmocka_unit_test(memory_of_a_wiped_job_is_given_to_no_one),
      cmocka_unit_test(memory_granted_until_root_comes_is_given_to_no_one_else),
      cmocka_unit_test(a_wiped_job_is_not_an_ended_job),
      cmocka_unit_test(a_wiped_job_without_its_key_is_not_an_ended_job),
      cmocka_unit_test(an_overwritten_job_is_not_an_ended_job),
      cmocka_unit_test(an_ended_job_is_removed),
      cmocka_unit_test(root_restores_its_own_wiped_job),
  };
  return cmocka_run_group_tests_name("stranger", tests, NULL, NULL);
}
