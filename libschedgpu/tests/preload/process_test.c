/*
 * process_test.c - the processes that a program starts, and all ways to end: each has its own
 * account, and nothing is left.
 */
#include "fixture.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOB 12
#define NOT_INITIALIZED 3
#define PARENTS (64 * MIB)
#define CHILDS (32 * MIB)

static void begin(struct child *child, struct node *node) {
  node_job(node, JOB, GIB, SCHEDGPU_FOREVER);
  child_start(child, node, &(struct start){.program = "process_program", .job = JOB});
  assert_int_equal(child_ask(child, "begin"), 0);
  assert_int_equal(child_ask(child, "alloc 0 %llu", (unsigned long long)PARENTS), 0);
  assert_int_equal(node_in_use(node, JOB, 0), PARENTS);
}

static void reap(struct node *node) {
  assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
}

static void expect_nothing_left(struct node *node) {
  reap(node);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(node_contexts(node, JOB, 0), 0);
  node_check(node);
}

/* --- a new program in a new process --- */
static void expect_own_account(struct node *node, const char *how) {
  struct child child;
  begin(&child, node);
  assert_int_equal(child_ask(&child, "spawn %s %llu", how, (unsigned long long)CHILDS), 0);
  assert_int_equal(node_in_use(node, JOB, 0), PARENTS + CHILDS);
  assert_int_equal(node_contexts(node, JOB, 0), 2 * CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "join"), 0);
  reap(node);
  assert_int_equal(node_in_use(node, JOB, 0), PARENTS);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
}

static void fork_and_exec(void **state) {
  expect_own_account(*state, "fork");
}
static void vfork_and_exec(void **state) {
  expect_own_account(*state, "vfork");
}
static void posix_spawned(void **state) {
  expect_own_account(*state, "posix_spawn");
}

/* A child must not wait for a lock of the dynamic linker that a thread of its parent held at the
 * fork. */
static void fork_while_a_thread_walks_the_libraries(void **state) {
  struct child child;
  begin(&child, *state);
  assert_int_equal(child_ask(&child, "fork-while-walking"), NOT_INITIALIZED);
  assert_int_equal(node_in_use(*state, JOB, 0), PARENTS);
  assert_int_equal(child_end(&child), 0);
}

/* The driver's memory ends with the old program, and so does its reservation. */
static void exec_releases_everything(void **state) {
  struct node *node = *state;
  struct child child;
  begin(&child, node);
  pid_t pid = (pid_t)child_ask(&child, "pid");
  child_tell(&child, "exec");
  assert_int_equal(child_ask(&child, "pid"), pid);
  expect_nothing_left(node);
  assert_int_equal(child_ask(&child, "begin"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)CHILDS), 0);
  assert_int_equal(node_in_use(node, JOB, 0), CHILDS);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_end(&child), 0);
  expect_nothing_left(node);
}

/* --- a daemon that starts after closing every descriptor --- */
static void daemon_without_descriptors_is_charged(void **state) {
  struct node *node = *state;
  struct child child;
  char in[128], out[128];
  snprintf(in, sizeof in, "%s/in", node->dir);
  snprintf(out, sizeof out, "%s/out", node->dir);
  assert_int_equal(mkfifo(in, 0600), 0);
  assert_int_equal(mkfifo(out, 0600), 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that its end can be waited for */
  node_job(node, JOB, GIB, SCHEDGPU_FOREVER);
  child_start(&child, node, &(struct start){.program = "process_program", .job = JOB});
  child_tell(&child, "daemon %s %s", in, out);
  struct child daemon = {.to = open(in, O_WRONLY), .from = open(out, O_RDONLY)};
  pid_t pid = (pid_t)child_answer(&daemon);
  assert_int_not_equal(pid, child.pid);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_ask(&daemon, "begin"), 0);
  expect_charged_to(node, JOB, &daemon);
  assert_int_equal(child_ask(&daemon, "alloc 0 4096"), 0);
  child_tell(&daemon, "end _exit");
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  close(daemon.to);
  close(daemon.from);
  expect_nothing_left(node);
}

/* --- threads, seen from outside while they run --- */
static void expect_never_over_budget(struct node *node, int rounds, uint64_t bytes, int refusals) {
  struct child child;
  begin(&child, node);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  child_tell(&child, "storm 64 %d %llu", rounds, (unsigned long long)bytes);
  struct pollfd ready = {.fd = child.from, .events = POLLIN};
  do {
    assert_true(node_in_use(node, JOB, 0) <= GIB);
    node_check(node);
  } while (poll(&ready, 1, 1) == 0);
  assert_int_equal(child_answer(&child), 0);
  assert_int_equal(child_ask(&child, "refusals"), refusals);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_end(&child), 0);
}

static void sixty_four_threads_stay_within_the_budget(void **state) {
  expect_never_over_budget(*state, 100, MIB, 0);
}

/* Together they want eight times the budget. */
static void sixty_four_threads_with_large_requests_stay_within_it(void **state) {
  expect_never_over_budget(*state, 100, GIB / 8, 100 * (64 - 8));
}

/* --- ends --- */
static void expect_end(struct node *node, const char *how, int status) {
  struct child child;
  begin(&child, node);
  child_tell(&child, "end %s", how);
  assert_int_equal(child_end(&child), status);
  assert_int_equal(child_said(&child, ""), 0);
  expect_nothing_left(node);
}

static void end_by_exit(void **state) {
  expect_end(*state, "exit", 7);
}
static void end_by__exit(void **state) {
  expect_end(*state, "_exit", 7);
}
static void end_by_quick_exit(void **state) {
  expect_end(*state, "quick_exit", 7);
}
static void end_by_abort(void **state) {
  expect_end(*state, "abort", 128 + SIGABRT);
}
static void end_by_sigkill(void **state) {
  expect_end(*state, "kill", 128 + SIGKILL);
}
static void end_by_a_thread(void **state) {
  expect_end(*state, "thread", 7);
}
static void end_after_the_main_thread(void **state) {
  expect_end(*state, "main-thread-first", 7);
}

/* CUDA calls from exit handlers work as long as the driver does. */
static void expect_late_calls_work(struct node *node, const char *where) {
  struct child child;
  begin(&child, node);
  child_tell(&child, "end-freeing-in %s 0", where);
  assert_int_equal(child_answer(&child), 0);
  assert_int_equal(child_number(&child, 1), 0);
  assert_int_equal(child_end(&child), 7);
  assert_int_equal(child_said(&child, ""), 0);
  expect_nothing_left(node);
}

static void memory_is_freed_in_an_atexit_handler(void **state) {
  expect_late_calls_work(*state, "atexit");
}
static void memory_is_freed_in_a_quick_exit_handler(void **state) {
  expect_late_calls_work(*state, "quick_exit");
}
static void memory_is_freed_in_a_destructor(void **state) {
  expect_late_calls_work(*state, "destructor");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(fork_and_exec),
      NODE_TEST(vfork_and_exec),
      NODE_TEST(posix_spawned),
      NODE_TEST(fork_while_a_thread_walks_the_libraries),
      NODE_TEST(exec_releases_everything),
      NODE_TEST(daemon_without_descriptors_is_charged),
      NODE_TEST(sixty_four_threads_stay_within_the_budget),
      NODE_TEST(sixty_four_threads_with_large_requests_stay_within_it),
      NODE_TEST(end_by_exit),
      NODE_TEST(end_by__exit),
      NODE_TEST(end_by_quick_exit),
      NODE_TEST(end_by_abort),
      NODE_TEST(end_by_sigkill),
      NODE_TEST(end_by_a_thread),
      NODE_TEST(end_after_the_main_thread),
      NODE_TEST(memory_is_freed_in_an_atexit_handler),
      NODE_TEST(memory_is_freed_in_a_quick_exit_handler),
      NODE_TEST(memory_is_freed_in_a_destructor),
  };
  return cmocka_run_group_tests_name("processes", tests, NULL, NULL);
}
