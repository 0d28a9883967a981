/* damage_test.c - findings records of broker clients. They keep what they hold, and waits go on. */
#include "raw.h"
#include "schedgpu/run.h"

static struct node node;
static struct child agent;

static int set_up(void **state) {
  (void)state;
  node = closed_node(0, 0);
  agent = agent_start();
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  child_kill(&agent);
  node_free(&node);
  return 0;
}

/** Damages the records of all broker clients: `size` bytes from `offset`. */
static void damage(size_t offset, size_t size, int byte) {
  struct sg_handle h = map_region(&node);
  for (uint32_t slot = SG_FIRST_CLIENT; slot < SG_SLOTS; slot++)
    memset((char *)&h.r->client[slot] + offset, byte, size);
  sg_close(&h);
}
#define DAMAGE(field, byte)                                                                        \
  damage(offsetof(struct sg_client, field), sizeof(((struct sg_client *)0)->field), byte)

static void wiped(void) {
  damage(0, sizeof(struct sg_client), 0);
}
static void filled(void) {
  damage(0, sizeof(struct sg_client), 0xff);
}
static void lost_their_states(void) {
  DAMAGE(state, 0);
}
static void lost_their_generations(void) {
  DAMAGE(gen, 0x55);
}
static void lost_their_leases(void) {
  DAMAGE(lease, 0xff);
}
static void lost_their_jobs(void) {
  DAMAGE(job, 0x55);
}
static void lost_their_files(void) {
  DAMAGE(live_ino, 0x55);
}

/** Acts as a prolog does. */
static void root_side_checks(void) {
  schedgpu_admin *admin;
  struct schedgpu_job_spec s = job_spec(99, ONDEMAND, 0, 50);
  assert_int_equal(schedgpu_admin_open(node.dir, &admin), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_job_begin(admin, &s), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_reap(admin, NULL), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_job_end(admin, SCHEDGPU_JOB_SLURM, 99), SCHEDGPU_OK);
  schedgpu_admin_close(admin);
}

/** Stops the agent where it does not hold the lock, for which a prolog would wait. */
static void stop_agent(void) {
  struct sg_handle h = map_region(&node);
  for (stop_child(&agent); atomic_load(&h.r->h.lock) != 0; stop_child(&agent)) {
    kill(agent.pid, SIGCONT);
    usleep(1000);
  }
  sg_close(&h);
}

/** Alice holds 6 of 10 GiB, Bob waits for 6. */
static void a_wait_continues(uint32_t mode, void (*fault)(void), bool first_root) {
  uint64_t budget = mode == PEAK ? 6 * GIB : 0;
  job_of(&node, 1, ALICE, mode, budget);
  job_of(&node, 2, BOB, mode, budget);
  struct child alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, 'r', SCHEDGPU_OK);
  send_byte(bob.to, 'r');
  await_waiting(&node, 1);
  fault();
  if (first_root) {
    stop_agent();
    root_side_checks();
    assert_true(node_used(&node) >= 6 * GIB); /* although it is unknown whose memory it is */
    kill(agent.pid, SIGCONT);
  }
  uses(alice, 6);
  assert_int_equal(node_used(&node), 6 * GIB);
  await_waiting(&node, 1); /* the damage may have dropped his request, so he asks again */
  does(alice, 'g', SCHEDGPU_OK);
  assert_int_equal(receive_byte(bob.from), OK_ANSWER);
  uses(bob, 6);
  node_check(&node);
  child_kill(&alice);
  does(bob, 'g', SCHEDGPU_OK);
  does(bob, 'd', SCHEDGPU_OK);
  child_kill(&bob);
  root_side_checks();
  for (uint64_t job = 1; job <= 2; job++) { /* the damaged numbers were not published */
    struct schedgpu_job_use use;
    assert_int_equal(schedgpu_admin_job_use(node.admin, SCHEDGPU_JOB_SLURM, job, &use),
                     SCHEDGPU_OK);
    assert_true(use.peak_bytes[0] <= 6 * GIB);
    assert_int_equal(use.refusals, 0);
  }
  assert_int_equal(schedgpu_admin_job_end(node.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_job_end(node.admin, SCHEDGPU_JOB_SLURM, 2), SCHEDGPU_OK);
  assert_int_equal(node_used(&node), 0);
}

/** No request waits, so no process looks for damage: the next request, of the damaged client or of
 * another, counts from what each client had. */
static void a_request_follows(void (*fault)(void), bool of_another) {
  job_of(&node, 1, ALICE, ONDEMAND, 0);
  job_of(&node, 2, BOB, ONDEMAND, 0);
  struct child alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, 'r', SCHEDGPU_OK);
  does(bob, '1', SCHEDGPU_OK);
  fault();
  struct child *who = of_another ? &bob : &alice;
  does(*who, '1', SCHEDGPU_OK);
  uses(alice, of_another ? 6 : 7);
  uses(bob, of_another ? 2 : 1);
  assert_int_equal(node_used(&node), 8 * GIB);
  node_check(&node);
  child_kill(&alice);
  child_kill(&bob);
  await_used(&node, 0);
}

#define FAULT(name)                                                                                \
  static void records_##name##_in_peak(void **state) {                                             \
    (void)state, a_wait_continues(PEAK, name, false);                                              \
  }                                                                                                \
  static void records_##name##_in_ondemand(void **state) {                                         \
    (void)state, a_wait_continues(ONDEMAND, name, false);                                          \
  }                                                                                                \
  static void records_##name##_and_a_hook_comes_in_peak(void **state) {                            \
    (void)state, a_wait_continues(PEAK, name, true);                                               \
  }                                                                                                \
  static void records_##name##_and_a_hook_comes_in_ondemand(void **state) {                        \
    (void)state, a_wait_continues(ONDEMAND, name, true);                                           \
  }                                                                                                \
  static void records_##name##_and_it_asks(void **state) {                                         \
    (void)state, a_request_follows(name, false);                                                   \
  }                                                                                                \
  static void records_##name##_and_another_asks(void **state) {                                    \
    (void)state, a_request_follows(name, true);                                                    \
  }
FAULT(wiped)
FAULT(filled)
FAULT(lost_their_states)
FAULT(lost_their_generations)
FAULT(lost_their_leases)
FAULT(lost_their_jobs)
FAULT(lost_their_files)

/** The damaged slots look free. A new process must not get one of them. */
static void a_process_that_attaches_after_the_damage_gets_its_own_slot(void **state) {
  (void)state;
  job_of(&node, 1, ALICE, ONDEMAND, 0);
  job_of(&node, 2, BOB, ONDEMAND, 0);
  struct child alice = user_start(ALICE, 1);
  does(alice, 'r', SCHEDGPU_OK);
  wiped();
  struct child bob = user_start(BOB, 2);
  does(bob, '1', SCHEDGPU_OK);
  uses(alice, 6);
  uses(bob, 1);
  assert_int_equal(node_used(&node), 7 * GIB);
  child_kill(&alice);
  child_kill(&bob);
  await_used(&node, 0);
}

/** No client asks: the agent finds the damage by itself. */
static void the_record_of_a_silent_client_is_restored(void **state) {
  (void)state;
  job_of(&node, 1, ALICE, ONDEMAND, 0);
  struct child alice = user_start(ALICE, 1);
  does(alice, 'r', SCHEDGPU_OK);
  struct sg_handle h = map_region(&node);
  uint32_t slot = SG_FIRST_CLIENT;
  const struct sg_client *record = &h.r->client[slot];
  while (record->state != SG_ACTIVE || record->uid != ALICE)
    record = &h.r->client[++slot];
  int32_t pid = record->pid;
  wiped();
  while (!sg_job_active(h.r, 0) || sg_in_use(record->lease[0]) * SG_UNIT_BYTES != 6 * GIB)
    nap_ms(1);
  assert_int_equal(record->pid, pid);
  sg_close(&h);
  child_kill(&alice);
  await_used(&node, 0);
}

/** The next agent does not know whose memory it is, but knows that it is in use. */
static void an_orphan_stays_reserved_until_its_process_ends(void **state) {
  (void)state;
  job_of(&node, 1, ALICE, ONDEMAND, 0);
  struct child alice = user_start(ALICE, 1);
  does(alice, 'r', SCHEDGPU_OK);
  child_kill(&agent);
  wiped();
  root_side_checks();
  assert_int_equal(node_used(&node), 6 * GIB);
  agent = agent_start();
  does(alice, '1', SCHEDGPU_ENOJOB);
  assert_int_equal(node_used(&node), 6 * GIB);
  child_kill(&alice);
  assert_int_equal(reap(&node), 1);
  assert_int_equal(node_used(&node), 0);
}

/** The process is dead by now, so the agent must not write its record. */
static void the_record_of_a_dead_process_is_not_restored(void **state) {
  (void)state;
  job_of(&node, 1, ALICE, ONDEMAND, 0);
  struct child alice = user_start(ALICE, 1);
  does(alice, 'r', SCHEDGPU_OK);
  stop_child(&agent);
  wiped();
  child_kill(&alice);
  kill(agent.pid, SIGCONT);
  await_used(&node, 0);
}

static void becomes_another_program(int write_fd, int read_fd) {
  become(ALICE);
  reserve_six();
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
  execl("/bin/sleep", "sleep", "100", NULL);
}

static bool leads_to(const char *link, const char *name) {
  char to[PATH_MAX];
  ssize_t length = readlink(link, to, sizeof to - 1);
  assert_true(length > 0);
  to[length] = 0;
  return strstr(to, name) != NULL;
}

static void the_record_of_a_process_that_called_exec_is_not_restored(void **state) {
  (void)state;
  job_of(&node, 1, ALICE, ONDEMAND, 0);
  int descriptors = count_descriptors(agent.pid);
  struct child alice = child_start(1, becomes_another_program);
  assert_int_equal(receive_byte(alice.from), 'h');
  stop_child(&agent);
  wiped();
  send_byte(alice.to, 'x');
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/exe", alice.pid);
  while (leads_to(link, "damage_test"))
    nap_ms(1);
  kill(agent.pid, SIGCONT);
  await_used(&node, 0);
  while (count_descriptors(agent.pid) != descriptors) /* until the agent has closed them */
    nap_ms(1);
  child_kill(&alice);
}

static void runs(int write_fd, int read_fd) {
  schedgpu_run *run;
  struct schedgpu_job_spec spec = job_spec(0, PEAK, 7 * GIB, 50);
  spec.kind = SCHEDGPU_JOB_RUN;
  become(ALICE);
  if (schedgpu_run_open(getenv("SCHEDGPU_RUN_DIR"), &run) != SCHEDGPU_OK ||
      schedgpu_run_begin(run, &spec) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'b');
  receive_byte(read_fd);
  schedgpu_run_close(run);
  send_byte(write_fd, 'e');
  receive_byte(read_fd);
}

/** The owner of a job lives like a client, and only the owner may end the job. */
static void the_owner_of_a_job_still_owns_it(void **state) {
  (void)state;
  struct child runner = child_start(0, runs);
  uint64_t id = (uint64_t)runner.pid;
  assert_int_equal(receive_byte(runner.from), 'b');
  wiped();
  while (schedgpu_admin_job_find(node.admin, SCHEDGPU_JOB_RUN, id, NULL) != SCHEDGPU_OK)
    fail_msg("its job has ended");
  send_byte(runner.to, 'e');
  assert_int_equal(receive_byte(runner.from), 'e');
  assert_int_equal(schedgpu_admin_job_find(node.admin, SCHEDGPU_JOB_RUN, id, NULL),
                   SCHEDGPU_ENOJOB);
  child_kill(&runner);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define FAULT_TESTS(name)                                                                          \
  TEST(records_##name##_in_peak), TEST(records_##name##_in_ondemand),                              \
      TEST(records_##name##_and_a_hook_comes_in_peak),                                             \
      TEST(records_##name##_and_a_hook_comes_in_ondemand), TEST(records_##name##_and_it_asks),     \
      TEST(records_##name##_and_another_asks)

int main(void) {
  const struct CMUnitTest tests[] = {
      FAULT_TESTS(wiped),
      FAULT_TESTS(filled),
      FAULT_TESTS(lost_their_states),
      FAULT_TESTS(lost_their_generations),
      FAULT_TESTS(lost_their_leases),
      FAULT_TESTS(lost_their_jobs),
      FAULT_TESTS(lost_their_files),
      TEST(a_process_that_attaches_after_the_damage_gets_its_own_slot),
      TEST(the_record_of_a_silent_client_is_restored),
      TEST(an_orphan_stays_reserved_until_its_process_ends),
      TEST(the_record_of_a_dead_process_is_not_restored),
      TEST(the_record_of_a_process_that_called_exec_is_not_restored),
      TEST(the_owner_of_a_job_still_owns_it),
  };
  alarm(100);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
