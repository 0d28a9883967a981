/*
 * turn_test.c - turns of processes that an agent serves: who has the turn dies, or the agent does;
 * and what a process cannot take by what it writes. How programs launch in turns: the tests of
 * Mode=shared, run once more (tests/preload/turns_test.c).
 */
#include "raw.h"
#include "../support/stopped.h"
#include "../../core/lanes/lanes.h"
#include "../../shell/admin/admin_handle.h"
#include "../../shell/client/compute_turn.h"

static struct node n;

static void share_job(uint64_t id, uint32_t uid) {
  struct schedgpu_job_spec s = job_spec(id, SCHEDGPU_MODE_PEAK, GIB, 50);
  s.uid = uid;
  s.lane = SCHEDGPU_LANE_SHARE;
  s.share = 1;
  s.persistent_bytes = GIB;
  assert_int_equal(schedgpu_admin_job_begin(n.admin, &s), SCHEDGPU_OK);
}

static int set_up(void **state) {
  (void)state;
  n = closed_node(0, 0);
  share_job(1, ALICE);
  share_job(2, BOB);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  node_free(&n);
  return 0;
}

/** b: begins, e: ends, l: is the turn lost? */
static void takes_turns(int write_fd, int read_fd) {
  become(user_uid);
  for (;;) {
    char c = receive_byte(read_fd);
    int rc = 0;
    if (c == 'b')
      rc = sg_compute_turn_begin(0);
    else if (c == 'e')
      rc = sg_compute_turn_end(0);
    else if (c == 'l')
      rc = -sg_compute_turn_is_lost(0);
    else
      return;
    send_byte(write_fd, answer_of(rc));
  }
}

static struct child turns_start(uint32_t uid, uint64_t job) {
  user_uid = uid;
  return child_start(job, takes_turns);
}

static const struct sg_region *region(void) {
  return n.admin->h.r;
}

static void await_turn_waiting(uint32_t count) {
  while (atomic_load(&region()->lane[0].waiting) != count)
    nap_ms(1);
}

static uint64_t holding_job(void) {
  uint32_t slot = sg_turn_holder(region(), 0);
  return slot == SG_NONE ? 0 : region()->job[region()->client[slot].job].id;
}

static uint64_t service_of(uint64_t id) {
  uint32_t job = sg_job_find(region(), SCHEDGPU_JOB_SLURM, id);
  return sg_service_ns(region(), job, sg_now_ns());
}

static void the_turn_goes_to_the_waiter(void **state) {
  (void)state;
  struct child agent = agent_start(), a = turns_start(ALICE, 1), b = turns_start(BOB, 2);
  does(a, 'b', SCHEDGPU_OK);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  does(a, 'e', SCHEDGPU_OK);
  assert_int_equal(receive_byte(b.from), OK_ANSWER);
  assert_int_equal(holding_job(), 2);
  does(b, 'e', SCHEDGPU_OK);
  does(a, 'b', SCHEDGPU_OK);
  assert_int_equal(holding_job(), 1);
  child_kill(&a);
  child_kill(&b);
  child_kill(&agent);
}

static void the_turn_of_a_killed_process_goes_on(void **state) {
  (void)state;
  struct child agent = agent_start(), a = turns_start(ALICE, 1), b = turns_start(BOB, 2);
  does(a, 'b', SCHEDGPU_OK);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  child_kill(&a);
  assert_int_equal(receive_byte(b.from), OK_ANSWER);
  child_kill(&b);
  child_kill(&agent);
}

static void a_stopped_process_keeps_its_turn(void **state) {
  (void)state;
  struct child agent = agent_start(), a = turns_start(ALICE, 1), b = turns_start(BOB, 2);
  does(a, 'b', SCHEDGPU_OK);
  stop_process(a.pid);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  nap_ms(500);
  assert_int_equal(holding_job(), 1);
  kill(a.pid, SIGCONT);
  does(a, 'e', SCHEDGPU_OK);
  assert_int_equal(receive_byte(b.from), OK_ANSWER);
  child_kill(&a);
  child_kill(&b);
  child_kill(&agent);
}

/** The holder ends its iteration while no agent runs, which it does not notice. */
static void the_next_agent_hands_the_turn_over(void **state) {
  (void)state;
  struct child agent = agent_start(), a = turns_start(ALICE, 1), b = turns_start(BOB, 2);
  does(a, 'b', SCHEDGPU_OK);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  child_kill(&agent);
  does(a, 'l', SCHEDGPU_OK);
  does(a, 'e', SCHEDGPU_OK);
  assert_int_equal(holding_job(), 1);
  agent = agent_start();
  assert_int_equal(receive_byte(b.from), OK_ANSWER);
  assert_int_equal(holding_job(), 2);
  child_kill(&a);
  child_kill(&b);
  child_kill(&agent);
}

/** Alone, a process takes its turn without an agent; and keeps an iteration over a restart. */
static void a_turn_outlives_the_agent(void **state) {
  (void)state;
  struct child agent = agent_start(), a = turns_start(ALICE, 1), b = turns_start(BOB, 2);
  does(a, 'b', SCHEDGPU_OK);
  does(a, 'e', SCHEDGPU_OK);
  child_kill(&agent);
  does(a, 'b', SCHEDGPU_OK);
  agent = agent_start();
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  nap_ms(100);
  does(a, 'l', SCHEDGPU_OK);
  assert_int_equal(holding_job(), 1);
  does(a, 'e', SCHEDGPU_OK);
  assert_int_equal(receive_byte(b.from), OK_ANSWER);
  child_kill(&a);
  child_kill(&b);
  child_kill(&agent);
}

/* --- what a process writes --- */

static struct sg_wire_question gate(void) {
  struct sg_wire_question q = ask_for(0, 0);
  q.ask.subject = SG_WIRE_GATE;
  return q;
}

static uint32_t holder;

/** Bob writes Alice's turn into his page, ends it and leaves the line, which he is not in. */
static int takes_what_is_not_his(void) {
  struct sg_wire_answer a;
  struct sg_page *page;
  struct sg_wire_question end = question_of(SG_WIRE_END_TURN),
                          leave = question_of(SG_WIRE_LEAVE_LINE), ask = gate();
  int fd = raw_attach(2, &a, NULL, &page);
  uint64_t words[] = {holder + 1, (holder + 1) | SG_TURN_BUSY, a.attached.slot + 1,
                      (a.attached.slot + 1) | SG_TURN_BUSY, UINT64_MAX};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    atomic_store(&page->lane.turn, words[i]);
    EXPECT(raw_ask(fd, &ask, &a) == SCHEDGPU_EWOULDBLOCK);
    EXPECT(atomic_load(&page->lane.turn) == 0);
    atomic_store(&page->lane.turn, words[i]);
    EXPECT(raw_ask(fd, &end, &a) == SCHEDGPU_OK);
    EXPECT(raw_ask(fd, &leave, &a) == SCHEDGPU_ENOJOB);
  }
  return 0;
}

static void nobody_takes_the_turn_of_another(void **state) {
  (void)state;
  struct child agent = agent_start(), a = turns_start(ALICE, 1);
  does(a, 'b', SCHEDGPU_OK);
  holder = sg_turn_holder(region(), 0);
  assert_int_equal(as_user(BOB, takes_what_is_not_his), 0);
  assert_true(sg_turn_is_busy(region(), holder));
  does(a, 'l', SCHEDGPU_OK);
  child_kill(&a);
  child_kill(&agent);
}

/** After a restart Bob says that he has the turn, and waits for it. */
static int resumes_with_a_turn(void) {
  struct sg_wire_answer a;
  struct sg_page *page;
  int fds[2], fd = raw_attach(2, &a, NULL, &page);
  struct sg_wire_question q = question_of(SG_WIRE_RESUME);
  q.resume = (struct sg_wire_resume){
      .job = {.id = 2, .kind = SCHEDGPU_JOB_SLURM}, .slot = a.attached.slot, .gen = a.attached.gen};
  q.resume.turn = SG_WIRE_TURN_BUSY | SG_WIRE_TURN_WAITS;
  close(fd);
  fd = raw_open();
  EXPECT(send(fd, &q, q.head.size, MSG_NOSIGNAL) == (ssize_t)q.head.size);
  EXPECT(raw_answer(fd, &a, fds) == SCHEDGPU_OK);
  page = mmap(NULL, SG_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
  EXPECT(atomic_load(&page->lane.turn) == 0);
  return 0;
}

static void nobody_resumes_with_the_turn_of_another(void **state) {
  (void)state;
  struct child agent = agent_start(), a = turns_start(ALICE, 1);
  does(a, 'b', SCHEDGPU_OK);
  assert_int_equal(as_user(BOB, resumes_with_a_turn), 0);
  does(a, 'l', SCHEDGPU_OK);
  assert_int_equal(holding_job(), 1);
  child_kill(&a);
  child_kill(&agent);
}

/** Bob's page says that his iteration has just begun, that none took any time, and that nobody
 * waits. */
static int hides_what_he_has(int write_fd) {
  struct sg_wire_answer a;
  struct sg_page *page;
  struct sg_wire_question ask = gate(), end = question_of(SG_WIRE_END_TURN);
  int fd = raw_attach(2, &a, NULL, &page);
  EXPECT(raw_ask(fd, &ask, &a) == SCHEDGPU_OK);
  send_byte(write_fd, 'h');
  while (atomic_load(&page->lane.waiting) == 0)
    nap_ms(1);
  for (int i = 0; i < 300; i++) {
    atomic_store(&page->lane.begun_ns, sg_now_ns());
    atomic_store(&page->lane.busy_ns, 0);
    atomic_store(&page->lane.waiting, 0);
    nap_ms(1);
  }
  atomic_store(&page->lane.idle_since_ns, 1);
  atomic_store(&page->lane.turn, a.attached.slot + 1);
  raw_ask(fd, &end, &a);
  for (;;)
    pause();
}

static void what_a_process_has_while_others_wait_is_counted(void **state) {
  (void)state;
  struct child agent = agent_start(), b = hostile_start(BOB, hides_what_he_has);
  struct child a = turns_start(ALICE, 1);
  does(a, 'b', SCHEDGPU_OK);
  assert_true(service_of(2) >= 300 * MS);
  child_kill(&a);
  child_kill(&b);
  child_kill(&agent);
}

/** A program that loaded the library of the last version, which knows no turns. */
static int speaks_the_last_version(void) {
  struct sg_wire_answer a;
  int fd = raw_connect();
  struct sg_wire_question hello = question_of(SG_WIRE_HELLO), attach = question_of(SG_WIRE_ATTACH),
                          ask = ask_for(MIB, 0), begin = question_of(SG_WIRE_BEGIN);
  hello.hello = (struct sg_wire_hello){4, 4};
  attach.attach = (struct sg_wire_attach){.id = 2, .kind = SCHEDGPU_JOB_SLURM};
  begin.head.size = 240;
  attach.head.version = ask.head.version = begin.head.version = 4;
  EXPECT(raw_ask(fd, &hello, &a) == SCHEDGPU_OK && a.version == 4);
  EXPECT(raw_ask(fd, &attach, &a) == SCHEDGPU_OK && a.head.size == 24 + 1200);
  EXPECT(raw_ask(fd, &ask, &a) == SCHEDGPU_OK);
  EXPECT(raw_ask(fd, &begin, &a) == SCHEDGPU_EINVAL); /* it names no processes */
  return 0;
}

static void the_last_version_is_served(void **state) {
  (void)state;
  struct child agent = agent_start();
  assert_int_equal(as_user(BOB, speaks_the_last_version), 0);
  child_kill(&agent);
}

static void the_wait_of_a_killed_process_ends(void **state) {
  (void)state;
  struct child agent = agent_start(), a = turns_start(ALICE, 1), b = turns_start(BOB, 2);
  does(a, 'b', SCHEDGPU_OK);
  send_byte(b.to, 'b');
  await_turn_waiting(1);
  assert_int_equal(holding_job(), 1);
  child_kill(&b);
  await_turn_waiting(0);
  child_kill(&a);
  child_kill(&agent);
}

#define TURN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  alarm(300);
  const struct CMUnitTest tests[] = {
      TURN_TEST(the_turn_goes_to_the_waiter),
      TURN_TEST(the_turn_of_a_killed_process_goes_on),
      TURN_TEST(a_stopped_process_keeps_its_turn),
      TURN_TEST(the_next_agent_hands_the_turn_over),
      TURN_TEST(a_turn_outlives_the_agent),
      TURN_TEST(nobody_takes_the_turn_of_another),
      TURN_TEST(nobody_resumes_with_the_turn_of_another),
      TURN_TEST(what_a_process_has_while_others_wait_is_counted),
      TURN_TEST(the_last_version_is_served),
      TURN_TEST(the_wait_of_a_killed_process_ends),
  };
  return cmocka_run_group_tests_name("turn", tests, NULL, NULL);
}
