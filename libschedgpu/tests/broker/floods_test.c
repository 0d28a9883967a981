/* floods_test.c - users who send, connect or allocate more than their share of the agent. */
#include "hostile.h"

static int connects_very_often(int write_fd) {
  int cut = 0;
  for (int i = 0; i < 1000; i++) {
    int fd = raw_connect();
    struct sg_wire_question hello = question_of(SG_WIRE_HELLO);
    cut += raw_ask(fd, &hello, NULL) != SCHEDGPU_OK;
  }
  EXPECT(cut == 1000 - 200);
  send_byte(write_fd, 'h');
  pause();
  return 0;
}

static void connections_of_a_user_are_limited(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.connections_per_user = 200;
  agent = agent_start();
  struct child crowd = hostile_start(ALICE, connects_very_often);
  struct child user = user_start(BOB, 2);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&user);
  child_kill(&crowd);
}

static void the_agent_goes_on_without_free_descriptors(void **state) {
  (void)state;
  child_kill(&agent);
  agent_descriptors = 64;
  agent = agent_start();
  agent_descriptors = 0;
  int fd[100];
  for (int i = 0; i < 100; i++)
    fd[i] = raw_connect();
  for (int i = 0; i < 100; i++)
    close(fd[i]);
}

/** As if a client disconnected at the moment when the agent starts squeue. */
static void a_connection_that_a_forked_child_still_has_is_closed_once(void **state) {
  (void)state;
  struct child user = user_start(BOB, 2);
  int leaves = raw_open();
  assert_int_equal(send_command(&agent, 'f'), 'f');
  close(leaves);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&user);
}

static int attaches_too_often(void) {
  struct sg_wire_answer a;
  int refused = 0;
  for (int i = 0; i < 30; i++) {
    int fd = raw_open();
    struct sg_wire_question q = question_of(SG_WIRE_ATTACH);
    q.attach = (struct sg_wire_attach){.id = 1, .kind = SCHEDGPU_JOB_SLURM};
    int got[2] = {-1, -1};
    send(fd, &q, q.head.size, MSG_NOSIGNAL);
    int rc = raw_answer(fd, &a, got);
    EXPECT(rc == SCHEDGPU_OK || rc == SCHEDGPU_EFULL);
    refused += rc == SCHEDGPU_EFULL;
  }
  EXPECT(refused == 20);
  return 0;
}

/** One wait per process: what it asks while it waits is not a second wait. */
static int waits_too_often(void) {
  struct sg_wire_answer a;
  for (uint32_t i = 0; i < 10; i++) {
    int fd = raw_attach(1, &a, NULL, NULL);
    struct sg_wire_question q = ask_for(6 * GIB, 1);
    EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_EWOULDBLOCK);
  }
  return 0;
}

static void slots_of_a_user_are_limited(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.clients_per_user = 10;
  agent = agent_start();
  assert_int_equal(as_user(ALICE, attaches_too_often), 0);
  struct child bob = user_start(BOB, 2);
  does(bob, 'r', SCHEDGPU_OK);
  assert_int_equal(as_user(ALICE, waits_too_often), 0);
  child_kill(&bob);
}

/** Messages of a user that the agent reads at once, and then per second. */
#define AT_ONCE 100

/** Continues after it has sent so much that the agent throttled it. */
static int asks_without_a_pause(int write_fd) {
  int fd = raw_open();
  struct sg_wire_question q = question_of(SG_WIRE_QUERY);
  struct sg_wire_answer a;
  for (int i = 0;; i++) {
    EXPECT(raw_ask(fd, &q, &a) == SCHEDGPU_ENOJOB);
    if (i == 2 * AT_ONCE)
      send_byte(write_fd, 'h');
  }
}

static void a_flooding_user_is_throttled_and_others_are_not(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.messages_per_second = AT_ONCE;
  agent = agent_start();
  struct child flood = hostile_start(ALICE, asks_without_a_pause);
  struct child user = user_start(BOB, 2);
  for (int i = 0; i < 10; i++) {
    does(user, 'r', SCHEDGPU_OK);
    does(user, 'g', SCHEDGPU_OK);
  }
  child_kill(&user);
  child_kill(&flood);
  send_byte(agent.to, 's');
  assert_int_equal(receive_byte(agent.from), 't');
  assert_int_equal(child_wait(&agent), 0);
  agent = agent_start();
}

/** Until nothing more can be sent: the agent has no room for answers, and reads no questions. */
static int never_reads(int write_fd) {
  int fd = raw_open();
  struct sg_wire_question q = question_of(SG_WIRE_QUERY);
  struct pollfd p = {.fd = fd, .events = POLLOUT};
  while (poll(&p, 1, 300) > 0 && send(fd, &q, q.head.size, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
    ;
  send_byte(write_fd, 'h');
  p.events = 0;
  while (!(p.revents & POLLHUP)) /* the agent closed the connection */
    poll(&p, 1, -1);
  send_byte(write_fd, 'c');
  pause();
  return 0;
}

static void a_connection_that_never_reads_is_closed(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.patience_ms = 1000;
  agent_limits.messages_per_second = 1000000;
  agent = agent_start();
  struct child slow = hostile_start(ALICE, never_reads);
  assert_int_equal(receive_byte(slow.from), 'c');
  child_kill(&slow);
}

static int never_greets(int write_fd) {
  int fd = raw_connect();
  char c;
  send_byte(write_fd, 'h');
  EXPECT(read(fd, &c, 1) == 0);
  send_byte(write_fd, 'c');
  pause();
  return 0;
}

static void a_connection_without_a_greeting_is_closed(void **state) {
  (void)state;
  child_kill(&agent);
  agent_limits.patience_ms = 50;
  agent = agent_start();
  struct child silent = hostile_start(ALICE, never_greets);
  assert_int_equal(receive_byte(silent.from), 'c');
  child_kill(&silent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      hostile(connections_of_a_user_are_limited),
      hostile(the_agent_goes_on_without_free_descriptors),
      hostile(a_connection_that_a_forked_child_still_has_is_closed_once),
      hostile(slots_of_a_user_are_limited),
      hostile(a_flooding_user_is_throttled_and_others_are_not),
      hostile(a_connection_that_never_reads_is_closed),
      hostile(a_connection_without_a_greeting_is_closed),
  };
  alarm(600);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
