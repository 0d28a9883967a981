/*
 * Case 19: snapshots of the region while other processes write it. Java takes its snapshots by this
 * call.
 */
#include "robustness.h"

/** Called once during a copy: before or after something is copied to `destination`. */
static void (*then)(void);
static const void *destination;
static bool about_to_be;

static void run_then(const void *to, size_t size, bool before) {
  if (then && size > 0 && to == destination && about_to_be == before) {
    void (*now)(void) = then;
    then = NULL;
    now();
  }
}

/** Replaces the system's function, except in a program with ASan, which calls its own. */
void *memcpy(void *to, const void *from, size_t size) {
  run_then(to, size, true);
  memmove(to, from, size);
  run_then(to, size, false);
  return to;
}

static void case_19_a_writer_killed_with_an_odd_sequence_is_repaired_by_the_reader(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle view = map_region(&n);
  struct child a = start_lock_holder();
  child_kill(&a);
  assert_int_equal(atomic_load(&view.r->h.seq) & 1, 1);
  assert_int_equal(node_used(&n), 0); /* excludes the GiB of the incomplete transition */
  assert_int_equal(atomic_load(&view.r->h.seq) & 1, 0);
  sg_close(&view);
  end_empty(&n);
}

static void case_19_a_snapshot_never_shows_half_a_transition(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  uint64_t size = schedgpu_snapshot_size();
  void *picture = malloc(size);
  struct child a = start_lock_holder();
  stop_child(&a);
  schedgpu_admin_set_timeout(n.admin, 60 * MS);
  assert_int_equal(schedgpu_admin_snapshot(n.admin, picture, size), SCHEDGPU_ELOCK);
  kill(a.pid, SIGCONT);
  send_byte(a.to, 'u');
  assert_int_equal(receive_byte(a.from), 'u');
  assert_int_equal(child_wait(&a), 0);
  assert_int_equal(schedgpu_admin_snapshot(n.admin, picture, size), SCHEDGPU_OK);
  free(picture);
  end_empty(&n);
}

/** Writes all the time until it is killed. */
static void writes_all_the_time(int write_fd, int read_fd) {
  (void)read_fd;
  send_byte(write_fd, 'w');
  for (;;)
    if (schedgpu_reserve(0, 3 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK)
      schedgpu_release(0, 3 * GIB);
}

static void case_19_each_snapshot_under_writers_is_consistent(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  uint64_t size = schedgpu_snapshot_size();
  struct sg_region *picture = aligned_alloc(64, (size + 63) / 64 * 64);
  struct child writer[4];
  char text[200];
  for (int i = 0; i < 4; i++)
    writer[i] = child_start(1, writes_all_the_time);
  for (int i = 0; i < 4; i++)
    assert_int_equal(receive_byte(writer[i].from), 'w');
  for (int i = 0; i < 500; i++) {
    assert_int_equal(schedgpu_admin_snapshot(n.admin, picture, size), SCHEDGPU_OK);
    if (sg_check(picture, text, sizeof text) != SCHEDGPU_OK)
      fail_msg("picture %d: %s", i, text);
  }
  for (int i = 0; i < 4; i++)
    child_kill(&writer[i]);
  free(picture);
  end_empty(&n);
}

static schedgpu_admin *other_admin;

static void end_the_waiters_job(void) {
  if (schedgpu_admin_job_end(other_admin, SCHEDGPU_JOB_SLURM, 2) != SCHEDGPU_OK)
    abort();
}

/** A snapshot shows nothing of an attempt that had to be repeated. */
static void case_19_a_snapshot_shows_nothing_of_a_torn_attempt(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip_because("ASan has a memcpy of its own");
#endif
  struct node n = node_with_jobs(2, ONDEMAND);
  uint64_t size = schedgpu_snapshot_size();
  struct sg_region *picture = aligned_alloc(64, (size + 63) / 64 * 64);
  struct child a = start_holder(1), b = child_start(2, holds_six);
  char text[200];
  await_waiting(&n, 1);
  assert_int_equal(schedgpu_admin_open(n.dir, &other_admin), SCHEDGPU_OK);
  destination = picture->waiter; /* which is copied last */
  about_to_be = false;
  then = end_the_waiters_job;
  assert_int_equal(schedgpu_admin_snapshot(n.admin, picture, size), SCHEDGPU_OK);
  assert_null(then);
  if (sg_check(picture, text, sizeof text) != SCHEDGPU_OK)
    fail_msg("%s", text);
  schedgpu_admin_close(other_admin);
  free(picture);
  child_kill(&a);
  child_kill(&b);
  end_empty(&n);
}

static void end_many_jobs(struct node *n) {
  for (uint64_t id = 1000; id < 1000 + SG_ENDED; id++) {
    node_job(n, id, ONDEMAND, 0);
    assert_int_equal(schedgpu_admin_job_end(n->admin, SCHEDGPU_JOB_SLURM, id), SCHEDGPU_OK);
  }
}

/** Ended jobs are copied last: a job is among the running or the ended ones, never among both. */
static void case_19_a_job_that_ends_meanwhile_is_alive_in_the_snapshot(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip_because("ASan has a memcpy of its own");
#endif
  struct node n = node_with_jobs(2, ONDEMAND);
  uint64_t size = schedgpu_snapshot_size();
  struct sg_region *picture = aligned_alloc(64, (size + 63) / 64 * 64);
  end_many_jobs(&n);
  assert_int_equal(schedgpu_admin_open(n.dir, &other_admin), SCHEDGPU_OK);
  destination = picture->ended;
  about_to_be = true;
  then = end_the_waiters_job;
  assert_int_equal(schedgpu_admin_snapshot(n.admin, picture, size), SCHEDGPU_OK);
  assert_null(then);
  assert_int_not_equal(sg_job_find(picture, SCHEDGPU_JOB_SLURM, 2), SG_NONE);
  uint32_t ended = 0;
  for (uint32_t i = 0; i < SG_ENDED; i++) {
    assert_true(picture->ended[i].sequence <= picture->h.ended);
    ended += picture->ended[i].sequence != 0;
  }
  assert_int_equal(ended, SG_ENDED - 1); /* all except the one that was overwritten */
  schedgpu_admin_close(other_admin);
  free(picture);
  end_empty(&n);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_19_a_writer_killed_with_an_odd_sequence_is_repaired_by_the_reader),
      cmocka_unit_test(case_19_a_snapshot_never_shows_half_a_transition),
      cmocka_unit_test(case_19_each_snapshot_under_writers_is_consistent),
      cmocka_unit_test(case_19_a_snapshot_shows_nothing_of_a_torn_attempt),
      cmocka_unit_test(case_19_a_job_that_ends_meanwhile_is_alive_in_the_snapshot),
  };
  return cmocka_run_group_tests_name("case 19: pictures", tests, NULL, NULL);
}
