/*
 * restart_test.c - the agent ends and starts again: no process loses what it holds, or its place in
 * a queue.
 */
#include "raw.h"

static void restart(struct child *agent) {
  child_kill(agent);
  *agent = agent_start();
}

static void reservations_survive_while_no_agent_runs(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&agent);
  assert_int_equal(reap(&n), 1); /* as an epilog does: only the agent is dead */
  assert_int_equal(node_used(&n), 6 * GIB);
  agent = agent_start();
  uses(user, 6);
  does(user, 'g', SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 0);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void a_process_that_dies_while_no_agent_runs_is_reaped(void **state) {
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

static void a_waiting_process_keeps_its_place(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  job_of(&n, 2, BOB, ONDEMAND, 0);
  struct child agent = agent_start(), alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, 'r', SCHEDGPU_OK);
  send_byte(bob.to, 'r');
  await_waiting(&n, 1);
  struct sg_handle h = map_region(&n);
  uint64_t ticket = h.r->waiter[SG_FIRST_CLIENT + 1].ticket;
  stop_child(&bob); /* so that he does not connect before the descriptors are counted */
  restart(&agent);
  int descriptors = count_descriptors(agent.pid);
  kill(bob.pid, SIGCONT);
  does(alice, 'n', SCHEDGPU_EWOULDBLOCK);
  /* two for each client that has connected again */
  while (count_descriptors(agent.pid) < descriptors + 4)
    nap_ms(1);
  /* the agent answered the other client's question before */
  does(alice, 'n', SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(h.r->waiter[SG_FIRST_CLIENT + 1].ticket, ticket);
  does(alice, 'g', SCHEDGPU_OK);
  assert_int_equal(receive_byte(bob.from), OK_ANSWER);
  sg_close(&h);
  child_kill(&alice);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

/** The next agent finds the page in the memory of the process, which sends nothing any more. */
static void memory_freed_while_no_agent_runs_goes_to_the_waiter(void **state) {
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

/** Its earlier request is still queued, and must not refuse the next one. */
static void a_process_that_gave_up_while_the_agent_was_stopped_asks_again(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  job_of(&n, 2, BOB, ONDEMAND, 0);
  struct child agent = agent_start(), alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, 'r', SCHEDGPU_OK);
  does(bob, 'a', SCHEDGPU_OK);
  send_byte(bob.to, 'm');
  await_waiting(&n, 1);
  stop_child(&agent);
  assert_int_not_equal(receive_byte(bob.from), OK_ANSWER);
  kill(agent.pid, SIGCONT);
  does(bob, '1', SCHEDGPU_OK);
  await_waiting(&n, 0);
  child_kill(&alice);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

/** A process counts on a wait only while its page has the ticket. */
static int waits_and_asks_again(void) {
  struct sg_wire_answer a;
  struct sg_page *page;
  int fd = raw_attach(1, &a, NULL, &page);
  struct sg_wire_question waits = ask_for(6 * GIB, 1), again = ask_for(1 * GIB, 1);
  EXPECT(raw_ask(fd, &waits, &a) == SCHEDGPU_EWOULDBLOCK);
  page->wait.ticket = a.queued.ticket;
  EXPECT(raw_ask(fd, &again, NULL) == SCHEDGPU_EBUSY);
  page->wait.ticket = 0; /* as if the agent had not received the end of the wait */
  EXPECT(raw_ask(fd, &again, NULL) == SCHEDGPU_OK);
  return 0;
}

static void an_abandoned_wait_does_not_refuse_a_new_request(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  job_of(&n, 2, BOB, ONDEMAND, 0);
  struct child agent = agent_start(), bob = user_start(BOB, 2);
  does(bob, 'r', SCHEDGPU_OK);
  assert_int_equal(as_user(ALICE, waits_and_asks_again), 0);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

static void a_wait_without_an_end_goes_on_with_the_next_agent(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, 'a', SCHEDGPU_OK);
  child_kill(&agent);
  send_byte(user.to, 'r');
  agent = agent_start();
  assert_int_equal(receive_byte(user.from), OK_ANSWER);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void only_one_agent_runs(void **state) {
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

/** Deletes the directory as rm -rf does. The agent notices that its region is gone, and ends. */
static void delete_run_directory(struct node *n, struct child *agent) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", n->dir);
  assert_int_equal(system(command), 0);
  assert_int_equal(child_wait(agent), 4);
  struct schedgpu_setup s = fixture_setup(1, 10 * GIB, 0, SCHEDGPU_POLICY_FIFO);
  s.group = SCHEDGPU_GROUP_NONE;
  assert_int_equal(schedgpu_admin_setup(n->dir, &s), SCHEDGPU_OK);
  schedgpu_admin_close(n->admin);
  assert_int_equal(schedgpu_admin_open(n->dir, &n->admin), SCHEDGPU_OK);
  *agent = agent_start();
}

/** True if the record of the only client names the existing liveness file. */
static bool lives_by_its_file(struct node *n) {
  struct sg_handle h = map_region(n);
  struct stat st;
  char path[PATH_MAX];
  uint32_t slot = SG_FIRST_CLIENT;
  while (h.r->client[slot].state != SG_ACTIVE || h.r->client[slot].uid != ALICE)
    slot++;
  snprintf(path, sizeof path, "%s/served/%u", n->dir, slot);
  bool same = stat(path, &st) == 0 && h.r->client[slot].live_ino == st.st_ino;
  sg_close(&h);
  return same;
}

static void a_running_process_outlives_its_run_directory(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, 'r', SCHEDGPU_OK);
  delete_run_directory(&n, &agent);
  uses(user, 6);
  does(user, 'g', SCHEDGPU_OK);
  does(user, 'r', SCHEDGPU_OK);
  assert_true(lives_by_its_file(&n));
  restart(&agent);
  uses(user, 6);
  child_kill(&agent);
  assert_int_equal(reap(&n), 1); /* only the agent */
  child_kill(&user);
  assert_int_equal(reap(&n), 1);
  assert_int_equal(node_used(&n), 0);
  node_free(&n);
}

/** Connects again and does not map the files that it gets. */
static void resumes_without_mapping(int write_fd, int read_fd) {
  struct sg_wire_answer a;
  struct sg_wire_question q = ask_for(6 * GIB, 0);
  int fds[2] = {-1, -1};
  become(ALICE);
  struct sg_page *page;
  int fd = raw_attach(1, &a, fds, &page);
  close(fds[0]);
  close(fds[1]);
  bool has = raw_ask(fd, &q, NULL) == SCHEDGPU_OK &&
             sg_lease_take(&page->client, 0, 6 * GIB / SG_UNIT_BYTES);
  send_byte(write_fd, has ? 'h' : 'x');
  receive_byte(read_fd);
  close(fd);
  fd = raw_open();
  q = question_of(SG_WIRE_RESUME);
  q.resume = (struct sg_wire_resume){
      .job = {.id = 1, .kind = SCHEDGPU_JOB_SLURM}, .slot = a.attached.slot, .gen = a.attached.gen};
  q.resume.in_use[0] = 6 * GIB / SG_UNIT_BYTES;
  send(fd, &q, q.head.size, MSG_NOSIGNAL);
  int rc = raw_answer(fd, &a, fds);
  close(fds[0]);
  q = question_of(SG_WIRE_SYNC);
  rc = rc == SCHEDGPU_OK ? raw_ask(fd, &q, NULL) : rc;
  send_byte(write_fd, rc == SCHEDGPU_OK ? 'h' : 'x');
  receive_byte(read_fd);
}

static void a_process_that_has_not_mapped_its_new_file_is_alive(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = child_start(1, resumes_without_mapping);
  assert_int_equal(receive_byte(user.from), 'h');
  delete_run_directory(&n, &agent);
  send_byte(user.to, 'g');
  assert_int_equal(receive_byte(user.from), 'h');
  assert_false(lives_by_its_file(&n));
  assert_int_equal(reap(&n), 0);
  assert_int_equal(node_used(&n), 6 * GIB);
  child_kill(&user);
  await_used(&n, 0);
  child_kill(&agent);
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
    /* all commands are in the pipe, so the processes never pause */
    for (int k = 0; k < ROUNDS; k++) {
      send_byte(user[i].to, 'r');
      send_byte(user[i].to, 'g');
    }
  }
  for (int k = 0; k < RESTARTS; k++) {
    for (int i = 0; i < USERS; i++)
      assert_int_equal(receive_byte(user[i].from), OK_ANSWER);
    restart(&agent);
  }
  for (int i = 0; i < USERS; i++) {
    for (int k = RESTARTS; k < 2 * ROUNDS; k++)
      assert_int_equal(receive_byte(user[i].from), OK_ANSWER);
    does(user[i], 'd', SCHEDGPU_OK);
    assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, (uint64_t)i + 1),
                     SCHEDGPU_OK); /* the job keeps its budget while no other request needs it */
  }
  assert_int_equal(node_used(&n), 0);
  for (int i = 0; i < USERS; i++)
    child_kill(&user[i]);
  child_kill(&agent);
  node_free(&n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reservations_survive_while_no_agent_runs),
      cmocka_unit_test(a_process_that_dies_while_no_agent_runs_is_reaped),
      cmocka_unit_test(a_waiting_process_keeps_its_place),
      cmocka_unit_test(memory_freed_while_no_agent_runs_goes_to_the_waiter),
      cmocka_unit_test(a_wait_with_an_end_ends_without_an_agent),
      cmocka_unit_test(a_process_that_gave_up_while_the_agent_was_stopped_asks_again),
      cmocka_unit_test(an_abandoned_wait_does_not_refuse_a_new_request),
      cmocka_unit_test(a_wait_without_an_end_goes_on_with_the_next_agent),
      cmocka_unit_test(only_one_agent_runs),
      cmocka_unit_test(a_running_process_outlives_its_run_directory),
      cmocka_unit_test(a_process_that_has_not_mapped_its_new_file_is_alive),
      cmocka_unit_test(restarts_under_load_lose_nothing),
  };
  alarm(600);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
