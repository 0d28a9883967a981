/*
 * Cases 3 and 4: forks at every moment, with and without handlers, and descriptors that the
 * application closes and reuses.
 */
#include "robustness.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/** Replaces the system's function, so that a thread can be stopped between mmap and
 * MADV_DONTFORK. */
static void (*_Atomic at_slot_madvise)(void);

int madvise(void *address, size_t length, int advice) {
  void (*hook)(void) = atomic_load(&at_slot_madvise);
  if (hook && advice == MADV_DONTFORK && length == 4096)
    hook();
  return (int)syscall(SYS_madvise, address, length, advice);
}

static atomic_bool must_fork, has_forked;
static bool forked_inside;
static pid_t forked;

static void *forks_on_command(void *unused) {
  while (!atomic_load(&must_fork))
    nap_ms(1);
  forked = fork();
  if (forked == 0) /* lives on after its parent was killed */
    for (;;)
      pause();
  atomic_store(&has_forked, true);
  return unused;
}

/** Between the two calls, the fork of the other thread must wait, however long. */
static void let_fork(void) {
  atomic_store(&must_fork, true);
  for (int i = 0; i < 200 && !atomic_load(&has_forked); i++)
    nap_ms(1);
  forked_inside = atomic_load(&has_forked);
}

static void is_forked_while_attaching(int write_fd, int read_fd) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, forks_on_command, NULL) != 0)
    _exit(5);
  atomic_store(&at_slot_madvise, let_fork);
  reserve_six();
  atomic_store(&at_slot_madvise, NULL);
  pthread_join(thread, NULL);
  send_byte(write_fd, forked_inside ? 'x' : 'o');
  if (write(write_fd, &forked, sizeof forked) != sizeof forked)
    _exit(7);
  receive_byte(read_fd);
}

static void case_03_a_fork_racing_attach_keeps_nothing_alive(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child a = child_start(1, is_forked_while_attaching);
  char when = receive_byte(a.from);
  pid_t grandchild;
  assert_int_equal(read(a.from, &grandchild, sizeof grandchild), sizeof grandchild);
  child_kill(&a);
  uint32_t dead = reap(&n);
  kill(grandchild, SIGKILL);
  assert_int_equal(when, 'o');
  assert_int_equal(dead, 1);
  end_empty(&n);
}

/** Runs no fork handlers: the wiped page must be enough. */
static pid_t raw_clone(void) {
  return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void clones_raw(int write_fd, int read_fd) {
  reserve_six();
  pid_t pid = raw_clone();
  if (pid == 0) {
    bool detached = !schedgpu_is_attached() && schedgpu_detach() == SCHEDGPU_OK &&
                    schedgpu_release(0, GIB) == SCHEDGPU_EUNDERFLOW &&
                    schedgpu_reserve(0, GIB, 0) == SCHEDGPU_OK;
    send_byte(write_fd, detached ? 'd' : 'x');
    receive_byte(read_fd);
    syscall(SYS_exit_group, 0);
  }
  waitpid(pid, NULL, 0);
  send_byte(write_fd, schedgpu_release(0, 6 * GIB) == SCHEDGPU_OK ? 'r' : 'x'); /* is what it was */
  receive_byte(read_fd);
}

static void case_03_after_a_raw_clone_the_child_attaches_again(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child a = child_start(1, clones_raw);
  assert_int_equal(receive_byte(a.from), 'd');
  assert_int_equal(node_used(&n), 7 * GIB);
  send_byte(a.to, 'e');
  assert_int_equal(receive_byte(a.from), 'r');
  assert_int_equal(reap(&n), 1);
  assert_int_equal(node_used(&n), 0);
  child_kill(&a);
  end_empty(&n);
}

static void clones_raw_and_is_killed(int write_fd, int read_fd) {
  reserve_six();
  pid_t pid = raw_clone();
  if (pid == 0) {
    send_byte(write_fd, 'c');
    receive_byte(read_fd);
    syscall(SYS_exit_group, 0);
  }
  for (;;)
    pause();
}

static void case_03_a_raw_clone_keeps_nothing_alive(void **state) {
  (void)state;
  struct node n = node_with_jobs(1, ONDEMAND);
  struct child a = child_start(1, clones_raw_and_is_killed);
  assert_int_equal(receive_byte(a.from), 'c');
  kill(a.pid, SIGKILL);
  waitpid(a.pid, NULL, 0);
  assert_int_equal(reap(&n), 1);
  close(a.to);
  assert_int_equal(receive_byte(a.from), '.');
  close(a.from);
  end_empty(&n);
}

static int observer_write_fd, observer_read_fd;

/** The waiting thread stays here, without a lock, until the test lets it continue. */
static void hold_the_waiter(const struct schedgpu_wait_notice *notice, void *unused) {
  (void)unused;
  if (notice->ended)
    return;
  send_byte(observer_write_fd, 'w');
  receive_byte(observer_read_fd);
}

static void *wait_for_six(void *unused) {
  schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER);
  return unused;
}

/** One thread waits while the other forks; the child makes every call itself. */
static void forks_while_a_thread_waits(int write_fd, int read_fd) {
  pthread_t thread;
  char go_on[1];
  int to_observer[2];
  if (pipe(to_observer) != 0)
    _exit(5);
  observer_write_fd = write_fd;
  observer_read_fd = to_observer[0];
  schedgpu_set_wait_observer(hold_the_waiter, NULL);
  if (pthread_create(&thread, NULL, wait_for_six, NULL) != 0)
    _exit(5);
  receive_byte(read_fd);
  pid_t pid = fork();
  if (pid == 0) {
    struct schedgpu_info info;
    schedgpu_set_wait_observer(NULL, NULL);
    bool ok = !schedgpu_is_attached() && schedgpu_query(0, &info) == SCHEDGPU_OK &&
              info.own_used_bytes == 0 && schedgpu_reserve(0, GIB, 0) == SCHEDGPU_EWOULDBLOCK &&
              schedgpu_context_enter(0, 0) == SCHEDGPU_OK &&
              schedgpu_context_leave(0) == SCHEDGPU_OK && schedgpu_detach() == SCHEDGPU_OK;
    _exit(ok ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  send_byte(write_fd, WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 'f' : 'x');
  go_on[0] = 'g';
  if (write(to_observer[1], go_on, 1) != 1)
    _exit(6);
  pthread_join(thread, NULL);
  send_byte(write_fd, 'g');
  receive_byte(read_fd);
}

static void case_03_a_child_forked_while_a_thread_waits_uses_the_library_by_itself(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child holder = start_holder(1);
  struct child a = child_start(2, forks_while_a_thread_waits);
  assert_int_equal(receive_byte(a.from), 'w');
  await_waiting(&n, 1);
  send_byte(a.to, 'f');
  assert_int_equal(receive_byte(a.from), 'f');
  child_kill(&holder);
  assert_int_equal(receive_byte(a.from), 'g');
  child_kill(&a);
  end_empty(&n);
}

/* --- case 4 --- */

#define REUSED 40

/** Files of the program, on all numbers that the library might remember. */
static bool open_own_files(int *fd) {
  char name[16];
  for (int i = 0; i < REUSED; i++) {
    snprintf(name, sizeof name, "own %d", i);
    fd[i] = memfd_create(name, 0);
    if (fd[i] < 0 || write(fd[i], name, sizeof name) != sizeof name)
      return false;
  }
  return true;
}

/** True if they are neither closed, nor replaced, written, or locked. */
static bool own_files_untouched(const int *fd) {
  char name[16], text[16], path[32];
  for (int i = 0; i < REUSED; i++) {
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(name, sizeof name, "own %d", i);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd[i]);
    int other = open(path, O_RDWR);
    if (pread(fd[i], text, sizeof text, 0) != sizeof text || strcmp(text, name) != 0 || other < 0 ||
        fcntl(other, F_OFD_GETLK, &l) != 0 || l.l_type != F_UNLCK)
      return false;
    close(other);
  }
  return true;
}

static void closes_and_opens(int write_fd, int read_fd) {
  int fd[REUSED];
  if (schedgpu_reserve(0, GIB, 0) != SCHEDGPU_OK || dup2(read_fd, 0) != 0 || dup2(write_fd, 1) != 1)
    _exit(5);
  closefrom(3);
  bool ok = open_own_files(fd);
  send_byte(1, 'c');
  receive_byte(0);
  /* waits, scans for dead clients, takes the lock over, detaches, attaches again */
  ok &= schedgpu_reserve(0, 5 * GIB, SCHEDGPU_FOREVER) == SCHEDGPU_OK && own_files_untouched(fd);
  ok &= schedgpu_release(0, 6 * GIB) == SCHEDGPU_OK && schedgpu_detach() == SCHEDGPU_OK;
  ok &= schedgpu_reserve(0, 6 * GIB, 0) == SCHEDGPU_OK && own_files_untouched(fd);
  send_byte(1, ok ? 'o' : 'x');
  receive_byte(0);
}

static void case_04_after_closefrom_the_applications_new_descriptors_are_its_own(void **state) {
  (void)state;
  struct node n = node_with_jobs(2, ONDEMAND);
  struct child a = child_start(1, closes_and_opens);
  assert_int_equal(receive_byte(a.from), 'c');
  struct child holder = start_holder(2);
  assert_int_equal(reap(&n), 0);
  send_byte(a.to, 'g');
  await_waiting(&n, 1);
  child_kill(&holder);
  assert_int_equal(receive_byte(a.from), 'o');
  assert_int_equal(reap(&n), 0); /* other processes see it alive */
  child_kill(&a);
  assert_int_equal(reap(&n), 1);
  end_empty(&n);
}

int main(void) {
  alarm(600);
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(case_03_a_fork_racing_attach_keeps_nothing_alive),
      cmocka_unit_test(case_03_after_a_raw_clone_the_child_attaches_again),
      cmocka_unit_test(case_03_a_raw_clone_keeps_nothing_alive),
      cmocka_unit_test(case_03_a_child_forked_while_a_thread_waits_uses_the_library_by_itself),
      cmocka_unit_test(case_04_after_closefrom_the_applications_new_descriptors_are_its_own),
  };
  return cmocka_run_group_tests_name("cases 3 and 4: forks and descriptors", tests, NULL, NULL);
}
