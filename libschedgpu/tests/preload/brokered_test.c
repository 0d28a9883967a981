/*
 * Unmodified programs of an ordinary user, where only the agent may write the region.
 */
#include "fixture.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOB 12
#define NEIGHBOUR 13
#define OUT_OF_MEMORY 2

static int served_up(void **state) {
  static struct node node;
  *state = node_up_brokered(&node, 1) ? &node : NULL;
  return 0;
}

static int served_down(void **state) {
  return *state ? tear_down(state) : 0;
}

#define SERVED_TEST(function) cmocka_unit_test_setup_teardown(function, served_up, served_down)
#define ONLY_ROOT()                                                                                \
  if (!*state)                                                                                     \
  SKIP("other users are needed: only root can be them")

static void a_program_sees_its_budget_and_its_limit(void **state) {
  struct child child;
  ONLY_ROOT();
  node_job(*state, JOB, 6 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)GIB), 0);
  assert_int_equal(child_ask(&child, "info"), 0);
  assert_int_equal(child_number(&child, 1), 5 * GIB);
  assert_int_equal(child_number(&child, 2), 6 * GIB);
  assert_int_equal(child_ask(&child, "alloc 1 %llu", (unsigned long long)(6 * GIB)), OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(child_end(&child), 0);
  node_check(*state);
}

static void a_program_waits_for_its_turn(void **state) {
  struct child first, second;
  ONLY_ROOT();
  node_job(*state, JOB, 10 * GIB, SCHEDGPU_FOREVER);
  node_job(*state, NEIGHBOUR, 10 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&first, *state, JOB);
  start_driver_program(&second, *state, NEIGHBOUR);
  assert_int_equal(child_ask(&first, "alloc 0 %llu", (unsigned long long)GIB), 0);
  child_tell(&second, "alloc 0 %llu", (unsigned long long)GIB);
  node_await_waiting(*state, 0, 1);
  assert_int_equal(child_ask(&first, "free 0"), 0);
  assert_int_equal(child_answer(&second), 0);
  assert_int_equal(child_said(&second, "schedgpu: waiting for 10.0 GiB on device 0"), 1);
  child_kill(&second);
  assert_int_equal(child_ask(&first, "alloc 0 %llu", (unsigned long long)GIB), 0);
}

static void a_program_goes_on_with_the_next_agent(void **state) {
  struct child first, second;
  ONLY_ROOT();
  node_job(*state, JOB, 10 * GIB, SCHEDGPU_FOREVER);
  node_job(*state, NEIGHBOUR, 10 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&first, *state, JOB);
  start_driver_program(&second, *state, NEIGHBOUR);
  assert_int_equal(child_ask(&first, "alloc 0 %llu", (unsigned long long)GIB), 0);
  child_tell(&second, "alloc 0 %llu", (unsigned long long)GIB);
  node_await_waiting(*state, 0, 1);
  node_kill_agent(*state);
  assert_int_equal(child_ask(&first, "free 0"), 0); /* a message that no agent receives */
  node_start_agent(*state);
  assert_int_equal(child_answer(&second), 0);
}

static void it_works_from_a_namespace_of_pids_and_users(void **state) {
  struct child child;
  char program[512];
  ONLY_ROOT();
  if (!machine_has("setpriv --reuid 54321 --clear-groups unshare -Urpf --mount-proc true"))
    SKIP("no user namespaces for ordinary users");
  node_job(*state, JOB, 0, SCHEDGPU_FOREVER);
  snprintf(program, sizeof program, PROGRAMS_DIR "/driver_looked_up");
  child_start(&child, *state,
              &(struct start){.program = "/usr/bin/unshare",
                              .arguments = {"-Urpf", "--mount-proc", program, "handle"},
                              .job = JOB});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)GIB), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), GIB);
  assert_int_equal(node_contexts(*state, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 0);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
}

/** As in a container: only the socket of the run directory, and an IPC namespace of its own. */
static void it_works_with_the_socket_alone(void **state) {
  struct child child;
  char program[512], command[2048], run_dir[128];
  struct node *node = *state;
  ONLY_ROOT();
  if (!machine_has("unshare -im true"))
    SKIP("no namespaces");
  node_job(node, JOB, 0, SCHEDGPU_FOREVER);
  snprintf(run_dir, sizeof run_dir, "%s/inside", node->dir);
  assert_int_equal(mkdir(run_dir, 0755), 0);
  snprintf(program, sizeof program, PROGRAMS_DIR "/driver_looked_up");
  snprintf(command, sizeof command,
           "touch %s/agent.sock && mount --bind %s/agent.sock %s/agent.sock && "
           "exec setpriv --reuid 54321 --regid 54321 --clear-groups %s handle",
           run_dir, node->dir, run_dir, program);
  node->user = 0; /* setpriv changes the user, after the mount */
  child_start(&child, node,
              &(struct start){.program = "/usr/bin/unshare",
                              .arguments = {"-im", "sh", "-c", command},
                              .job = JOB,
                              .run_dir = run_dir});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)GIB), 0);
  assert_int_equal(node_in_use(node, JOB, 0), GIB);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
}

static void without_an_agent_it_runs_unscheduled_and_says_so(void **state) {
  struct child child;
  ONLY_ROOT();
  node_job(*state, JOB, 6 * GIB, SCHEDGPU_FOREVER);
  node_kill_agent(*state);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)GIB), 0);
  assert_int_equal(child_said(&child, "the agent of this node does not answer"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SERVED_TEST(a_program_sees_its_budget_and_its_limit),
      SERVED_TEST(a_program_waits_for_its_turn),
      SERVED_TEST(a_program_goes_on_with_the_next_agent),
      SERVED_TEST(it_works_from_a_namespace_of_pids_and_users),
      SERVED_TEST(it_works_with_the_socket_alone),
      SERVED_TEST(without_an_agent_it_runs_unscheduled_and_says_so),
  };
  return cmocka_run_group_tests_name("served", tests, NULL, NULL);
}
