/*
 * Case 18: with any content of the region every call ends, with success or an error, and the next
 * recovery recounts everything. alarm() would end a hang.
 */
#include "robustness.h"

/* --- the lock word --- */

static uint32_t word_of(uint32_t slot, uint32_t gen) {
  return (slot + 1) | (gen & 0xfffff) << 11;
}

/** Expects that the next process takes the lock over: no live process can have written this
 * word. */
static void expect_taken_over(struct node *n, struct sg_handle *view, uint32_t word) {
  uint64_t before = view->r->h.recoveries;
  atomic_store(&view->r->h.lock, word);
  assert_int_equal(schedgpu_admin_reap(n->admin, NULL), SCHEDGPU_OK);
  assert_int_equal(view->r->h.recoveries, before + 1);
  assert_int_equal(atomic_load(&view->r->h.lock), 0);
}

static void case_18_an_impossible_lock_word_is_taken_over(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle view = map_region(&n);
  const uint32_t words[] = {
      LOCK_HAS_WAITERS, /* waiters, but no owner */
      0x7ff,            /* beyond the last slot */
      SG_SLOTS + 1,     /* just beyond */
      5u << 11,         /* a generation without a slot */
      0x7fffffff,       /* all bits except that of waiters */
      UINT32_MAX,       /* and with that bit */
      word_of(17, 3),   /* a slot that was never used */
      word_of(17, 0),   /* in its generation */
      word_of(17, 0) | LOCK_HAS_WAITERS,
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    expect_taken_over(&n, &view, words[i]);
  sg_close(&view);
  end_empty(&n);
}

static void case_18_a_live_slot_of_another_generation_is_not_the_lock_holder(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle view = map_region(&n), alive = attach_root_side(&n);
  uint32_t gen = atomic_load(&view.r->client[alive.slot].gen);
  expect_taken_over(&n, &view, word_of(alive.slot, gen + 1));
  expect_taken_over(&n, &view, word_of(alive.slot, gen - 1) | LOCK_HAS_WAITERS);
  leave(&alive);
  sg_close(&view);
  end_empty(&n);
}

/** Looks like a stopped holder: it is reported as one, and no call waits beyond its deadline. */
static void case_18_a_live_process_without_the_lock_is_named_in_time(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle alive = attach_root_side(&n);
  uint32_t word = word_of(alive.slot, atomic_load(&alive.r->client[alive.slot].gen));
  schedgpu_admin_set_timeout(n.admin, 60 * MS);
  atomic_store(&alive.r->h.lock, word);
  assert_int_equal(schedgpu_admin_reap(n.admin, NULL), SCHEDGPU_ELOCK);
  assert_int_equal(schedgpu_admin_lock_holder(n.admin, NULL), getpid());
  assert_int_equal(sg_lock(&alive, 60 * MS), SCHEDGPU_ELOCK); /* nor does the process itself */
  atomic_store(&alive.r->h.lock, 0);
  schedgpu_admin_set_timeout(n.admin, SCHEDGPU_FOREVER);
  leave(&alive);
  end_empty(&n);
}

/* --- totals and queue --- */

/** A process holds 6 of 10 GiB, and three wait for 5, 6 and 7. */
static struct sg_region *busy_region(uint32_t policy) {
  struct sg_region *r = fixture_new(2, GIB / 8, policy);
  for (uint32_t slot = 0; slot < 4; slot++)
    join(r, slot, ONDEMAND, slot == 1 ? 8 * GIB : 0, 50 + (int32_t)slot);
  take_now(r, 0, 6 * GIB);
  for (uint32_t slot = 1; slot < 4; slot++)
    queue_up(r, slot, (4 + slot) * GIB);
  r->h.overtake_limit = 2;
  r->h.deadlock_rule = SCHEDGPU_DEADLOCK_AVOID;
  sg_seal_header(r);
  return r;
}

/** Makes every transition once. The results do not matter, only that each one ends. */
static void go_through_all(struct sg_region *r) {
  struct sg_wakes wakes = {0};
  char text[200];
  uint32_t w, other;
  bool idle;
  struct schedgpu_job_spec s = job_spec(50, PEAK, 3 * GIB, 70);
  struct sg_request q = {.client = 0, .bytes = GIB, .may_wait = true};
  sg_check(r, text, sizeof text);
  sg_ask(r, &q, 1, &w, &wakes);
  q.context = true;
  sg_ask(r, &q, 1, &other, &wakes);
  if (w != SG_NONE)
    sg_settle(r, w, r->waiter[w].ticket, 1, &wakes);
  sg_job_begin(r, &s, SG_NONE, 1, &wakes);
  s = job_spec(2, ONDEMAND, 8 * GIB, 90); /* a new priority for a waiting job */
  sg_job_begin(r, &s, SG_NONE, 1, &wakes);
  sg_give_back(r, 0, 0, GIB, 1, &wakes);
  sg_lease_give(&r->client[0].lease[0], 1, &idle);
  sg_context_leave(r, 0, 0, 1, &wakes);
  for (uint32_t policy = 0; policy < SCHEDGPU_POLICIES; policy++)
    sg_policy_set(r, policy, 1, &wakes);
  for (uint32_t i = 0; i < 4; i++)
    sg_place(r, i);
  sg_client_remove(r, 3, 1, &wakes);
  sg_job_end(r, r->client[0].job, 1, &wakes);
  sg_serve(r, 1, &wakes);
}

/** Acts as the shell does when it takes the lock over: repairs, recounts, then serves. */
static int repair(struct sg_region *r) {
  struct sg_wakes wakes = {0};
  struct sg_report report = {0};
  int rc = sg_repair(r, NULL, &report, &wakes);
  if (rc == SCHEDGPU_OK)
    sg_repair_finish(r, 1, &report, &wakes);
  return rc;
}

static void recover_and_check(struct sg_region *r) {
  assert_int_equal(repair(r), SCHEDGPU_OK);
  fixture_check(r);
}

/** Damages a busy region, lets it run, and recovers; then findings one and recovers at once. */
static void survive(void (*damage)(struct sg_region *r, uint64_t value), uint64_t value) {
  for (uint32_t policy = 0; policy < SCHEDGPU_POLICIES; policy++) {
    struct sg_region *r = busy_region(policy);
    damage(r, value);
    recover_and_check(r);
    damage(r, value);
    go_through_all(r);
    free(r); /* ignores grants from false sums; the next test is about them */
  }
}

static const uint64_t numbers[] = {0,          1,         512,        GIB,
                                   1024,       1025,      UINT16_MAX, INT32_MAX,
                                   UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - GIB};
#define EACH_NUMBER(i) for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)

static void wrong_device_sums(struct sg_region *r, uint64_t value) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    r->device[d].used_bytes = r->device[d].context_used_bytes = value;
    r->device[d].largest_need_bytes = value;
    r->device[d].held_budgets = (uint32_t)value;
    for (uint32_t q = 0; q < SG_QUEUES; q++)
      atomic_store(&r->device[d].waiting[q], (uint32_t)value);
  }
}

static void wrong_job_sums(struct sg_region *r, uint64_t value) {
  for (uint32_t j = 0; j < 8; j++) {
    r->job[j].clients = r->job[j].waiting = (uint32_t)value;
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
      r->job[j].held_bytes[d] = r->job[j].queued_bytes[d] = r->job[j].context_used_bytes[d] = value;
  }
}

static void wrong_queue_length(struct sg_region *r, uint64_t value) {
  r->h.queue_length = (uint32_t)value;
}

static void queue_of_one_number(struct sg_region *r, uint64_t value) {
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    r->h.queue[i] = (uint16_t)value;
  r->h.queue_length = SG_SLOTS;
}

static void backward_queue(struct sg_region *r, uint64_t value) {
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    r->h.queue[i] = (uint16_t)(SG_SLOTS - 1 - i + value);
  r->h.queue_length = SG_SLOTS;
}

static void case_18_totals_that_disagree_are_repaired_and_never_spin(void **state) {
  (void)state;
  EACH_NUMBER(i) {
    survive(wrong_device_sums, numbers[i]);
    survive(wrong_job_sums, numbers[i]);
  }
}

static void case_18_a_queue_of_any_length_is_repaired_and_never_spins(void **state) {
  (void)state;
  EACH_NUMBER(i)
  survive(wrong_queue_length, numbers[i]);
}

static void case_18_a_queue_with_duplicates_or_impossible_indexes_is_repaired(void **state) {
  (void)state;
  EACH_NUMBER(i) {
    survive(queue_of_one_number, numbers[i]);
    survive(backward_queue, numbers[i]);
  }
}

/**
 * Values that are not caches cannot be recounted, but they cause no hang and no access outside the
 * region.
 */
static void wild_indexes(struct sg_region *r, uint64_t value) {
  for (uint32_t i = 0; i < 4; i++) {
    r->waiter[i].client = r->waiter[i].device = (uint32_t)value;
    r->waiter[i].job = r->waiter[i].device_mask = (uint32_t)value;
    r->waiter[i].kind = (uint32_t)value;
    r->waiter[i].priority = (int32_t)value;
    r->waiter[i].bytes = value;
    r->client[i].job = (uint32_t)value;
    r->client[i].contexts[0] = value;
    r->job[i].held_mask = r->job[i].processes = (uint32_t)value;
    r->job[i].reserved_bytes[0] = r->job[i].budget_bytes[0] = value;
    r->job[i].owner_slot = (uint32_t)value;
    r->job[i].flags = SCHEDGPU_JOB_FLAG_OWNED;
  }
}

static void wild_marks(struct sg_region *r, uint64_t value) {
  r->h.job_high = r->h.client_high = r->h.queue_length = (uint32_t)value;
  r->h.policy = r->h.deadlock_rule = r->h.device_count = (uint32_t)value;
}

static void case_18_indexes_stay_in_the_region_and_marks_end_loops(void **state) {
  (void)state;
  EACH_NUMBER(i) {
    for (int which = 0; which < 2; which++) {
      struct sg_region *r = busy_region(SCHEDGPU_POLICY_PRIORITY_MMU);
      (which ? wild_marks : wild_indexes)(r, numbers[i]);
      go_through_all(r);
      repair(r);
      go_through_all(r);
      free(r);
    }
  }
}

/** Through the API: the check reports the damage, and a request is refused rather than
 * over-committed. */
static void
case_18_a_total_that_is_too_high_is_found_by_the_check_and_grants_nothing(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct sg_handle view = map_region(&n);
  struct child a = start_holder(1);
  char text[200];
  be_job(2);
  view.r->device[0].used_bytes = UINT64_MAX - 511;
  int refused = schedgpu_reserve(0, GIB, SCHEDGPU_NO_WAIT);
  assert_true(refused == SCHEDGPU_EWOULDBLOCK || refused == SCHEDGPU_ECORRUPT);
  view.r->device[0].used_bytes = UINT64_MAX - 511;
  int checked = schedgpu_admin_check(n.admin, text, sizeof text);
  assert_true(checked == SCHEDGPU_ECORRUPT || view.r->device[0].used_bytes == 6 * GIB);
  expect_taken_over(&n, &view, 0x7ff); /* a recovery repairs it */
  assert_int_equal(node_used(&n), 6 * GIB);
  assert_int_equal(schedgpu_reserve(0, GIB, SCHEDGPU_NO_WAIT), SCHEDGPU_OK);
  assert_int_equal(schedgpu_detach(), SCHEDGPU_OK);
  child_kill(&a);
  sg_close(&view);
  end_empty(&n);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_18_an_impossible_lock_word_is_taken_over),
      cmocka_unit_test(case_18_a_live_slot_of_another_generation_is_not_the_lock_holder),
      cmocka_unit_test(case_18_a_live_process_without_the_lock_is_named_in_time),
      cmocka_unit_test(case_18_totals_that_disagree_are_repaired_and_never_spin),
      cmocka_unit_test(case_18_a_queue_of_any_length_is_repaired_and_never_spins),
      cmocka_unit_test(case_18_a_queue_with_duplicates_or_impossible_indexes_is_repaired),
      cmocka_unit_test(case_18_indexes_stay_in_the_region_and_marks_end_loops),
      cmocka_unit_test(case_18_a_total_that_is_too_high_is_found_by_the_check_and_grants_nothing),
  };
  return cmocka_run_group_tests_name("case 18: damage", tests, NULL, NULL);
}
