/* restart_test.c - the agent goes and comes again: nobody loses what it holds, or its place. */
#include "raw.h"

static void restart(struct child *agent) {
  child_kill(agent);
  *agent = agent_start();
}

static void who_holds_keeps_it_while_there_is_no_agent(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&agent);
  assert_int_equal(reap(&n), 1); /* as an epilog does: the agent alone is dead */
  assert_int_equal(node_used(&n), 6 * GIB);
  agent = agent_start();
  uses(user, 6);
  does(user, 'g', SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 0);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void who_dies_while_there_is_no_agent_holds_nothing_any_more(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&agent);
  child_kill(&user);
  assert_int_equal(reap(&n), 2); /* with the agent */
  assert_int_equal(node_used(&n), 0);
  node_free(&n);
}

static void who_waits_keeps_its_place(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  job_of(&n, 2, BOB, ONDEMAND, 0);
  struct child agent = agent_start(), alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, 'r', SCHEDGPU_OK);
  say(bob.to, 'r');
  await_waiting(&n, 1);
  struct sg_handle h = look(&n);
  uint64_t ticket = h.r->waiter[0].ticket;
  restart(&agent);
  int descriptors = count_descriptors(agent.pid);
  does(alice, 'n', SCHEDGPU_EWOULDBLOCK);
  while (count_descriptors(agent.pid) < descriptors + 4) /* two for each who has come again */
    nap_ms(1);
  does(alice, 'n', SCHEDGPU_EWOULDBLOCK); /* the other's question was answered before */
  assert_int_equal(h.r->waiter[0].ticket, ticket);
  does(alice, 'g', SCHEDGPU_OK);
  assert_int_equal(hear(bob.from), OK_ANSWER);
  sg_close(&h);
  child_kill(&alice);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

/** The next agent finds it in the memory of the process, which says nothing any more. */
static void what_was_given_back_meanwhile_goes_to_who_waits(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, PEAK, 6 * GIB);
  job_of(&n, 2, BOB, PEAK, 6 * GIB);
  struct child agent = agent_start(), alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, '1', SCHEDGPU_OK);
  child_kill(&agent);
  does(alice, 'f', SCHEDGPU_OK);
  agent = agent_start();
  does(bob, '1', SCHEDGPU_OK);
  child_kill(&alice);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

static void a_wait_with_an_end_ends_without_an_agent(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, 'a', SCHEDGPU_OK);
  child_kill(&agent);
  does(user, 'm', SCHEDGPU_EAGENT);
  child_kill(&user);
  node_free(&n);
}

static void a_wait_without_an_end_goes_on_with_the_next_agent(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, 'a', SCHEDGPU_OK);
  child_kill(&agent);
  say(user.to, 'r');
  agent = agent_start();
  assert_int_equal(hear(user.from), OK_ANSWER);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void there_is_one_agent_only(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  struct child agent = agent_start();
  schedgpu_broker *second;
  assert_int_equal(schedgpu_broker_open(n.dir, NULL, &second), SCHEDGPU_EINUSE);
  child_kill(&agent);
  assert_int_equal(schedgpu_broker_open(n.dir, NULL, &second), SCHEDGPU_OK);
  schedgpu_broker_stop(second);
  assert_int_equal(schedgpu_broker_run(second), SCHEDGPU_OK);
  schedgpu_broker_close(second);
  node_free(&n);
}

static void restarts_under_load_lose_nothing(void **state) {
  (void)state;
  enum { USERS = 6, RESTARTS = 8, ROUNDS = 150 };
  struct node n = closed_node(0, 0);
  struct child user[USERS];
  struct child agent = agent_start();
  for (int i = 0; i < USERS; i++) {
    job_of(&n, (uint64_t)i + 1, ALICE, i % 2 ? PEAK : ONDEMAND, i % 2 ? 6 * GIB : 0);
    user[i] = user_start(ALICE, (uint64_t)i + 1);
    for (int k = 0; k < ROUNDS; k++) { /* all of it is in the pipe: they never stop */
      say(user[i].to, 'r');
      say(user[i].to, 'g');
    }
  }
  for (int k = 0; k < RESTARTS; k++) {
    for (int i = 0; i < USERS; i++)
      assert_int_equal(hear(user[i].from), OK_ANSWER);
    restart(&agent);
  }
  for (int i = 0; i < USERS; i++) {
    for (int k = RESTARTS; k < 2 * ROUNDS; k++)
      assert_int_equal(hear(user[i].from), OK_ANSWER);
    does(user[i], 'd', SCHEDGPU_OK);
    assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, (uint64_t)i + 1),
                     SCHEDGPU_OK); /* which has its budget for as long as nobody asks for it */
  }
  assert_int_equal(node_used(&n), 0);
  for (int i = 0; i < USERS; i++)
    child_kill(&user[i]);
  child_kill(&agent);
  node_free(&n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_holds_keeps_it_while_there_is_no_agent),
      cmocka_unit_test(who_dies_while_there_is_no_agent_holds_nothing_any_more),
      cmocka_unit_test(who_waits_keeps_its_place),
      cmocka_unit_test(what_was_given_back_meanwhile_goes_to_who_waits),
      cmocka_unit_test(a_wait_with_an_end_ends_without_an_agent),
      cmocka_unit_test(a_wait_without_an_end_goes_on_with_the_next_agent),
      cmocka_unit_test(there_is_one_agent_only),
      cmocka_unit_test(restarts_under_load_lose_nothing),
  };
  alarm(600);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
