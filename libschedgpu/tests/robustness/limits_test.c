/* Case 15: every table full, no descriptor left, numbers too large, counters that wrap. */
#include "robustness.h"
#include <sys/resource.h>

/* --- tables --- */

static struct sg_handle hundreds[SCHEDGPU_MAX_CLIENTS];

/** Takes all slots of [first, end), as that many processes would. */
static void take_all(const char *dir, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++) {
    struct sg_handle *h = &hundreds[i - first];
    if (sg_open(h, dir) != SCHEDGPU_OK ||
        sg_attach_slot(h, first, end, NULL, SCHEDGPU_FOREVER, NULL) != SCHEDGPU_OK)
      _exit(5);
  }
}

static void is_a_thousand_clients(int write_fd, int read_fd) {
  take_all(getenv("SCHEDGPU_RUN_DIR"), SG_FIRST_CLIENT, SG_SLOTS);
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
  sg_slot_drop(&hundreds[700]);
  send_byte(write_fd, 'd');
  receive_byte(read_fd);
}

static void attaches_twice(int write_fd, int read_fd) {
  for (int i = 0; i < 2; i++) {
    send_byte(write_fd, schedgpu_attach() == SCHEDGPU_EFULL ? 'f'
                        : schedgpu_is_attached()            ? 'a'
                                                            : 'x');
    receive_byte(read_fd);
  }
}

static void case_15_all_slots_used_is_efull_until_one_is_free(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child all = child_start(1, is_a_thousand_clients);
  assert_int_equal(receive_byte(all.from), 'a');
  struct child b = child_start(1, attaches_twice);
  assert_int_equal(receive_byte(b.from), 'f');
  assert_int_equal(reap(&n), 0); /* the root side has slots of its own */
  send_byte(all.to, 'd');
  assert_int_equal(receive_byte(all.from), 'd');
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'a'); /* in the place of a dead client, without a reap */
  child_kill(&b);
  child_kill(&all);
  assert_int_equal(reap(&n), SCHEDGPU_MAX_CLIENTS);
  end_empty(&n);
}

static uint32_t expected_clients;

/** As many processes of one user as may be: reports whether they are as many as expected. */
static void is_many_of_a_stranger(int write_fd, int read_fd) {
  uint32_t n = 0;
  int rc = SCHEDGPU_OK;
  if (setgid(STRANGER) != 0 || setuid(STRANGER) != 0)
    _exit(9);
  for (; n < SCHEDGPU_MAX_CLIENTS && rc == SCHEDGPU_OK; n += rc == SCHEDGPU_OK)
    if (sg_open(&hundreds[n], getenv("SCHEDGPU_RUN_DIR")) != SCHEDGPU_OK)
      _exit(5);
    else
      rc = sg_attach_slot(&hundreds[n], SG_FIRST_CLIENT, SG_SLOTS, NULL, SCHEDGPU_FOREVER, NULL);
  send_byte(write_fd, rc == SCHEDGPU_EFULL && n == expected_clients ? 'h' : 'x');
  receive_byte(read_fd);
}

static void is_half_of_all(int write_fd, int read_fd) {
  take_all(getenv("SCHEDGPU_RUN_DIR"), SG_FIRST_CLIENT, SG_FIRST_CLIENT + SCHEDGPU_MAX_CLIENTS / 2);
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
}

static void takes(struct child *c, uint32_t clients) {
  expected_clients = clients;
  *c = child_start(1, is_many_of_a_stranger);
  assert_int_equal(receive_byte(c->from), 'h');
}

/** Dead processes do not count, whose records are still there. */
static void case_15_a_user_gets_half_of_the_slots(void **state) {
  (void)state;
  if (geteuid() != 0)
    skip_because("only root can become somebody else");
  struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  struct node n = node_of(&s);
  struct child others = child_start(1, is_half_of_all), many;
  assert_int_equal(receive_byte(others.from), 'a');
  takes(&many, SCHEDGPU_MAX_CLIENTS / 4);
  child_kill(&others);
  child_kill(&many);
  takes(&many, SCHEDGPU_MAX_CLIENTS / 2);
  child_kill(&many);
  reap(&n);
  end_empty(&n);
}

/** Root inside of a container has the user id 0, as every process here. */
static void is_half_of_job_1(int write_fd, int read_fd) {
  static const struct sg_job_key job_1 = {SCHEDGPU_JOB_SLURM, 1, 0};
  struct sg_joined joined;
  uint32_t n = 0;
  int rc = SCHEDGPU_OK;
  for (; n < SCHEDGPU_MAX_CLIENTS && rc == SCHEDGPU_OK; n += rc == SCHEDGPU_OK)
    if (sg_open(&hundreds[n], getenv("SCHEDGPU_RUN_DIR")) != SCHEDGPU_OK)
      _exit(5);
    else
      rc = sg_attach_slot(&hundreds[n], SG_FIRST_CLIENT, SG_SLOTS, &job_1, SCHEDGPU_FOREVER,
                          &joined);
  send_byte(write_fd, rc == SCHEDGPU_EFULL && n == SCHEDGPU_MAX_CLIENTS / 2 ? 'h' : 'x');
  receive_byte(read_fd);
}

static void case_15_processes_count_to_the_user_of_their_job(void **state) {
  (void)state;
  if (geteuid() != 0)
    skip_because("only root may join any job");
  struct node n = node_new(0, 0);
  struct schedgpu_job_spec s = job_spec(1, ONDEMAND, 0, 50);
  s.uid = STRANGER;
  assert_int_equal(schedgpu_admin_job_begin(n.admin, &s), SCHEDGPU_OK);
  struct child all = child_start(1, is_half_of_job_1);
  assert_int_equal(receive_byte(all.from), 'h');
  child_kill(&all);
  reap(&n);
  end_empty(&n);
}

static void case_15_a_table_full_of_dead_clients_is_not_full(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child all = child_start(1, is_a_thousand_clients);
  assert_int_equal(receive_byte(all.from), 'a');
  child_kill(&all);
  struct child b = start_holder(1);
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&b);
  end_empty(&n);
}

static void is_every_administrator(int write_fd, int read_fd) {
  take_all(getenv("SCHEDGPU_RUN_DIR"), SG_FIRST_ADMIN, SG_FIRST_CLIENT);
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
}

static void case_15_the_administrator_gets_in_when_the_root_sides_slots_are_used(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  schedgpu_admin_close(n.admin);
  struct child all = child_start(1, is_every_administrator);
  assert_int_equal(receive_byte(all.from), 'a');
  assert_int_equal(schedgpu_admin_open(n.dir, &n.admin), SCHEDGPU_OK);
  assert_int_equal(reap(&n), 0);
  child_kill(&all);
  end_empty(&n);
}

static void case_15_all_job_records_used_is_efull(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  for (uint32_t i = 0; i < SCHEDGPU_MAX_JOBS; i++) {
    struct schedgpu_job_spec s = job_spec(i + 1, ONDEMAND, 0, 50);
    assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  }
  struct schedgpu_job_spec s = job_spec(9999, ONDEMAND, 0, 50);
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_EFULL);
  s.job_id = 7; /* the job exists, so no new record is needed */
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(sg_job_end(r, 3, 1, &wakes), SCHEDGPU_OK);
  s.job_id = 9999;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 1, &wakes), SCHEDGPU_OK);
  fixture_free(r);
}

/** Each process has a slot of its own, so all can wait. The end of the last one serves all, and
 * wakes each once. */
static void case_15_all_processes_wait_and_all_are_served(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  uint32_t w;
  join(r, 0, ONDEMAND, 0, 50);
  take_now(r, 0, 10 * GIB);
  join(r, 1, ONDEMAND, 0, 50);
  for (uint32_t slot = 1; slot < SG_SLOTS; slot++) {
    struct sg_request q = {.client = slot, .bytes = MIB, .may_wait = true};
    if (slot > 1)
      add_process(r, slot, 1);
    assert_int_equal(sg_ask(r, &q, 1, &w, &wakes), SCHEDGPU_EWOULDBLOCK);
    assert_int_equal(w, slot);
  }
  fixture_check(r);
  sg_client_remove(r, 0, 1, &wakes);
  assert_int_equal(wakes.count, SG_SLOTS - 1);
  fixture_check(r);
  for (uint32_t slot = 1; slot < SG_SLOTS; slot++)
    assert_int_equal(sg_settle(r, slot, r->waiter[slot].ticket, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(r->device[0].used_bytes, (SG_SLOTS - 1) * MIB);
  fixture_free(r);
}

/* --- descriptors --- */

/** Takes all descriptors until give_descriptors(). */
static void take_descriptors(void) {
  struct rlimit none = {3, 4096};
  if (setrlimit(RLIMIT_NOFILE, &none) != 0)
    _exit(5);
}

static void give_descriptors(void) {
  struct rlimit some = {4096, 4096};
  if (setrlimit(RLIMIT_NOFILE, &some) != 0)
    _exit(5);
}

static void attaches_without_descriptors(int write_fd, int read_fd) {
  take_descriptors();
  bool refused = schedgpu_attach() == SCHEDGPU_ESYSTEM && errno == EMFILE &&
                 schedgpu_reserve(0, GIB, 0) == SCHEDGPU_ESYSTEM;
  give_descriptors();
  send_byte(write_fd, refused && schedgpu_reserve(0, GIB, 0) == SCHEDGPU_OK ? 'e' : 'x');
  receive_byte(read_fd);
}

static void case_15_emfile_while_attaching_is_refused_and_nothing_is_left(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child a = child_start(1, attaches_without_descriptors);
  assert_int_equal(receive_byte(a.from), 'e');
  assert_int_equal(node_used(&n), GIB);
  child_kill(&a);
  assert_int_equal(reap(&n), 1);
  end_empty(&n);
}

static void waits_without_descriptors(int write_fd, int read_fd) {
  schedgpu_attach();
  take_descriptors();
  bool ok = schedgpu_reserve(0, 3 * GIB, 0) == SCHEDGPU_OK; /* needs none */
  ok &= schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK;
  send_byte(write_fd, ok ? 'g' : 'x');
  receive_byte(read_fd);
}

/** A process that cannot scan for dead clients is still served by others, and declares no process
 * dead. */
static void case_15_emfile_while_waiting_no_process_is_declared_dead(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child a = start_holder(1);
  struct child b = child_start(2, waits_without_descriptors);
  await_waiting(&n, 1);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(receive_byte(b.from), 'g');
  assert_int_equal(node_used(&n), 9 * GIB);
  assert_int_equal(reap(&n), 0);
  child_kill(&a);
  child_kill(&b);
  end_empty(&n);
}

static void locks_without_descriptors(int write_fd, int read_fd) {
  struct sg_handle h;
  if (sg_open(&h, getenv("SCHEDGPU_RUN_DIR")) != SCHEDGPU_OK ||
      sg_attach_slot(&h, SG_FIRST_ADMIN, SG_FIRST_CLIENT, NULL, SCHEDGPU_FOREVER, NULL) !=
          SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'a');
  receive_byte(read_fd);
  take_descriptors();
  send_byte(write_fd, sg_lock(&h, 30 * MS) == SCHEDGPU_ELOCK ? 'e' : 'x');
  give_descriptors();
  send_byte(write_fd, sg_lock(&h, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'l' : 'x');
  sg_unlock(&h);
  leave(&h);
}

static void
case_15_emfile_a_dead_lock_holder_counts_as_alive_until_there_is_a_descriptor(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child b = child_start(1, locks_without_descriptors);
  assert_int_equal(receive_byte(b.from), 'a');
  struct child a = start_lock_holder();
  child_kill(&a);
  send_byte(b.to, 'g');
  assert_int_equal(receive_byte(b.from), 'e');
  assert_int_equal(receive_byte(b.from), 'l');
  assert_int_equal(child_wait(&b), 0);
  end_empty(&n);
}

/* --- numbers --- */

static void case_15_more_than_the_device_is_refused_at_once(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  const uint64_t too_big[] = {10 * GIB + 1,      11 * GIB,
                              UINT64_C(1) << 41, (UINT64_C(1) << 41) + 512,
                              UINT64_MAX - 1000, UINT64_MAX};
  uint32_t w;
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  for (size_t i = 0; i < sizeof too_big / sizeof *too_big; i++) {
    assert_int_equal(ask_on(r, 0, 0, too_big[i], &w), SCHEDGPU_ETOOBIG);
    int rc = ask_on(r, 1, 0, too_big[i], &w);
    assert_true(rc == SCHEDGPU_EBUDGET || rc == SCHEDGPU_ETOOBIG);
  }
  assert_int_equal(ask_on(r, 0, 1, GIB, &w), SCHEDGPU_EDEVICE);
  assert_int_equal(r->device[0].used_bytes, 0);
  fixture_free(r);
}

static void releases_too_much(int write_fd, int read_fd) {
  bool ok = schedgpu_reserve(0, UINT64_MAX, 0) == SCHEDGPU_ETOOBIG &&
            schedgpu_reserve(0, GIB, 0) == SCHEDGPU_OK &&
            schedgpu_release(0, GIB + 512) == SCHEDGPU_EUNDERFLOW &&
            schedgpu_release(0, UINT64_MAX) == SCHEDGPU_EUNDERFLOW &&
            schedgpu_release(0, (UINT64_C(1) << 41) + GIB) == SCHEDGPU_EUNDERFLOW;
  send_byte(write_fd, ok ? 'u' : 'x');
  receive_byte(read_fd);
}

static void case_15_more_than_was_reserved_cannot_be_released(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  for (uint32_t mode = PEAK; mode <= ONDEMAND; mode++) {
    schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1);
    node_job(&n, 1, mode, mode == PEAK ? 6 * GIB : 0);
    struct child a = child_start(1, releases_too_much);
    assert_int_equal(receive_byte(a.from), 'u');
    child_kill(&a);
  }
  end_empty(&n);
}

static void case_15_counters_wrap(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct sg_handle h = attach_root_side(&n);
  assert_int_equal(sg_lock(&h, SCHEDGPU_FOREVER), SCHEDGPU_OK);
  atomic_store(&h.r->h.seq, UINT64_MAX); /* odd, as during a write */
  h.r->h.ticket = UINT64_MAX - 3;
  h.r->h.grants = h.r->h.reaped_clients = h.r->h.recoveries = UINT64_MAX;
  atomic_store(&h.r->h.scanned_ns, UINT64_MAX); /* a scan in the far future */
  sg_unlock(&h);
  assert_int_equal(atomic_load(&h.r->h.seq), 0);
  struct child a = start_holder(1), b = child_start(2, holds_six);
  await_waiting(&n, 1);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), 'h');
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&b);
  leave(&h);
  end_empty(&n);
}

/** The lock word has 20 bits of the generation, the record all 32. */
static void generation_wraps(uint32_t before) {
  struct node n = node_with_jobs(1, ONDEMAND);
  struct sg_handle view = map_region(&n), h = map_region(&n);
  uint32_t slot = SG_FIRST_ADMIN + 40;
  atomic_store(&view.r->client[slot].gen, before);
  assert_int_equal(sg_attach_slot(&h, slot, slot + 1, NULL, SCHEDGPU_FOREVER, NULL), SCHEDGPU_OK);
  assert_int_equal(reap(&n), 0);
  assert_int_equal(sg_lock(&h, SCHEDGPU_FOREVER), SCHEDGPU_OK);
  assert_false(sg_owner_dead(&view, atomic_load(&view.r->h.lock)));
  uint32_t word = atomic_load(&view.r->h.lock);
  sg_unlock(&h);
  leave(&h);
  assert_true(sg_owner_dead(&view, word));
  h = map_region(&n);
  assert_int_equal(sg_slot_take(&h, slot, slot + 1), SCHEDGPU_OK);
  assert_true(sg_owner_dead(&view, word)); /* the next process in this slot is not the owner */
  sg_close(&h);
  sg_close(&view);
  end_empty(&n);
}

static void case_15_the_generation_of_a_slot_wraps_at_20_bits_and_at_32(void **state) {
  (void)state;
  generation_wraps(0xffffe);
  generation_wraps(0xfffff);
  generation_wraps(UINT32_MAX - 1);
  generation_wraps(UINT32_MAX);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_15_all_slots_used_is_efull_until_one_is_free),
      cmocka_unit_test(case_15_a_user_gets_half_of_the_slots),
      cmocka_unit_test(case_15_processes_count_to_the_user_of_their_job),
      cmocka_unit_test(case_15_a_table_full_of_dead_clients_is_not_full),
      cmocka_unit_test(case_15_the_administrator_gets_in_when_the_root_sides_slots_are_used),
      cmocka_unit_test(case_15_all_job_records_used_is_efull),
      cmocka_unit_test(case_15_all_processes_wait_and_all_are_served),
      cmocka_unit_test(case_15_emfile_while_attaching_is_refused_and_nothing_is_left),
      cmocka_unit_test(case_15_emfile_while_waiting_no_process_is_declared_dead),
      cmocka_unit_test(
          case_15_emfile_a_dead_lock_holder_counts_as_alive_until_there_is_a_descriptor),
      cmocka_unit_test(case_15_more_than_the_device_is_refused_at_once),
      cmocka_unit_test(case_15_more_than_was_reserved_cannot_be_released),
      cmocka_unit_test(case_15_counters_wrap),
      cmocka_unit_test(case_15_the_generation_of_a_slot_wraps_at_20_bits_and_at_32),
  };
  return cmocka_run_group_tests_name("case 15: limits", tests, NULL, NULL);
}
