/* clients_test.c - processes of ordinary users, where only the agent may write the region. */
#include "agent.h"

static void a_user_who_may_not_write_the_region_reserves_through_the_agent(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, 'r', SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 6 * GIB);
  uses(user, 6);
  does(user, 'n', SCHEDGPU_EWOULDBLOCK);
  does(user, 'g', SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 0);
  does(user, 'g', SCHEDGPU_EUNDERFLOW);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void a_waiter_is_served_when_memory_is_freed(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  job_of(&n, 2, BOB, ONDEMAND, 0);
  struct child agent = agent_start(), alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, 'r', SCHEDGPU_OK);
  send_byte(bob.to, 'r');
  await_waiting(&n, 1);
  does(alice, 'g', SCHEDGPU_OK);
  assert_int_equal(receive_byte(bob.from), OK_ANSWER);
  does(alice, 'm', SCHEDGPU_ETIMEDOUT);
  child_kill(&alice);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

static void a_waiter_is_served_when_an_epilog_ends_a_job(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  job_of(&n, 2, BOB, ONDEMAND, 0);
  struct child agent = agent_start(), alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, 'r', SCHEDGPU_OK);
  send_byte(bob.to, 'r');
  await_waiting(&n, 1);
  assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_OK);
  assert_int_equal(receive_byte(bob.from), OK_ANSWER);
  does(alice, 'n', SCHEDGPU_ENOJOB);
  child_kill(&alice);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

static void memory_of_a_killed_process_goes_to_the_waiter(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  job_of(&n, 2, BOB, ONDEMAND, 0);
  struct child agent = agent_start(), alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, 'r', SCHEDGPU_OK);
  send_byte(bob.to, 'r');
  await_waiting(&n, 1);
  child_kill(&alice);
  assert_int_equal(receive_byte(bob.from), OK_ANSWER);
  child_kill(&bob);
  await_used(&n, 0);
  child_kill(&agent);
  node_free(&n);
}

static void a_budget_is_reserved_once_and_shared_by_the_processes_of_its_job(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, PEAK, 7 * GIB);
  struct child agent = agent_start(), one = user_start(ALICE, 1), two = user_start(ALICE, 1);
  does(one, '1', SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 7 * GIB);
  does(two, '1', SCHEDGPU_OK); /* although the first one had all of it */
  uses(one, 2);
  does(two, 'n', SCHEDGPU_EBUDGET);
  does(one, 'f', SCHEDGPU_OK);
  does(two, 'n', SCHEDGPU_OK);
  uses(one, 7);
  assert_int_equal(node_used(&n), 7 * GIB);
  child_kill(&one);
  child_kill(&two);
  child_kill(&agent);
  node_free(&n);
}

static struct sg_ended last_ended(struct node *n) {
  struct sg_region *r = aligned_alloc(64, schedgpu_snapshot_size());
  assert_non_null(r);
  assert_int_equal(schedgpu_admin_snapshot(n->admin, r, sizeof *r), SCHEDGPU_OK);
  assert_int_not_equal(r->h.ended, 0);
  struct sg_ended e = r->ended[r->h.ended - 1];
  free(r);
  return e;
}

/** The agent learns of a refusal before the program does, because the job may end at once. */
static void a_refusal_is_known_when_the_job_ends_right_after_it(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, PEAK, 5 * GIB);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, '1', SCHEDGPU_OK);
  does(user, 'n', SCHEDGPU_EBUDGET);
  assert_int_equal(schedgpu_admin_job_end(n.admin, SCHEDGPU_JOB_SLURM, 1), SCHEDGPU_OK);
  assert_int_equal(last_ended(&n).refusals, 1);
  assert_int_equal(last_ended(&n).refused_bytes, 6 * GIB);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

/** A call inside the budget sends no message, so a stopped agent does not matter. */
static void allocations_inside_a_budget_do_not_need_the_agent(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, PEAK, 7 * GIB);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, '1', SCHEDGPU_OK);
  stop_child(&agent);
  does(user, 'r', SCHEDGPU_OK);
  does(user, 'g', SCHEDGPU_OK);
  does(user, 'f', SCHEDGPU_OK);
  kill(agent.pid, SIGCONT);
  uses(user, 0);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void an_idle_budget_goes_to_the_waiter(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, PEAK, 7 * GIB);
  job_of(&n, 2, BOB, PEAK, 7 * GIB);
  struct child agent = agent_start(), alice = user_start(ALICE, 1), bob = user_start(BOB, 2);
  does(alice, '1', SCHEDGPU_OK);
  send_byte(bob.to, '1');
  await_waiting(&n, 1);
  does(alice, 'f', SCHEDGPU_OK);
  assert_int_equal(receive_byte(bob.from), OK_ANSWER);
  does(bob, 'f', SCHEDGPU_OK); /* idle, and no request waits: the budget stays */
  assert_int_equal(node_used(&n), 7 * GIB);
  does(alice, '1', SCHEDGPU_OK); /* until another process asks */
  child_kill(&alice);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

static void contexts_are_charged_and_given_back(void **state) {
  (void)state;
  struct node n = closed_node(GIB, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = user_start(ALICE, 1);
  does(user, 'e', SCHEDGPU_OK);
  assert_int_equal(node_used(&n), GIB);
  does(user, 'e', SCHEDGPU_OK);
  does(user, 'l', SCHEDGPU_OK);
  assert_int_equal(node_used(&n), GIB);
  does(user, 'l', SCHEDGPU_OK);
  does(user, 'l', SCHEDGPU_EUNDERFLOW);
  does(user, 'd', SCHEDGPU_OK);
  assert_int_equal(node_used(&n), 0);
  does(user, 'r', SCHEDGPU_OK); /* and attaches again */
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void a_job_of_another_user_does_not_exist(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), bob = user_start(BOB, 1);
  does(bob, 'a', SCHEDGPU_ENOJOB);
  child_kill(&bob);
  child_kill(&agent);
  node_free(&n);
}

static void only_root_reads_or_writes_the_region(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  struct schedgpu_region_info info;
  assert_int_equal(schedgpu_admin_region_info(n.admin, &info), SCHEDGPU_OK);
  assert_int_equal(info.mode, 0600);
  pid_t pid = fork();
  if (pid == 0) {
    struct sg_handle h;
    become(ALICE);
    char path[80];
    snprintf(path, sizeof path, "%s/live", n.dir);
    _exit(sg_open(&h, n.dir) == SCHEDGPU_EPERM && open(path, O_RDONLY) < 0 ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  assert_int_equal(status, 0);
  node_free(&n);
}

/** The library's connection is closed, and a socket of the program has its number. */
static void loses_its_descriptors(int write_fd, int read_fd) {
  int mine[2];
  char byte;
  become(ALICE);
  if (schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  close_range(100, ~0u, 0);
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, mine) != 0)
    _exit(4);
  for (int fd = 190; fd < 230; fd++)
    if (dup2(mine[0], fd) != fd)
      _exit(5);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
  struct schedgpu_info info;
  bool right = schedgpu_query(0, &info) == SCHEDGPU_OK && info.own_used_bytes == 6 * GIB &&
               schedgpu_release(0, 6 * GIB) == SCHEDGPU_OK;
  bool untouched = recv(mine[1], &byte, 1, 0) < 0 && fcntl(200, F_GETFD) >= 0;
  send_byte(write_fd, right && untouched ? 'y' : 'n');
  receive_byte(read_fd);
}

static void a_connection_that_the_program_closed_is_made_again(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = child_start(1, loses_its_descriptors);
  assert_int_equal(receive_byte(user.from), 'h');
  assert_int_equal(node_used(&n), 6 * GIB);
  send_byte(user.to, 'g');
  assert_int_equal(receive_byte(user.from), 'y');
  assert_int_equal(node_used(&n), 0);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void forks(int write_fd, int read_fd) {
  become(ALICE);
  if (schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  pid_t pid = fork();
  if (pid == 0) {
    bool detached = !schedgpu_is_attached() && schedgpu_detach() == SCHEDGPU_OK &&
                    schedgpu_release(0, 1) == SCHEDGPU_EUNDERFLOW;
    _exit(detached && schedgpu_reserve(0, 1 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  send_byte(write_fd, status == 0 ? 'y' : 'n');
  receive_byte(read_fd);
}

static void a_forked_child_is_a_client_of_its_own(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = child_start(1, forks);
  assert_int_equal(receive_byte(user.from), 'y');
  await_used(&n, 6 * GIB); /* the forked child holds nothing */
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void becomes_another_program(int write_fd, int read_fd) {
  become(ALICE);
  if (schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
  execl("/bin/sleep", "sleep", "100", NULL);
}

static void a_process_that_becomes_another_program_holds_nothing(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = child_start(1, becomes_another_program);
  assert_int_equal(receive_byte(user.from), 'h');
  assert_int_equal(node_used(&n), 6 * GIB);
  send_byte(user.to, 'x');
  await_used(&n, 0);
  assert_int_equal(kill(user.pid, 0), 0);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void lives_in_a_pid_namespace(int write_fd, int read_fd) {
  if (unshare(CLONE_NEWPID) != 0)
    _exit(3);
  pid_t pid = fork();
  if (pid == 0) {
    become(ALICE);
    send_byte(write_fd,
              getpid() == 1 && schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? 'h'
                                                                                             : 'n');
    pause();
  }
  receive_byte(read_fd);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  receive_byte(read_fd);
}

static void a_process_in_a_pid_namespace_is_known_by_the_hosts_pid(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), user = child_start(1, lives_in_a_pid_namespace);
  assert_int_equal(receive_byte(user.from), 'h');
  struct sg_handle h = map_region(&n);
  int found = 0;
  for (uint32_t i = SG_FIRST_CLIENT; i < SG_SLOTS; i++)
    if (h.r->client[i].state == SG_ACTIVE) {
      found++;
      assert_true(h.r->client[i].pid > 1);
      assert_int_equal(kill(h.r->client[i].pid, 0), 0);
      assert_int_equal(h.r->client[i].pid_namespace, sg_pid_namespace());
    }
  assert_int_equal(found, 1);
  sg_close(&h);
  send_byte(user.to, 'k');
  await_used(&n, 0);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

static void *reserves_two(void *unused) {
  (void)unused;
  return schedgpu_reserve(0, 2 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK ? NULL : (void *)1;
}
static void threads_of_one_process_ask_at_once(int write_fd, int read_fd) {
  enum { THREADS = 8 };
  pthread_t thread[THREADS];
  void *failed = NULL, *result;
  become(BOB);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, reserves_two, NULL);
  send_byte(write_fd, 'w');
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], &result);
    failed = result ? result : failed;
  }
  send_byte(write_fd, failed ? 'n' : 'y');
  receive_byte(read_fd);
}

static void threads_wait_in_turn(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  job_of(&n, 2, BOB, ONDEMAND, 0);
  struct child agent = agent_start(), alice = user_start(ALICE, 1), bob;
  does(alice, 'r', SCHEDGPU_OK);
  bob = child_start(2, threads_of_one_process_ask_at_once);
  assert_int_equal(receive_byte(bob.from), 'w');
  await_used(&n, 10 * GIB); /* two of the eight fit */
  await_waiting(&n, 1);
  does(alice, 'g', SCHEDGPU_OK);
  await_used(&n, 10 * GIB); /* five; for the rest no other process holds memory: EDEADLOCK */
  await_waiting(&n, 0);
  child_kill(&alice);
  child_kill(&bob);
  await_used(&n, 0);
  child_kill(&agent);
  node_free(&n);
}

/** The message is not "this user may not use the region", as if the group were wrong. */
static void a_missing_socket_is_reported_as_a_missing_agent(void **state) {
  (void)state;
  struct node n = closed_node(0, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child user = user_start(ALICE, 1);
  does(user, 'n', SCHEDGPU_EAGENT);
  child_kill(&user);
  node_free(&n);
}

static bool is_socket(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

static void await_socket(const char *path) {
  for (int i = 0; i < 300000 && !is_socket(path); i++)
    usleep(1000);
  assert_true(is_socket(path));
}

/** A connected client stays connected; a new client finds the new socket. */
static void a_removed_socket_is_created_again(void **state) {
  (void)state;
  char path[PATH_MAX];
  struct node n = closed_node(0, 0);
  snprintf(path, sizeof path, "%s/agent.sock", n.dir);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start(), alice = user_start(ALICE, 1);
  does(alice, 'r', SCHEDGPU_OK);
  assert_int_equal(unlink(path), 0);
  await_socket(path);
  does(alice, 'g', SCHEDGPU_OK);
  struct child other = user_start(ALICE, 1);
  does(other, 'r', SCHEDGPU_OK);
  child_kill(&alice);
  child_kill(&other);
  child_kill(&agent);
  node_free(&n);
}

static void a_file_in_the_sockets_place_is_replaced(void **state) {
  (void)state;
  char path[PATH_MAX];
  struct node n = closed_node(0, 0);
  snprintf(path, sizeof path, "%s/agent.sock", n.dir);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  struct child agent = agent_start();
  assert_int_equal(unlink(path), 0);
  int fd = open(path, O_CREAT | O_WRONLY | O_EXCL, 0644);
  if (fd >= 0)
    close(fd);
  await_socket(path);
  struct child user = user_start(ALICE, 1);
  does(user, 'r', SCHEDGPU_OK);
  child_kill(&user);
  child_kill(&agent);
  node_free(&n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_user_who_may_not_write_the_region_reserves_through_the_agent),
      cmocka_unit_test(a_waiter_is_served_when_memory_is_freed),
      cmocka_unit_test(a_waiter_is_served_when_an_epilog_ends_a_job),
      cmocka_unit_test(memory_of_a_killed_process_goes_to_the_waiter),
      cmocka_unit_test(a_budget_is_reserved_once_and_shared_by_the_processes_of_its_job),
      cmocka_unit_test(a_refusal_is_known_when_the_job_ends_right_after_it),
      cmocka_unit_test(allocations_inside_a_budget_do_not_need_the_agent),
      cmocka_unit_test(an_idle_budget_goes_to_the_waiter),
      cmocka_unit_test(contexts_are_charged_and_given_back),
      cmocka_unit_test(a_job_of_another_user_does_not_exist),
      cmocka_unit_test(only_root_reads_or_writes_the_region),
      cmocka_unit_test(a_connection_that_the_program_closed_is_made_again),
      cmocka_unit_test(a_forked_child_is_a_client_of_its_own),
      cmocka_unit_test(a_process_that_becomes_another_program_holds_nothing),
      cmocka_unit_test(a_process_in_a_pid_namespace_is_known_by_the_hosts_pid),
      cmocka_unit_test(threads_wait_in_turn),
      cmocka_unit_test(a_missing_socket_is_reported_as_a_missing_agent),
      cmocka_unit_test(a_removed_socket_is_created_again),
      cmocka_unit_test(a_file_in_the_sockets_place_is_replaced),
  };
  alarm(600);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
