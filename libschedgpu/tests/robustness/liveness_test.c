/*
 * Case 2: which processes are dead. One test per row of the table by which the mapped lock was
 * chosen. Each client holds 6 GiB, so the memory that a reap frees shows the decision too.
 */
#include "robustness.h"
#include <pthread.h>
#include <sys/syscall.h>

static void expect_alive(struct node *n) {
  assert_int_equal(reap(n), 0);
  assert_int_equal(node_used(n), 6 * GIB);
}

static void expect_dead(struct node *n) {
  assert_int_equal(reap(n), 1);
  assert_int_equal(node_used(n), 0);
}

static struct child start_client(struct node *n, void (*body)(int say, int hear), char said) {
  *n = node_with_jobs(1, ONDEMAND);
  struct child c = child_start(1, body);
  assert_int_equal(receive_byte(c.from), said);
  return c;
}

static void end_client(struct node *n, struct child *c) {
  child_kill(c);
  end_empty(n);
}

static void case_02_a_stopped_process_is_alive(void **state) {
  (void)state;
  struct node n;
  struct child c = start_client(&n, holds_six, 'h');
  stop_child(&c);
  expect_alive(&n);
  kill(c.pid, SIGCONT);
  expect_alive(&n);
  end_client(&n, &c);
}

static void case_02_a_zombie_is_dead(void **state) {
  (void)state;
  struct node n;
  struct child c = start_client(&n, holds_six, 'h');
  siginfo_t info;
  kill(c.pid, SIGKILL);
  assert_int_equal(waitid(P_PID, (id_t)c.pid, &info, WEXITED | WNOWAIT), 0);
  assert_int_equal(sg_proc_state(c.pid), 'Z');
  expect_dead(&n);
  end_client(&n, &c);
}

static void case_02_a_killed_and_reaped_process_is_dead(void **state) {
  (void)state;
  struct node n;
  struct child c = start_client(&n, holds_six, 'h');
  child_kill(&c);
  expect_dead(&n);
  end_empty(&n);
}

/** A forked child is not a client: it holds nothing, and does not keep its parent's client
 * alive. */
static void forks(int write_fd, int read_fd) {
  reserve_six();
  if (fork() == 0) {
    bool detached = !schedgpu_is_attached() && schedgpu_release(0, GIB) == SCHEDGPU_EUNDERFLOW;
    send_byte(write_fd, detached ? 'd' : 'x');
    receive_byte(read_fd); /* lives on after its parent was killed */
    _exit(0);
  }
  for (;;)
    pause();
}

static void case_02_a_killed_parent_is_dead_though_its_forked_child_lives(void **state) {
  (void)state;
  struct node n;
  struct child c = start_client(&n, forks, 'd');
  kill(c.pid, SIGKILL);
  waitpid(c.pid, NULL, 0);
  expect_dead(&n);
  close(c.to); /* the forked child ends only now */
  assert_int_equal(receive_byte(c.from), '.');
  close(c.from);
  end_empty(&n);
}

static void becomes_cat(int write_fd, int read_fd) {
  reserve_six();
  if (dup2(read_fd, 0) == 0 && dup2(write_fd, 1) == 1)
    execlp("cat", "cat", NULL);
  _exit(5);
}

static void case_02_exec_of_itself_is_a_death(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child c = child_start(1, becomes_cat);
  send_byte(c.to, 'e');
  assert_int_equal(receive_byte(c.from), 'e'); /* from here on it runs another program */
  expect_dead(&n);
  assert_int_equal(kill(c.pid, 0), 0);
  end_client(&n, &c);
}

static void runs_python(int write_fd, int read_fd) {
  char say_text[16], receive_text[16];
  snprintf(say_text, sizeof say_text, "%d", write_fd);
  snprintf(receive_text, sizeof receive_text, "%d", read_fd);
  execlp("python3", "python3", SOURCES "/multiprocessing_client.py", LIBRARY, say_text,
         receive_text, NULL);
  send_byte(write_fd, 's');
  _exit(0);
}

/** The parent holds 6 GiB and its worker 1 GiB; both are Python. */
static void
case_02_multiprocessing_fork_a_killed_parent_is_dead_and_its_worker_lives(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child c = child_start(1, runs_python);
  char said = receive_byte(c.from);
  if (said == 's') {
    child_kill(&c);
    node_free(&n);
    skip_because("there is no python3");
  }
  assert_int_equal(said, 'h');
  assert_int_equal(receive_byte(c.from), 'w');
  assert_int_equal(node_used(&n), 7 * GIB);
  kill(c.pid, SIGKILL);
  waitpid(c.pid, NULL, 0);
  assert_int_equal(reap(&n), 1);
  assert_int_equal(node_used(&n), GIB);
  close(c.to);
  assert_int_equal(receive_byte(c.from), '.');
  close(c.from);
  await_one_dead(&n);
  end_empty(&n);
}

static void closes_all(int write_fd, int read_fd) {
  reserve_six();
  if (dup2(read_fd, 0) != 0 || dup2(write_fd, 1) != 1)
    _exit(5);
  closefrom(3);
  send_byte(1, 'h');
  receive_byte(0);
  send_byte(1, schedgpu_release(0, 6 * GIB) == SCHEDGPU_OK ? 'r' : 'x');
  receive_byte(0);
}

static void case_02_closefrom_is_not_a_death(void **state) {
  (void)state;
  struct node n;
  struct child c = start_client(&n, closes_all, 'h');
  expect_alive(&n);
  send_byte(c.to, 'f');
  assert_int_equal(receive_byte(c.from), 'r');
  end_client(&n, &c);
}

static void opens_and_closes_the_liveness_file(int write_fd, int read_fd) {
  char path[PATH_MAX];
  reserve_six();
  snprintf(path, sizeof path, "%s/" SG_LIVE_FILE, getenv("SCHEDGPU_RUN_DIR"));
  int fd = open(path, O_RDWR | O_CLOEXEC);
  send_byte(write_fd, fd >= 0 && close(fd) == 0 ? 'h' : 'x');
  receive_byte(read_fd);
}

static void case_02_opening_and_closing_the_liveness_file_is_not_a_death(void **state) {
  (void)state;
  struct node n;
  struct child c = start_client(&n, opens_and_closes_the_liveness_file, 'h');
  expect_alive(&n);
  end_client(&n, &c);
}

static void *reserve_in_thread(void *unused) {
  reserve_six();
  return unused;
}

static void reserves_in_a_thread_that_ends(int write_fd, int read_fd) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, reserve_in_thread, NULL) != 0)
    _exit(5);
  pthread_join(thread, NULL);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
}

static void case_02_the_end_of_the_registering_thread_is_not_a_death(void **state) {
  (void)state;
  struct node n;
  struct child c = start_client(&n, reserves_in_a_thread_that_ends, 'h');
  expect_alive(&n);
  end_client(&n, &c);
}

static int thread_write_fd, thread_read_fd;

static void *outlives_the_main_thread(void *unused) {
  /* the state of a process without its main thread in /proc */
  while (sg_proc_state(getpid()) != 'Z')
    nap_ms(1);
  send_byte(thread_write_fd, 'h');
  receive_byte(thread_read_fd);
  send_byte(thread_write_fd, schedgpu_release(0, 6 * GIB) == SCHEDGPU_OK ? 'r' : 'x');
  receive_byte(thread_read_fd);
  _exit(0);
  return unused;
}

static void loses_its_main_thread(int write_fd, int read_fd) {
  pthread_t thread;
  reserve_six();
  thread_write_fd = write_fd;
  thread_read_fd = read_fd;
  if (pthread_create(&thread, NULL, outlives_the_main_thread, NULL) != 0)
    _exit(5);
  pthread_exit(NULL);
}

static void case_02_the_end_of_the_main_thread_is_not_a_death(void **state) {
  (void)state;
  struct node n;
  struct child c = start_client(&n, loses_its_main_thread, 'h');
  expect_alive(&n);
  send_byte(c.to, 'f');
  assert_int_equal(receive_byte(c.from), 'r');
  end_client(&n, &c);
}

/** Alive while it lives, dead when killed, whatever pid it has in its namespaces. */
static void judge_inner(int flags, const char *what) {
  struct node n = node_with_jobs(1, ONDEMAND);
  struct inner i = inner_start(1, flags, holds_six);
  char said = receive_byte(i.c.from);
  if (said == 's') {
    inner_kill(&i);
    node_free(&n);
    skip_because("the kernel does not give us %s", what);
  }
  assert_int_equal(said, 'h');
  expect_alive(&n);
  inner_kill(&i);
  assert_int_equal(kill(1, 0), 0); /* a live process here has the pid that it had there */
  expect_dead(&n);
  end_empty(&n);
}

static void case_02_killed_in_a_pid_namespace_with_shared_proc_is_dead(void **state) {
  (void)state;
  judge_inner(CLONE_NEWPID, "a PID namespace");
}

static void case_02_alive_in_user_pid_and_mount_namespaces_with_own_proc(void **state) {
  (void)state;
  judge_inner(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS, "user, PID and mount namespaces");
}

/** The child of a vfork runs in our memory until it execs ('x') or ends ('e'). */
static void is_in_a_vfork_window(int write_fd, int read_fd) {
  reserve_six();
  pid_t pid = vfork();
  if (pid == 0) {
    char c = 'v';
    if (write(write_fd, &c, 1) == 1 && read(read_fd, &c, 1) == 1 && c == 'x' &&
        dup2(read_fd, 0) == 0 && dup2(write_fd, 1) == 1)
      execlp("cat", "cat", NULL);
    _exit(0);
  }
  _exit(pid < 0);
}

/** While the vfork child runs in it, the memory of the killed process exists, and so do its open
 * devices: so calling it alive is right. It is dead when the child execs or ends. */
static void dies_in_a_vfork_window(char how) {
  struct node n;
  struct child c = start_client(&n, is_in_a_vfork_window, 'v');
  kill(c.pid, SIGKILL);
  waitpid(c.pid, NULL, 0);
  expect_alive(&n);
  send_byte(c.to, how);
  if (how == 'x') {
    send_byte(c.to, 'c');
    assert_int_equal(receive_byte(c.from), 'c');
    expect_dead(&n);
  } else {
    await_one_dead(&n);
  }
  close(c.to);
  assert_int_equal(receive_byte(c.from), '.');
  close(c.from);
  end_empty(&n);
}

static void case_02_killed_in_a_vfork_window_is_dead_once_the_child_execs(void **state) {
  (void)state, dies_in_a_vfork_window('x');
}
static void case_02_killed_in_a_vfork_window_is_dead_once_the_child_ends(void **state) {
  (void)state, dies_in_a_vfork_window('e');
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_02_a_stopped_process_is_alive),
      cmocka_unit_test(case_02_a_zombie_is_dead),
      cmocka_unit_test(case_02_a_killed_and_reaped_process_is_dead),
      cmocka_unit_test(case_02_a_killed_parent_is_dead_though_its_forked_child_lives),
      cmocka_unit_test(case_02_exec_of_itself_is_a_death),
      cmocka_unit_test(case_02_multiprocessing_fork_a_killed_parent_is_dead_and_its_worker_lives),
      cmocka_unit_test(case_02_closefrom_is_not_a_death),
      cmocka_unit_test(case_02_opening_and_closing_the_liveness_file_is_not_a_death),
      cmocka_unit_test(case_02_the_end_of_the_registering_thread_is_not_a_death),
      cmocka_unit_test(case_02_the_end_of_the_main_thread_is_not_a_death),
      cmocka_unit_test(case_02_killed_in_a_pid_namespace_with_shared_proc_is_dead),
      cmocka_unit_test(case_02_alive_in_user_pid_and_mount_namespaces_with_own_proc),
      cmocka_unit_test(case_02_killed_in_a_vfork_window_is_dead_once_the_child_execs),
      cmocka_unit_test(case_02_killed_in_a_vfork_window_is_dead_once_the_child_ends),
  };
  return cmocka_run_group_tests_name("case 2: who is dead", tests, NULL, NULL);
}
