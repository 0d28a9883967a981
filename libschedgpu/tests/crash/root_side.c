/* root_side.c - kills processes that begin, end or change jobs, or write the checkpoint. */
#include "crash_testing.h"
#include "../../shell/region/check.h"
#include "../../shell/region/run_dir.h"

static void administration(void) {
  schedgpu_admin *a;
  struct schedgpu_job_spec s = job_spec(3, PEAK, 2 * GIB, 50);
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_job_begin(a, &s) != SCHEDGPU_OK ||
      schedgpu_admin_set_policy(a, SCHEDGPU_POLICY_MMU) != SCHEDGPU_OK)
    _exit(9);
  s.priority = 90;
  if (schedgpu_admin_job_begin(a, &s) != SCHEDGPU_OK ||
      schedgpu_admin_job_end(a, SCHEDGPU_JOB_SLURM, 3) != SCHEDGPU_OK ||
      schedgpu_admin_job_end(a, SCHEDGPU_JOB_SLURM, 1) != SCHEDGPU_OK ||
      schedgpu_admin_reap(a, NULL) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

static void case_01_the_root_side(void **state) {
  (void)state, at_every_store(PEAK, administration);
}

/** Takes over from a dead lock holder and dies at every store of the repair. */
static void case_01_the_repair_itself(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, PEAK, 4 * GIB);
    fflush(NULL);
    assert_false(run_until(administration, 15)); /* leaves the lock held and a job half begun */
    alive = run_until(administration, k);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
}

static void changes_the_priority(void) {
  schedgpu_admin *a;
  struct schedgpu_job_spec s = job_spec(3, ONDEMAND, 0, 90);
  s.uid = (uint32_t)getuid();
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_job_begin(a, &s) != SCHEDGPU_OK)
    _exit(9);
  s.priority = 10;
  if (schedgpu_admin_job_begin(a, &s) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

static void case_01_a_priority_that_changes_while_its_job_waits(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_PRIORITY_FIFO);
    struct node n = node_of(&s);
    for (uint64_t id = 1; id <= 4; id++)
      node_job(&n, id, ONDEMAND, 0);
    struct child holder = child_start(4, hold_nine);
    assert_int_equal(receive_byte(holder.from), 'h');
    struct child a = child_start(2, wait_for_five), b = child_start(3, wait_for_three);
    await_waiters(&n, 2);
    alive = run_until(changes_the_priority, k);
    child_kill(&holder);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    assert_int_equal(receive_byte(a.from), 'g');
    assert_int_equal(receive_byte(b.from), 'g');
    child_kill(&a);
    child_kill(&b);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

/** Lowers foreign memory, and sets, raises and clears an overrun: the first and the last serve. */
static void sets_unreserved(void) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_set_overrun(a, SCHEDGPU_JOB_SLURM, 3, 0, 6 * GIB) != SCHEDGPU_OK ||
      schedgpu_admin_set_foreign(a, 0, GIB) != SCHEDGPU_OK ||
      schedgpu_admin_set_overrun(a, SCHEDGPU_JOB_SLURM, 3, 0, 8 * GIB) != SCHEDGPU_OK ||
      schedgpu_admin_set_overrun(a, SCHEDGPU_JOB_SLURM, 3, 0, 0) != SCHEDGPU_OK ||
      schedgpu_admin_set_foreign(a, 0, 0) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

/** The next process measures again whatever was measured before, and waiters are served. */
static void case_01_unreserved_memory_is_set(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    for (uint64_t id = 1; id <= 3; id++)
      node_job(&n, id, ONDEMAND, 0);
    assert_int_equal(schedgpu_admin_set_foreign(n.admin, 0, 7 * GIB), SCHEDGPU_OK);
    struct child waiter = child_start(2, wait_for_five);
    await_waiters(&n, 1);
    alive = run_until(sets_unreserved, k);
    assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
    node_check(&n);
    sets_unreserved();
    assert_int_equal(receive_byte(waiter.from), 'g');
    assert_int_equal(region_used(&n), 5 * GIB + GIB / 8);
    child_kill(&waiter);
    assert_int_equal(schedgpu_admin_set_overrun(n.admin, SCHEDGPU_JOB_SLURM, 3, 0, 9 * GIB),
                     SCHEDGPU_OK);
    assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 3), SCHEDGPU_OK);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

/** Ends a job that has held and used memory, and of which a process lives on. */
static void ends_job_one(void) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_note_peaks(a) != SCHEDGPU_OK ||
      schedgpu_admin_job_end(a, SCHEDGPU_JOB_SLURM, 1) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

static void use_three_of_six(int write_fd, int read_fd) {
  if (schedgpu_context_enter(0, 0) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 3 * GIB, 0) != SCHEDGPU_OK ||
      schedgpu_release(0, 2 * GIB) != SCHEDGPU_OK ||
      schedgpu_reserve(0, 6 * GIB, 0) != SCHEDGPU_EBUDGET)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

static void is_remembered(const struct sg_region *r, uint64_t sequence, uint64_t peak_bytes) {
  const struct sg_ended *e = &r->ended[sequence - 1];
  assert_int_equal(atomic_load(&e->sequence), sequence);
  assert_int_equal(e->id, sequence);
  assert_int_equal(e->budget_bytes[0], sequence == 1 ? 6 * GIB : GIB);
  assert_int_equal(e->peak_bytes[0], peak_bytes);
  assert_true(e->begun_ns <= e->ended_ns);
  assert_true(e->held_ns <= e->ended_ns - e->begun_ns);
  assert_int_equal(e->held_ns != 0, sequence == 1);
  /* a process killed while it notes a refusal may note it twice, never not at all */
  assert_true(sequence == 1 ? e->refusals == 1 || e->refusals == 2 : e->refusals == 0);
  assert_int_equal(e->refused_bytes, sequence == 1 ? 6 * GIB : 0);
}

/** Each job ends once, by any process, and its record is complete. */
static void case_01_jobs_that_end_are_recorded_once(void **state) {
  (void)state;
  long k = 1;
  struct sg_region *r = aligned_alloc(64, schedgpu_snapshot_size());
  assert_non_null(r);
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, PEAK, 6 * GIB);
    node_job(&n, 2, PEAK, GIB);
    struct child user = child_start(1, use_three_of_six);
    assert_int_equal(receive_byte(user.from), 'h');
    alive = run_until(ends_job_one, k);
    schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1);
    schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 2);
    assert_int_equal(schedgpu_admin_snapshot(n.admin, r, sizeof *r), SCHEDGPU_OK);
    assert_int_equal(r->h.ended, 2);
    is_remembered(r, 1, 3 * GIB); /* without the context */
    is_remembered(r, 2, 0);
    child_kill(&user);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  free(r);
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 50);
}

static int begin_run(schedgpu_admin *a, uint64_t id) {
  struct schedgpu_job_spec s = job_spec(id, ONDEMAND, 0, 50);
  s.kind = SCHEDGPU_JOB_RUN;
  s.flags = SCHEDGPU_JOB_FLAG_OWNED;
  return schedgpu_admin_job_begin(a, &s);
}

static void runs_something(void) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      begin_run(a, 8) != SCHEDGPU_OK ||
      schedgpu_admin_job_end(a, SCHEDGPU_JOB_RUN, 8) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

/** The process that takes over the lock finishes the end, and the other job is counted as
 * before. */
static void case_01_an_owned_job_ends_beside_another(void **state) {
  (void)state;
  long k = 1;
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    node_job(&n, 1, PEAK, 4 * GIB);
    assert_int_equal(begin_run(n.admin, 7), SCHEDGPU_OK);
    alive = run_until(runs_something, k);
    node_check(&n);
    assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_RUN, 7), SCHEDGPU_OK);
    node_check(&n);
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

static void answers(void) {
  schedgpu_admin *a;
  if (schedgpu_admin_open(getenv("SCHEDGPU_RUN_DIR"), &a) != SCHEDGPU_OK ||
      schedgpu_admin_answer(a) != SCHEDGPU_OK)
    _exit(9);
  schedgpu_admin_close(a);
}

static bool has_job(const struct node *n, uint64_t id) {
  struct sg_checkpoint *c = sg_checkpoint_load(n->dir, 0);
  struct sg_job saved;
  bool found = false;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    found |= sg_checkpoint_find(c, j, &saved) && saved.id == id;
  sg_checkpoint_free(c);
  return found;
}

/** Leaves the checkpoint to an agent, as the begin of a job does: the file is older, and due. */
static void leave_it_due(struct node *n) {
  char path[128], kept[128];
  snprintf(path, sizeof path, "%s/" SG_CHECKPOINT_FILE, n->dir);
  snprintf(kept, sizeof kept, "%s/kept", n->dir);
  assert_int_equal(link(path, kept), 0);
  node_job(n, 1, PEAK, 4 * GIB);
  assert_int_equal(rename(kept, path), 0);
  snprintf(path, sizeof path, "%s/" SG_CHECKPOINT_DUE_FILE, n->dir);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  assert_true(fd >= 0);
  close(fd);
  assert_false(has_job(n, 1));
}

/** A complete file always exists, and the next agent, which begins with a setup, corrects it. */
static void case_01_the_agent_writes_the_checkpoint(void **state) {
  (void)state;
  long k = 1;
  struct schedgpu_setup setup = fixture_setup(1, 10 * GIB, GIB / 8, SCHEDGPU_POLICY_FIFO);
  for (bool alive = false; !alive; k++) {
    struct node n = node_new(GIB / 8, 0);
    leave_it_due(&n);
    alive = run_until(answers, k);
    struct sg_checkpoint *c = sg_checkpoint_load(n.dir, 0);
    assert_non_null(c);
    sg_checkpoint_free(c);
    assert_true(!alive || has_job(&n, 1));
    assert_int_equal(schedgpu_admin_setup(n.dir, &setup), SCHEDGPU_OK);
    assert_true(has_job(&n, 1));
    neighbour_gets_everything(&n);
    node_free(&n);
  }
  printf("survived SIGKILL at each of %ld stores\n", k - 2);
  assert_true(k > 10);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(case_01_the_root_side),
    cmocka_unit_test(case_01_the_repair_itself),
    cmocka_unit_test(case_01_a_priority_that_changes_while_its_job_waits),
    cmocka_unit_test(case_01_unreserved_memory_is_set),
    cmocka_unit_test(case_01_an_owned_job_ends_beside_another),
    cmocka_unit_test(case_01_the_agent_writes_the_checkpoint),
    cmocka_unit_test(case_01_jobs_that_end_are_recorded_once),
};
RUN_AT_ONCE(tests)
