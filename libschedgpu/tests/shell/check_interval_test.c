/*
 * check_interval_test.c - hundreds of jobs may begin and end in a second, and a check of the whole
 * region doubles the cost of a begin. So there is at most one check in a tenth of a second, unless
 * something is damaged that the job itself relies on. Other damage waits for the next check, and
 * nothing is lost until then.
 */
#include "damaged_node.h"
#include "../../shell/admin/admin_handle.h"

#define TENTH_NS UINT64_C(100000000)

static void begin_job(struct node *n, uint64_t id) {
  node_job(n, id, ONDEMAND, 2 * GIB);
}

static void end_job(struct node *n, uint64_t id) {
  assert_int_equal(schedgpu_admin_job_end(n->admin, SCHEDGPU_JOB_SLURM, id), SCHEDGPU_OK);
}

/** Jobs 1 and 2. */
static struct node node_of_two(void) {
  struct node n = node_new(GIB / 4, 0);
  begin_job(&n, 1);
  begin_job(&n, 2);
  return n;
}

static struct sg_region *region(struct node *n) {
  return n->admin->h.r;
}

static uint32_t index_of(struct node *n, uint64_t id) {
  uint32_t j = sg_job_search(region(n), SCHEDGPU_JOB_SLURM, id);
  assert_int_not_equal(j, SG_NONE);
  return j;
}

static uint32_t count_of(struct node *n, uint64_t id) {
  uint32_t count = 0;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    count += region(n)->job[j].state == SG_ACTIVE && region(n)->job[j].id == id;
  return count;
}

/** True if `act` checks the whole region although another process just did. */
static bool checks(struct node *n, void (*act)(struct node *)) {
  for (;;) {
    uint64_t start_ns = sg_now_ns();
    atomic_store(&region(n)->h.checked_ns, start_ns);
    act(n);
    bool checked = atomic_load(&region(n)->h.checked_ns) != start_ns;
    if (!checked || sg_now_ns() - start_ns < TENTH_NS)
      return checked;
    /* on a busy machine the check may have been due: tries again */
  }
}

/** True if the begin or end of job `id` finds a check necessary, before it writes anything. */
static bool needed(struct node *n, uint64_t id, bool begins) {
  struct sg_region *r = region(n);
  bool is_needed;
  do {
    atomic_store(&r->h.checked_ns, sg_now_ns());
    is_needed = sg_check_needed(r, SCHEDGPU_JOB_SLURM, id, begins);
  } while (is_needed && sg_check_due(r));
  return is_needed;
}

static bool checks_after(struct node *n, uint64_t checked_ns) {
  atomic_store(&region(n)->h.checked_ns, checked_ns);
  begin_job(n, 3);
  return atomic_load(&region(n)->h.checked_ns) != checked_ns;
}

static void begin_and_end_another(struct node *n) {
  begin_job(n, 3);
  end_job(n, 3);
}
static void begin_again(struct node *n) {
  begin_job(n, 1);
}

static void no_process_checks_twice_in_a_tenth_of_a_second(void **state) {
  (void)state;
  struct node n = node_of_two();
  assert_false(checks(&n, begin_and_end_another));
  assert_false(checks(&n, begin_again));
  node_free(&n);
}

static void after_a_tenth_of_a_second_a_process_checks(void **state) {
  (void)state;
  struct node n = node_of_two();
  assert_true(checks_after(&n, sg_now_ns() - TENTH_NS));
  assert_true(checks_after(&n, 0));
  node_free(&n);
}

/** An impossible time is damage: it must not prevent checks until then. */
static void a_check_in_the_future_does_not_count(void **state) {
  (void)state;
  struct node n = node_of_two();
  assert_true(checks_after(&n, sg_now_ns() + 3600 * UINT64_C(1000000000)));
  assert_true(checks_after(&n, UINT64_MAX));
  node_free(&n);
}

static void header_damaged(struct node *n) {
  region(n)->h.grace_ns ^= 64;
}
static void device_damaged(struct node *n) {
  region(n)->device[0].total_bytes ^= GIB;
}
static void a_free_device_damaged(struct node *n) {
  region(n)->device[SCHEDGPU_MAX_DEVICES - 1].total_bytes ^= GIB;
}

static void a_damaged_header_or_device_causes_a_check(void **state) {
  (void)state;
  void (*const damage[])(struct node *) = {header_damaged, device_damaged, a_free_device_damaged};
  struct node n = node_of_two();
  for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
    damage[i](&n);
    assert_true(needed(&n, 3, true));
    begin_job(&n, 3);
    assert_false(needed(&n, 3, false));
    damage[i](&n);
    assert_true(needed(&n, 3, false));
    assert_true(needed(&n, 1, true));
    end_job(&n, 3);
    assert_false(needed(&n, 3, true));
  }
  assert_int_equal(region(&n)->device[0].total_bytes, 10 * GIB);
  node_free(&n);
}

static void damage_and_begin_again(struct node *n) {
  region(n)->job[index_of(n, 1)].begun_ns ^= 1;
  assert_true(needed(n, 1, true));
  begin_job(n, 1);
  assert_true(sg_job_sealed(&region(n)->job[index_of(n, 1)]));
}
/** Only the header's key still says where the job is. */
static void damage_id_and_begin_again(struct node *n) {
  uint32_t j = index_of(n, 1);
  region(n)->job[j].id ^= 64;
  begin_job(n, 1);
  assert_int_equal(region(n)->job[j].id, 1);
}
static void damage_state_and_begin_again(struct node *n) {
  uint32_t j = index_of(n, 1);
  atomic_store(&region(n)->job[j].state, SG_FREE);
  begin_job(n, 1);
  assert_int_equal(region(n)->job[j].state, SG_ACTIVE);
}
static void damage_and_end(struct node *n) {
  begin_job(n, 3);
  region(n)->job[index_of(n, 3)].begun_ns ^= 1;
  assert_true(needed(n, 3, false));
  end_job(n, 3);
}
static void damage_id_and_end(struct node *n) {
  begin_job(n, 3);
  region(n)->job[index_of(n, 3)].id ^= 64;
  end_job(n, 3);
}

static void a_process_with_a_damaged_record_checks(void **state) {
  (void)state;
  struct node n = node_of_two();
  assert_true(checks(&n, damage_and_begin_again));
  assert_true(checks(&n, damage_id_and_begin_again));
  assert_true(checks(&n, damage_state_and_begin_again));
  assert_int_equal(count_of(&n, 1), 1);
  assert_true(checks(&n, damage_and_end));
  assert_true(checks(&n, damage_id_and_end));
  assert_int_equal(count_of(&n, 3), 0);
  node_free(&n);
}

/** Only its seal and its process show that job 1 existed. */
static void lose_a_job_and_begin_another(struct node *n) {
  uint32_t j = index_of(n, 1);
  region(n)->h.job_key[j] = 0;
  atomic_store(&region(n)->job[j].state, SG_FREE);
  assert_int_equal(sg_job_place(region(n)), j);
  begin_job(n, 3);
  assert_int_equal(index_of(n, 1), j);
  assert_int_not_equal(index_of(n, 3), j);
  end_job(n, 3);
}

static void a_job_in_the_record_that_looks_free_is_restored(void **state) {
  (void)state;
  struct node n = node_new(0, 0);
  node_job(&n, 1, ONDEMAND, 0);
  struct child a = child_start(1, holds);
  assert_int_equal(receive_byte(a.from), 'h');
  assert_true(checks(&n, lose_a_job_and_begin_another));
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&a);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_OK);
  node_free(&n);
}

static void end_an_unknown_job(struct node *n) {
  assert_int_equal(schedgpu_admin_job_end(n->admin, SCHEDGPU_JOB_SLURM, 9), SCHEDGPU_ENOJOB);
}
static void damage_key_and_end(struct node *n) {
  begin_job(n, 3);
  region(n)->h.job_key[index_of(n, 3)] ^= 64;
  end_job(n, 3);
  assert_int_equal(count_of(n, 3), 0);
}

static void an_epilog_that_does_not_find_its_job_checks(void **state) {
  (void)state;
  struct node n = node_of_two();
  assert_true(checks(&n, end_an_unknown_job));
  assert_true(checks(&n, damage_key_and_end));
  node_free(&n);
}

static void damage_sums(struct node *n) {
  region(n)->device[0].used_bytes = GIB;
  begin_job(n, 3);
}
static void damage_count_of_owned(struct node *n) {
  region(n)->h.owned_jobs = 7;
  begin_job(n, 3);
}

/** The next check is early enough for this damage. */
static void damage_elsewhere_is_repaired_by_the_next_check(void **state) {
  (void)state;
  struct node n = node_of_two();
  begin_job(&n, 3);
  assert_false(checks(&n, damage_sums));
  assert_int_equal(region(&n)->device[0].used_bytes, GIB);
  assert_false(checks(&n, damage_count_of_owned));
  assert_int_equal(region(&n)->h.owned_jobs, 7);
  region(&n)->h.job_key[100] = 1;
  region(&n)->h.job_key[index_of(&n, 2)] = 0;
  assert_true(checks_after(&n, sg_now_ns() - TENTH_NS));
  assert_int_equal(region(&n)->device[0].used_bytes, 0);
  assert_int_equal(region(&n)->h.owned_jobs, 0);
  assert_int_equal(region(&n)->h.job_key[100], 0);
  assert_int_equal(sg_job_find(region(&n), SCHEDGPU_JOB_SLURM, 2), index_of(&n, 2));
  node_check(&n);
  node_free(&n);
}

static void record_damaged(struct node *n) {
  region(n)->job[index_of(n, 2)].budget_bytes[0] ^= GIB;
}
static void id_damaged(struct node *n) {
  region(n)->job[index_of(n, 2)].id ^= 64;
}
static void state_damaged(struct node *n) {
  atomic_store(&region(n)->job[index_of(n, 2)].state, SG_FREE);
}
static void record_wiped(struct node *n) {
  memset(&region(n)->job[index_of(n, 2)], 0, sizeof(struct sg_job));
}

/** A process that does not check still writes the checkpoint: it must keep the only copy of a
 * record. */
static void a_damaged_job_stays_in_the_checkpoint(void **state) {
  (void)state;
  void (*const damage[])(struct node *) = {record_damaged, id_damaged, state_damaged, record_wiped};
  for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
    struct node n = node_of_two();
    struct schedgpu_job_spec spec;
    damage[i](&n);
    atomic_store(&region(&n)->h.checked_ns, sg_now_ns());
    begin_job(&n, 3);
    end_job(&n, 3);
    atomic_store(&region(&n)->h.checked_ns, 0);
    begin_job(&n, 3);
    assert_int_equal(schedgpu_admin_job_find(n.admin, SCHEDGPU_JOB_SLURM, 2, &spec), SCHEDGPU_OK);
    assert_int_equal(spec.budget_bytes[0], 2 * GIB);
    node_free(&n);
  }
}

/** The repair recounts, so a later check would find no difference: the damage must be reported
 * before. */
static void a_wrong_key_hides_no_other_damage(void **state) {
  (void)state;
  struct node n = node_of_two();
  struct sg_job *job = &region(&n)->job[index_of(&n, 2)];
  char text[200];
  job->admitted = 1;
  job->clients = 3;
  region(&n)->h.job_key[74] = 5;
  atomic_store(&region(&n)->h.checked_ns, 0);
  begin_job(&n, 3);
  if (schedgpu_admin_check(n.admin, text, sizeof text) != SCHEDGPU_OK)
    fail_msg("%s", text);
  node_free(&n);
}

/** The job does not exist: the process checks everything before it believes that. */
static void attaches_as_stranger(int write_fd, int read_fd) {
  (void)read_fd;
  if (setgid(STRANGER) != 0 || setuid(STRANGER) != 0)
    _exit(9);
  send_byte(write_fd, schedgpu_attach() == SCHEDGPU_ENOJOB ? 'y' : 'n');
}

static void a_users_check_does_not_replace_roots(void **state) {
  (void)state;
  struct node n = node_of_two();
  atomic_store(&region(&n)->h.checked_ns, 7);
  struct child c = child_start(99, attaches_as_stranger);
  assert_int_equal(receive_byte(c.from), 'y');
  assert_int_equal(child_wait(&c), 0);
  assert_int_equal(atomic_load(&region(&n)->h.checked_ns), 7);
  node_free(&n);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_process_checks_twice_in_a_tenth_of_a_second),
      cmocka_unit_test(after_a_tenth_of_a_second_a_process_checks),
      cmocka_unit_test(a_check_in_the_future_does_not_count),
      cmocka_unit_test(a_damaged_header_or_device_causes_a_check),
      cmocka_unit_test(a_process_with_a_damaged_record_checks),
      cmocka_unit_test(a_job_in_the_record_that_looks_free_is_restored),
      cmocka_unit_test(an_epilog_that_does_not_find_its_job_checks),
      cmocka_unit_test(damage_elsewhere_is_repaired_by_the_next_check),
      cmocka_unit_test(a_damaged_job_stays_in_the_checkpoint),
      cmocka_unit_test(a_wrong_key_hides_no_other_damage),
      cmocka_unit_test(a_users_check_does_not_replace_roots),
  };
  return cmocka_run_group_tests_name("seldom a look at everything", tests, NULL, NULL);
}
