/* run_test.c - jobs that users begin themselves, through the agent. */
#include "raw.h"
#include "../../shell/wire/link.h"
#include "schedgpu/run.h"
#include <sys/resource.h>

#define PIDS (UINT64_C(1) << 22)

static struct node node;
static struct child agent;

static int set_up(void **state) {
  (void)state;
  node = closed_node(GIB / 4, 0);
  agent = agent_start();
  return 0;
}

/** Checks that the agent still serves, and that the region is right. */
static int tear_down(void **state) {
  (void)state;
  job_of(&node, 99, BOB, ONDEMAND, 0);
  struct child user = user_start(BOB, 99);
  does(user, '1', SCHEDGPU_OK);
  child_kill(&user);
  await_used(&node, 0);
  node_check(&node);
  child_kill(&agent);
  node_free(&node);
  agent_limits = (struct schedgpu_broker_limits){0};
  agent_prepare = NULL;
  return 0;
}

static void restart(void) {
  child_kill(&agent);
  agent = agent_start();
}

static struct schedgpu_job_spec wanted(uint32_t mode, uint64_t budget_bytes) {
  struct schedgpu_job_spec s = job_spec(0, mode, budget_bytes, 50);
  s.kind = SCHEDGPU_JOB_RUN;
  return s;
}

static int begin_run(schedgpu_run **run, struct schedgpu_job_spec *spec) {
  int rc = schedgpu_run_open(getenv("SCHEDGPU_RUN_DIR"), run);
  return rc == SCHEDGPU_OK ? schedgpu_run_begin(*run, spec) : rc;
}

static bool is_there(uint64_t id, struct schedgpu_job_spec *spec) {
  return schedgpu_admin_job_find(node.admin, SCHEDGPU_JOB_RUN, id, spec) == SCHEDGPU_OK;
}

static void await_gone(uint64_t id) {
  while (is_there(id, NULL))
    nap_ms(1);
}

/** Sets the environment of a program in the job. */
static void be_run(uint64_t id) {
  char text[40];
  snprintf(text, sizeof text, "run:%llu", (unsigned long long)id);
  setenv("SCHEDGPU_JOB", text, 1);
}

/** Begins a job and reports it; ends on 'e', or never. */
static struct schedgpu_job_spec runner_spec;
static void runs(int write_fd, int read_fd) {
  schedgpu_run *run;
  become(ALICE);
  struct schedgpu_job_spec spec = runner_spec;
  if (begin_run(&run, &spec) != SCHEDGPU_OK || spec.job_id != (uint64_t)getpid())
    _exit(3);
  send_byte(write_fd, 'b');
  if (receive_byte(read_fd) == 'e')
    schedgpu_run_close(run);
  send_byte(write_fd, 'e');
  receive_byte(read_fd);
}

static struct child runner_start(uint32_t mode, uint64_t budget_bytes) {
  runner_spec = wanted(mode, budget_bytes);
  struct child c = child_start(0, runs);
  assert_int_equal(receive_byte(c.from), 'b');
  return c;
}

/** A process of the job. */
static uint64_t member_of;
static void member_obeys(int write_fd, int read_fd) {
  be_run(member_of);
  become(ALICE);
  obeys(write_fd, read_fd);
}

static struct child member_start(const struct child *runner) {
  member_of = (uint64_t)runner->pid;
  return child_start(0, member_obeys);
}

static void a_user_begins_a_job_whose_processes_share_its_budget(void **state) {
  (void)state;
  struct schedgpu_job_spec found;
  struct child runner = runner_start(PEAK, 7 * GIB);
  assert_true(is_there((uint64_t)runner.pid, &found));
  assert_int_equal(found.uid, ALICE);
  assert_int_equal(found.flags, SCHEDGPU_JOB_FLAG_OWNED);
  assert_int_equal(found.budget_bytes[0], 7 * GIB);
  assert_string_equal(found.name, "job0");
  struct child one = member_start(&runner), two = member_start(&runner);
  does(one, 'r', SCHEDGPU_OK);
  does(two, '1', SCHEDGPU_OK);
  does(two, '1', SCHEDGPU_EBUDGET);
  assert_true(node_used(&node) >= 7 * GIB);
  child_kill(&one);
  child_kill(&two);
  assert_int_equal(send_command(&runner, 'e'), 'e');
  assert_false(is_there((uint64_t)runner.pid, NULL));
  child_kill(&runner);
}

/** Begins a job, and reports its peak in GiB when asked. */
static void tells_its_use(int write_fd, int read_fd) {
  schedgpu_run *run;
  become(ALICE);
  struct schedgpu_job_spec spec = runner_spec;
  struct schedgpu_job_use use;
  if (begin_run(&run, &spec) != SCHEDGPU_OK)
    _exit(3);
  for (send_byte(write_fd, 'b'); receive_byte(read_fd) == 'u';) {
    if (schedgpu_run_use(run, &use) != SCHEDGPU_OK)
      _exit(4);
    send_byte(write_fd, (char)('0' + use.peak_bytes[0] / GIB));
  }
  schedgpu_run_close(run);
}

/** Each process has a context of 0.25 GiB, and 1 GiB of its own. */
static void the_use_of_a_job_is_known_once_its_processes_have_ended(void **state) {
  (void)state;
  runner_spec = wanted(ONDEMAND, 0);
  struct child runner = child_start(0, tells_its_use);
  assert_int_equal(receive_byte(runner.from), 'b');
  assert_int_equal(send_command(&runner, 'u'), '0');
  struct child one = member_start(&runner);
  does(one, '1', SCHEDGPU_OK);
  child_kill(&one);
  assert_int_equal(send_command(&runner, 'u'), '1');
  struct child two = member_start(&runner);
  does(two, 'r', SCHEDGPU_OK);
  does(two, '1', SCHEDGPU_OK);
  child_kill(&two);
  assert_true(send_command(&runner, 'u') > '1');
  child_kill(&runner);
}

static void a_job_ends_with_its_runner_and_the_last_of_its_processes(void **state) {
  (void)state;
  struct child runner = runner_start(PEAK, 7 * GIB), member = member_start(&runner);
  uint64_t id = (uint64_t)runner.pid;
  does(member, 'r', SCHEDGPU_OK);
  child_kill(&runner);
  struct child other = runner_start(PEAK, 1 * GIB); /* the agent has noticed the end of the first */
  assert_true(is_there(id, NULL));
  does(member, 'g', SCHEDGPU_OK);
  child_kill(&member);
  await_gone(id);
  child_kill(&other);
  await_gone((uint64_t)other.pid);
}

/** Waits for longer than the agent waits for a lock. */
static void assert_silent(const struct child *c) {
  struct pollfd p = {.fd = c->from, .events = POLLIN};
  assert_int_equal(poll(&p, 1, 300), 0);
}

/** While one client waits for the lock, the agent serves the others: the client asks again, and
 * prints nothing. */
static void a_slow_lock_refuses_no_request(void **state) {
  (void)state;
  struct child holder = start_lock_holder();
  runner_spec = wanted(PEAK, 7 * GIB);
  struct child runner = child_start(0, runs);
  assert_silent(&runner);
  assert_int_equal(send_command(&holder, '.'), 'u');
  assert_int_equal(receive_byte(runner.from), 'b');
  child_kill(&holder);

  holder = start_lock_holder();
  struct child member = member_start(&runner);
  send_byte(member.to, 'r'); /* the first letter: it attaches */
  assert_silent(&member);
  assert_int_equal(send_command(&holder, '.'), 'u');
  assert_int_equal(receive_byte(member.from), OK_ANSWER);
  child_kill(&holder);
  child_kill(&member);
  assert_int_equal(send_command(&runner, 'e'), 'e');
  child_kill(&runner);
}

static void a_later_agent_knows_the_job(void **state) {
  (void)state;
  struct child runner = runner_start(PEAK, 7 * GIB);
  restart();
  reap(&node); /* finds only the earlier agent dead */
  assert_true(is_there((uint64_t)runner.pid, NULL));
  struct child member = member_start(&runner);
  does(member, 'r', SCHEDGPU_OK);
  restart();
  uses(member, 6);
  child_kill(&member);
  assert_int_equal(send_command(&runner, 'e'), 'e'); /* over a connection of its own */
  assert_false(is_there((uint64_t)runner.pid, NULL));
  child_kill(&runner);
}

static void a_runner_that_dies_without_an_agent_leaves_nothing(void **state) {
  (void)state;
  struct child runner = runner_start(PEAK, 7 * GIB);
  child_kill(&agent);
  child_kill(&runner);
  assert_int_equal(reap(&node), 2); /* with the agent */
  assert_false(is_there((uint64_t)runner.pid, NULL));
  agent = agent_start();
}

static void a_runner_that_dies_while_the_agent_starts_leaves_nothing(void **state) {
  (void)state;
  struct child runner = runner_start(PEAK, 7 * GIB);
  restart();
  child_kill(&runner);
  await_gone((uint64_t)runner.pid);
}

/** As `schedgpu run --mode gate`: one process is owner and client. */
static void gates(int write_fd, int read_fd) {
  schedgpu_run *run;
  become(ALICE);
  struct schedgpu_job_spec spec = wanted(SCHEDGPU_MODE_GATE, 7 * GIB);
  if (begin_run(&run, &spec) != SCHEDGPU_OK)
    _exit(3);
  be_run(spec.job_id);
  send_byte(write_fd, 'b');
  send_byte(write_fd, answer_of(schedgpu_gate(SCHEDGPU_FOREVER)));
  receive_byte(read_fd);
  schedgpu_detach();
  schedgpu_run_close(run);
  send_byte(write_fd, 'e');
  receive_byte(read_fd);
}

/** A program that begins its own job, and is its first process. */
static void owns_and_obeys(int write_fd, int read_fd) {
  schedgpu_run *run;
  become(ALICE);
  struct schedgpu_job_spec spec = wanted(PEAK, 6 * GIB);
  if (begin_run(&run, &spec) != SCHEDGPU_OK)
    _exit(3);
  be_run(spec.job_id);
  send_byte(write_fd, 'b');
  obeys(write_fd, read_fd);
}

/** One of its two pages says that nothing is in use. The agent must not use it for the client. */
static void the_next_agent_distinguishes_the_pages_of_an_owner(void **state) {
  (void)state;
  job_of(&node, 1, BOB, PEAK, 6 * GIB);
  struct child owner = child_start(0, owns_and_obeys), bob = user_start(BOB, 1);
  assert_int_equal(receive_byte(owner.from), 'b');
  does(owner, 'r', SCHEDGPU_OK);
  restart();
  does(bob, 'n', SCHEDGPU_EWOULDBLOCK);
  child_kill(&agent);
  does(owner, 'g', SCHEDGPU_OK);
  agent = agent_start();
  does(bob, 'n', SCHEDGPU_OK);
  child_kill(&bob);
  assert_int_equal(schedgpu_admin_job_end(node.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_OK);
  child_kill(&owner);
  await_gone((uint64_t)owner.pid);
}

static void an_owner_that_waits_at_its_gate_is_found_again_as_both(void **state) {
  (void)state;
  job_of(&node, 1, BOB, ONDEMAND, 0);
  struct child holder = user_start(BOB, 1);
  does(holder, 'r', SCHEDGPU_OK);
  struct child runner = child_start(0, gates);
  assert_int_equal(receive_byte(runner.from), 'b');
  await_waiting(&node, 1);
  restart();
  does(holder, 'g', SCHEDGPU_OK);
  assert_int_equal(receive_byte(runner.from), OK_ANSWER);
  assert_true(node_used(&node) >= 7 * GIB);
  restart();
  child_kill(&holder); /* which has a context */
  assert_int_equal(send_command(&runner, '.'), 'e');
  await_used(&node, 0);
  child_kill(&runner);
}

static void strict_terms(schedgpu_broker *b) {
  const uint32_t above[] = {BOB};
  if (schedgpu_broker_set_terms(b, "10%", "50%", 60, above, 1) != SCHEDGPU_OK)
    _exit(6);
}

#define BEGINS(change, error)                                                                      \
  do {                                                                                             \
    schedgpu_run *run;                                                                             \
    struct schedgpu_job_spec s = wanted(PEAK, 1 * GIB);                                            \
    change;                                                                                        \
    EXPECT(begin_run(&run, &s) == (error));                                                        \
    schedgpu_run_close(run);                                                                       \
  } while (0)

static int asks_for_too_much(void) {
  BEGINS(s.budget_bytes[0] = 5 * GIB, SCHEDGPU_OK);
  BEGINS(s.budget_bytes[0] = 5 * GIB + 512, SCHEDGPU_ETOOBIG);
  BEGINS(s.budget_bytes[0] = UINT64_MAX, SCHEDGPU_ETOOBIG);
  BEGINS(s.processes = 24, SCHEDGPU_OK);
  BEGINS(s.processes = 37, SCHEDGPU_ETOOBIG); /* beside so many contexts */
  BEGINS(s.processes = 1025, SCHEDGPU_EINVAL);
  BEGINS(s.device_mask = 0, SCHEDGPU_EINVAL);
  BEGINS(s.device_mask = 3, SCHEDGPU_EDEVICE);
  BEGINS(s.device_mask = 1u << 31, SCHEDGPU_EDEVICE);
  BEGINS(s.mode = 4, SCHEDGPU_EINVAL);
  BEGINS(s.priority = -1, SCHEDGPU_EINVAL);
  BEGINS(s.wait_ns = -2, SCHEDGPU_EINVAL);
  BEGINS((s.flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS, s.mode = ONDEMAND), SCHEDGPU_EINVAL);
  return 0;
}

static int32_t own_priority(int32_t asked, uint64_t *budget_bytes) {
  schedgpu_run *run;
  struct schedgpu_job_spec s = wanted(ONDEMAND, 0);
  s.priority = asked;
  int rc = begin_run(&run, &s);
  schedgpu_run_close(run);
  if (budget_bytes)
    *budget_bytes = s.budget_bytes[0];
  return rc == SCHEDGPU_OK ? s.priority : rc;
}

static int asks_for_priority(void) {
  uint64_t budget_bytes;
  EXPECT(own_priority(59, &budget_bytes) == 59);
  EXPECT(budget_bytes == 1 * GIB); /* no budget given: the site's default */
  EXPECT(own_priority(100, NULL) == (getuid() == BOB ? 100 : 60));
  EXPECT(own_priority(101, NULL) == (getuid() == BOB ? SCHEDGPU_EINVAL : 60));
  return 0;
}

/** A percentage is reduced to what the device gives, and so is that of DefaultMem. */
static void whole_device_by_default(schedgpu_broker *b) {
  if (schedgpu_broker_set_terms(b, "100%", "100%", 60, NULL, 0) != SCHEDGPU_OK)
    _exit(6);
}

/** DefaultMem above MaxMem gives no job a budget. */
static void default_above_the_limit(schedgpu_broker *b) {
  if (schedgpu_broker_set_terms(b, "60%", "50%", 60, NULL, 0) != SCHEDGPU_OK)
    _exit(6);
}

static int gets_the_whole_device(void) {
  uint64_t budget_bytes;
  EXPECT(own_priority(60, &budget_bytes) == 60);
  EXPECT(budget_bytes == 10 * GIB - GIB / 4);
  return 0;
}

static int gets_nothing(void) {
  EXPECT(own_priority(60, NULL) == SCHEDGPU_ETOOBIG);
  return 0;
}

/** As tests/node/run_decision_test, limits_are_applied_and_reported. */
static int asks_for_too_many_contexts(void) {
  BEGINS((s.mode = ONDEMAND, s.budget_bytes[0] = 0, s.processes = 40), SCHEDGPU_OK);
  BEGINS((s.mode = ONDEMAND, s.budget_bytes[0] = 0, s.processes = 41), SCHEDGPU_ETOOBIG);
  BEGINS(s.budget_bytes[0] = 0, SCHEDGPU_EINVAL); /* mode peak needs one */
  return 0;
}

static void agent_with(void (*prepare)(schedgpu_broker *b)) {
  child_kill(&agent);
  agent_prepare = prepare;
  agent = agent_start();
}

static void the_site_limits_what_a_job_gets(void **state) {
  (void)state;
  assert_int_equal(as_user(ALICE, asks_for_too_many_contexts), 0);
  agent_with(whole_device_by_default);
  assert_int_equal(as_user(ALICE, gets_the_whole_device), 0);
  agent_with(default_above_the_limit);
  assert_int_equal(as_user(ALICE, gets_nothing), 0);
  agent_with(strict_terms);
  assert_int_equal(as_user(ALICE, asks_for_too_much), 0);
  assert_int_equal(as_user(ALICE, asks_for_priority), 0);
  assert_int_equal(as_user(BOB, asks_for_priority), 0);
  assert_int_equal(as_user(0, asks_for_priority), 0); /* root too, as in the prolog */
}

static void invalid_limits_are_refused(void **state) {
  (void)state;
  schedgpu_broker *b;
  uint32_t above[513] = {0};
  child_kill(&agent);
  assert_int_equal(schedgpu_broker_open(node.dir, NULL, &b), SCHEDGPU_OK);
  assert_int_equal(schedgpu_broker_set_terms(b, "", "80%", 100, NULL, 0), SCHEDGPU_OK);
  assert_int_equal(schedgpu_broker_set_terms(b, "4G", "6G", 0, above, 512), SCHEDGPU_OK);
  assert_int_equal(schedgpu_broker_set_terms(b, "", "", 50, NULL, 0), SCHEDGPU_EINVAL);
  assert_int_equal(schedgpu_broker_set_terms(b, "much", "6G", 50, NULL, 0), SCHEDGPU_EINVAL);
  assert_int_equal(schedgpu_broker_set_terms(b, "", "6G", 101, NULL, 0), SCHEDGPU_EINVAL);
  assert_int_equal(schedgpu_broker_set_terms(b, "", "6G", -1, NULL, 0), SCHEDGPU_EINVAL);
  assert_int_equal(schedgpu_broker_set_terms(b, "", "6G", 50, above, 513), SCHEDGPU_EINVAL);
  schedgpu_broker_close(b);
  agent = agent_start();
}

static uint64_t shown_in_use(uint64_t id) {
  struct sg_handle h = map_region(&node);
  uint64_t bytes = sg_job_in_use(h.r, sg_job_find(h.r, SCHEDGPU_JOB_RUN, id), 0);
  sg_close(&h);
  return bytes;
}

/** The page has the use at once; the region gets it on request, or after a second. */
static void a_refreshed_region_shows_the_current_use(void **state) {
  (void)state;
  struct child runner = runner_start(PEAK, 7 * GIB), member = member_start(&runner);
  does(member, 'r', SCHEDGPU_OK);
  for (int i = 0; i < 20; i++) {
    does(member, 'g', SCHEDGPU_OK);
    assert_int_equal(schedgpu_run_refresh(node.dir), SCHEDGPU_OK);
    assert_true(shown_in_use((uint64_t)runner.pid) <= SG_UNIT_BYTES);
    does(member, 'r', SCHEDGPU_OK);
    assert_int_equal(schedgpu_run_refresh(node.dir), SCHEDGPU_OK);
    assert_int_equal(shown_in_use((uint64_t)runner.pid), 6 * GIB);
  }
  stop_child(&agent);
  /* and does not wait any longer */
  assert_int_equal(schedgpu_run_refresh(node.dir), SCHEDGPU_EAGENT);
  kill(agent.pid, SIGCONT);
  child_kill(&member);
  child_kill(&runner);
  await_gone((uint64_t)runner.pid);
}

static struct sg_wire_question begin_question(uint64_t budget_bytes) {
  struct sg_wire_question q = question_of(SG_WIRE_BEGIN);
  q.begin = (struct sg_wire_begin){
      .wait_ns = SCHEDGPU_FOREVER, .mode = PEAK, .device_mask = 1, .processes = 1, .priority = 50};
  q.begin.budget_bytes[0] = budget_bytes;
  return q;
}

static int begins_without_a_pause(int write_fd) {
  struct sg_wire_answer a;
  struct sg_wire_question q = begin_question(1 * GIB);
  int refused = 0;
  for (int i = 0; i < 100; i++) {
    int fd = raw_open();
    int rc = raw_ask(fd, &q, &a);
    EXPECT(rc == SCHEDGPU_OK || rc == SCHEDGPU_EFULL);
    refused += rc == SCHEDGPU_EFULL;
    /* one job per connection */
    EXPECT(raw_ask(fd, &q, &a) == (rc == SCHEDGPU_OK ? SCHEDGPU_EINVAL : SCHEDGPU_EFULL));
  }
  EXPECT(refused == 92);
  send_byte(write_fd, 'h');
  pause();
  return 0;
}

static void jobs_of_a_user_are_limited(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.jobs_per_user = 8;
  agent = agent_start();
  struct child flood = hostile_start(BOB, begins_without_a_pause);
  struct child runner = runner_start(PEAK, 7 * GIB), member = member_start(&runner);
  does(member, 'r', SCHEDGPU_OK);
  child_kill(&member);
  child_kill(&flood);
  child_kill(&runner);
  await_gone((uint64_t)runner.pid);
}

static uint64_t of_another;
static int ends_the_job_of_another(void) {
  int fd = raw_open();
  struct sg_wire_question q = question_of(SG_WIRE_END);
  struct sg_wire_answer a;
  q.end.id = of_another;
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_ENOJOB);
  q.head.type = SG_WIRE_USE;
  q.head.size = sizeof q.head + sg_wire_body(SG_WIRE_USE);
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_ENOJOB); /* nor does it learn what the job used */
  q = question_of(SG_WIRE_END);
  q.end.id = 99;
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_ENOJOB);
  q = begin_question(1 * GIB);
  EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_OK);
  EXPECT(a.begun.id == (uint64_t)getpid()); /* a message has neither an id nor a user */
  return 0;
}

static int joins_the_job_of_another(void) {
  be_run(of_another);
  EXPECT(schedgpu_attach() == (getuid() == ALICE ? SCHEDGPU_OK : SCHEDGPU_ENOJOB));
  return 0;
}

static void the_job_of_another_is_neither_ended_nor_joined(void **state) {
  (void)state;
  struct child runner = runner_start(PEAK, 7 * GIB);
  of_another = (uint64_t)runner.pid;
  assert_int_equal(as_user(BOB, ends_the_job_of_another), 0);
  assert_int_equal(as_user(ALICE, ends_the_job_of_another), 0);
  assert_int_equal(as_user(BOB, joins_the_job_of_another), 0);
  assert_int_equal(as_user(ALICE, joins_the_job_of_another), 0);
  assert_true(is_there((uint64_t)runner.pid, NULL));
  child_kill(&runner);
  await_gone((uint64_t)runner.pid);
}

/** Begins a job beside an older one with the same id, whose owner is gone and whose
 * processes live. */
static void begins_beside_an_older(int write_fd, int read_fd) {
  schedgpu_run *run;
  receive_byte(read_fd);
  become(ALICE);
  struct schedgpu_job_spec spec = wanted(PEAK, 1 * GIB);
  if (begin_run(&run, &spec) != SCHEDGPU_OK || spec.job_id != (uint64_t)getpid() + PIDS)
    _exit(3);
  schedgpu_run_close(run);
  send_byte(write_fd, 'o');
}

static void an_older_job_of_the_same_number_stays(void **state) {
  (void)state;
  struct child runner = child_start(0, begins_beside_an_older);
  struct schedgpu_job_spec older = wanted(PEAK, 2 * GIB);
  older.job_id = (uint64_t)runner.pid;
  older.uid = BOB;
  assert_int_equal(schedgpu_admin_job_begin(node.admin, &older), SCHEDGPU_OK);
  assert_int_equal(send_command(&runner, '.'), 'o');
  assert_true(is_there(older.job_id, &older));
  assert_int_equal(older.uid, BOB);
  schedgpu_admin_job_end(node.admin, SCHEDGPU_JOB_RUN, older.job_id);
  child_kill(&runner);
}

static int names_it_with_commands_to_a_terminal(int write_fd) {
  struct sg_wire_answer a;
  int fd = raw_open();
  struct sg_wire_question q = begin_question(1 * GIB);
  memset(q.begin.name, 'x', sizeof q.begin.name); /* without a terminating zero */
  memcpy(q.begin.name, "\033[2J\n\x9b", 6);
  EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_OK);
  send_byte(write_fd, 'h');
  pause();
  return 0;
}

static void a_name_is_terminated_text(void **state) {
  (void)state;
  struct schedgpu_job_spec found;
  struct child runner = hostile_start(ALICE, names_it_with_commands_to_a_terminal);
  assert_true(is_there((uint64_t)runner.pid, &found));
  assert_memory_equal(found.name, "?[2J??xxx", 9);
  assert_int_equal(strlen(found.name), SCHEDGPU_NAME_SIZE - 1);
  child_kill(&runner);
  await_gone((uint64_t)runner.pid);
}

static int attaches_until_refused(int write_fd) {
  struct sg_wire_answer a;
  int count = 0, rc = SCHEDGPU_OK;
  for (; rc == SCHEDGPU_OK; count++) {
    int fd = raw_open(), got[2] = {-1, -1};
    struct sg_wire_question q = question_of(SG_WIRE_ATTACH);
    q.attach = (struct sg_wire_attach){.id = getuid() - ALICE + 1, .kind = SCHEDGPU_JOB_SLURM};
    send(fd, &q, q.head.size, MSG_NOSIGNAL);
    rc = raw_answer(fd, &a, got);
    mmap(NULL, 4096, PROT_READ, MAP_SHARED, got[0], 0);
    sg_link_close_both(got);
  }
  EXPECT(rc == SCHEDGPU_EFULL);
  send_byte(write_fd, 'h');
  char text[16] = {0};
  snprintf(text, sizeof text, "%d", count - 1);
  for (int i = 0; i < 8; i++)
    send_byte(write_fd, text[i]);
  pause();
  return 0;
}

static int how_many(const struct child *c) {
  char text[9] = {0};
  for (int i = 0; i < 8; i++)
    text[i] = receive_byte(c->from);
  return atoi(text);
}

/** Two users who take everything leave as much to a third as each of them has. */
static void no_user_takes_the_last_slot(void **state) {
  (void)state;
  struct rlimit before, many;
  getrlimit(RLIMIT_NOFILE, &before);
  many = (struct rlimit){8192, before.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &many) != 0)
    skip_because("8,192 descriptors cannot be had");
  child_kill(&agent);
  agent_limits.messages_per_second = 1000000;
  agent = agent_start();
  job_of(&node, 1, ALICE, ONDEMAND, 0);
  job_of(&node, 2, BOB, ONDEMAND, 0);
  struct child alice = hostile_start(ALICE, attaches_until_refused);
  assert_int_equal(how_many(&alice), SCHEDGPU_MAX_CLIENTS / 2);
  struct child bob = hostile_start(BOB, attaches_until_refused);
  assert_int_equal(how_many(&bob), SCHEDGPU_MAX_CLIENTS / 4);
  job_of(&node, 3, BOB + 1, ONDEMAND, 0);
  struct child third = user_start(BOB + 1, 3);
  does(third, '1', SCHEDGPU_OK);
  setrlimit(RLIMIT_NOFILE, &before);
  child_kill(&alice);
  child_kill(&bob);
  child_kill(&third);
}

static int begins_and_ends(int write_fd) {
  struct schedgpu_job_spec spec;
  for (int i = 0; i < 3; i++) {
    schedgpu_run *run;
    spec = wanted(PEAK, 1 * GIB);
    EXPECT(begin_run(&run, &spec) == SCHEDGPU_OK);
    schedgpu_run_close(run);
  }
  send_byte(write_fd, 'h');
  pause();
  return 0;
}

/** Ended jobs are in a ring that all users share. */
static void jobs_per_second_of_a_user_are_limited(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.jobs_per_second = 1;
  agent = agent_start();
  struct child user = hostile_start(BOB, begins_and_ends);
  child_kill(&user);
  send_byte(agent.to, 's');
  assert_int_equal(receive_byte(agent.from), 't');
  assert_int_equal(child_wait(&agent), 0);
  agent = agent_start();
}

int main(void) {
#define run(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      run(a_user_begins_a_job_whose_processes_share_its_budget),
      run(the_use_of_a_job_is_known_once_its_processes_have_ended),
      run(a_job_ends_with_its_runner_and_the_last_of_its_processes),
      run(a_slow_lock_refuses_no_request),
      run(a_later_agent_knows_the_job),
      run(a_runner_that_dies_without_an_agent_leaves_nothing),
      run(a_runner_that_dies_while_the_agent_starts_leaves_nothing),
      run(an_owner_that_waits_at_its_gate_is_found_again_as_both),
      run(the_next_agent_distinguishes_the_pages_of_an_owner),
      run(the_site_limits_what_a_job_gets),
      run(invalid_limits_are_refused),
      run(a_refreshed_region_shows_the_current_use),
      run(jobs_per_second_of_a_user_are_limited),
      run(jobs_of_a_user_are_limited),
      run(the_job_of_another_is_neither_ended_nor_joined),
      run(an_older_job_of_the_same_number_stays),
      run(a_name_is_terminated_text),
      run(no_user_takes_the_last_slot),
  };
  alarm(600);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
