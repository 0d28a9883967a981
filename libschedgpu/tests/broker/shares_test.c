/* shares_test.c - connections are shared among users, so that a new user always finds one. */
#include "hostile.h"

#define CAROL 54323u
#define SUBORDINATE 54400u

/**
 * o(pen and greet one): '0' - the error, or '!' if it was refused; a(ttach by the last one);
 * q(uery by the last one); b(egin a job by the last one); e(nd of the first one): '.' when the
 * agent closed it.
 */
static void opens(int write_fd, int read_fd) {
  int fd[64], n = 0;
  become(user_uid);
  for (;;) {
    struct sg_wire_question q = question_of(SG_WIRE_QUERY);
    struct sg_wire_answer a;
    int got[2] = {-1, -1};
    char c = receive_byte(read_fd);
    switch (c) {
    case 'o':
      fd[n] = raw_open();
      send_byte(write_fd, fd[n] >= 0 ? '0' : '!');
      n += fd[n] >= 0;
      continue;
    case 'a':
      q = question_of(SG_WIRE_ATTACH);
      q.attach = (struct sg_wire_attach){.id = 1, .kind = SCHEDGPU_JOB_SLURM};
      break;
    case 'b':
      q = question_of(SG_WIRE_BEGIN);
      q.begin = (struct sg_wire_begin){.budget_bytes = {GIB},
                                       .wait_ns = SCHEDGPU_FOREVER,
                                       .mode = ONDEMAND,
                                       .device_mask = 1,
                                       .processes = 1};
      break;
    case 'e':
      send_byte(write_fd, receive_byte(fd[0]));
      continue;
    case 'q':
      q.device = (struct sg_wire_device){0};
      break;
    default:
      return;
    }
    send(fd[n - 1], &q, q.head.size, MSG_NOSIGNAL);
    int rc = raw_answer(fd[n - 1], &a, got);
    if (rc == SCHEDGPU_OK && got[0] >= 0)
      mmap(NULL, 4096, PROT_READ, MAP_SHARED, got[0], 0);
    send_byte(write_fd, rc == 1 ? '!' : answer_of(rc));
  }
}

static struct child openers[8];
static int opener_count;

static struct child opener_of(uint32_t uid) {
  user_uid = uid;
  return openers[opener_count++] = child_start(1, opens);
}

/** Ends all openers, also after a failure: their connections may be the last ones. */
static int end_openers(void **state) {
  while (opener_count > 0)
    child_kill(&openers[--opener_count]);
  return tear_down(state);
}

#define shares(name) cmocka_unit_test_setup_teardown(name, set_up, end_openers)

static void opens_so_many(const struct child *c, int count) {
  for (int i = 0; i < count; i++)
    assert_int_equal(send_command(c, 'o'), OK_ANSWER);
}

static void is_refused(const struct child *c) {
  assert_int_equal(send_command(c, 'o'), '!');
}

static void start_with(struct schedgpu_broker_limits limits) {
  child_kill(&agent);
  agent_limits = limits;
  agent = agent_start();
}

static void no_user_takes_the_last_connection(void **state) {
  (void)state;
  start_with((struct schedgpu_broker_limits){.connections = 16, .connections_per_user = 16});
  struct child alice = opener_of(ALICE), bob = opener_of(BOB);
  opens_so_many(&alice, 8);
  is_refused(&alice);
  opens_so_many(&bob, 4);
}

static void a_user_with_many_connections_yields_to_one_with_none(void **state) {
  (void)state;
  start_with((struct schedgpu_broker_limits){.connections = 4});
  struct child alice = opener_of(ALICE), bob = opener_of(BOB), carol = opener_of(CAROL);
  opens_so_many(&alice, 2);
  opens_so_many(&bob, 1);
  opens_so_many(&carol, 1); /* the last one */
  struct child late = opener_of(CAROL + 1);
  opens_so_many(&late, 1);
  assert_int_equal(send_command(&alice, 'e'), '.'); /* the agent has closed her oldest for it */
}

/** Otherwise two users would take connections from each other forever. */
static void a_user_with_as_many_connections_does_not_yield(void **state) {
  (void)state;
  start_with((struct schedgpu_broker_limits){.connections = 3});
  struct child alice = opener_of(ALICE), bob = opener_of(BOB);
  opens_so_many(&alice, 2);
  opens_so_many(&bob, 1);
  is_refused(&bob);
  is_refused(&alice);
}

static void an_attached_client_never_yields(void **state) {
  (void)state;
  start_with((struct schedgpu_broker_limits){.connections = 1});
  struct child alice = opener_of(ALICE), bob = opener_of(BOB);
  opens_so_many(&alice, 1);
  assert_int_equal(send_command(&alice, 'a'), OK_ANSWER);
  is_refused(&bob);
  assert_int_equal(send_command(&alice, 'q'), OK_ANSWER);
}

static void an_idle_connection_without_a_client_is_closed(void **state) {
  (void)state;
  start_with((struct schedgpu_broker_limits){.idle_ms = 200});
  struct child idle = opener_of(ALICE), attached = opener_of(ALICE);
  opens_so_many(&attached, 1);
  assert_int_equal(send_command(&attached, 'a'), OK_ANSWER);
  opens_so_many(&idle, 1);
  assert_int_equal(send_command(&idle, 'e'), '.');
  assert_int_equal(send_command(&attached, 'q'), OK_ANSWER);
}

/** The agent does not refuse further connections; it accepts them later. */
static void accepted_connections_per_second_are_limited(void **state) {
  (void)state;
  enum { A_SECOND = 100, COUNT = 50, AT_ONCE = A_SECOND / 10 + 1 };
  start_with((struct schedgpu_broker_limits){.accepts_per_second = A_SECOND});
  struct child alice = opener_of(ALICE);
  uint64_t begin_ns = sg_now_ns();
  opens_so_many(&alice, COUNT);
  uint64_t took_ms = (sg_now_ns() - begin_ns) / 1000000;
  assert_true(took_ms >= (COUNT - AT_ONCE) * UINT64_C(1000) / A_SECOND);
}

static uint32_t owner_of_subordinates;
static void set_subordinates(schedgpu_broker *b) {
  const uint32_t first = SUBORDINATE, count = 10;
  if (schedgpu_broker_set_subordinates(b, &first, &count, &owner_of_subordinates, 1) != SCHEDGPU_OK)
    _exit(6);
}

static void start_with_subordinates_of(uint32_t owner, struct schedgpu_broker_limits limits) {
  owner_of_subordinates = owner;
  agent_prepare = set_subordinates;
  start_with(limits);
  agent_prepare = NULL;
}

static void subordinate_user_ids_share_their_owners_limits(void **state) {
  (void)state;
  start_with_subordinates_of(
      ALICE, (struct schedgpu_broker_limits){.connections_per_user = 3, .jobs_per_user = 1});
  struct child alice = opener_of(ALICE), first = opener_of(SUBORDINATE),
               last = opener_of(SUBORDINATE + 9), other = opener_of(SUBORDINATE + 10);
  opens_so_many(&alice, 1);
  opens_so_many(&first, 1);
  opens_so_many(&last, 1);
  is_refused(&alice);
  is_refused(&first);
  opens_so_many(&other, 3);
  assert_int_equal(send_command(&alice, 'b'), OK_ANSWER);
  assert_int_equal(send_command(&last, 'b'), answer_of(SCHEDGPU_EFULL));
  assert_int_equal(send_command(&other, 'b'), OK_ANSWER);
}

static void subordinate_user_ids_of_root_are_not_root(void **state) {
  (void)state;
  start_with_subordinates_of(0, (struct schedgpu_broker_limits){.connections_per_user = 2});
  struct child user = opener_of(SUBORDINATE);
  opens_so_many(&user, 2);
  is_refused(&user);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      shares(no_user_takes_the_last_connection),
      shares(a_user_with_many_connections_yields_to_one_with_none),
      shares(a_user_with_as_many_connections_does_not_yield),
      shares(an_attached_client_never_yields),
      shares(an_idle_connection_without_a_client_is_closed),
      shares(accepted_connections_per_second_are_limited),
      shares(subordinate_user_ids_share_their_owners_limits),
      shares(subordinate_user_ids_of_root_are_not_root),
  };
  alarm(300);
  return cmocka_run_group_tests_name("shares", tests, NULL, NULL);
}
