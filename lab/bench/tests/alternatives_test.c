/*
 * alternatives_test.c - all approaches do the same work; and the effect of a client that dies
 * between lock and unlock. The paper rejected the mutex because of that ("abandonment", section
 * 3.2): this test shows it.
 */
#include "../native/alternatives/approach.h"
#include "../native/alternatives/client_server.h"
#include "../native/alternatives/mutex_condition.h"
#include "../native/support/bench_node.h"
#include "../../../libschedgpu/shell/shell.h"
#include <sys/syscall.h>

#define WHOLE APPROACH_TOTAL_BYTES

static const struct schedgpu_approach *approach; /**< the approach of the running test */

static int set_up(void **state) {
  approach = *state;
  if (approach == &approach_client_server && !client_server_possible())
    skip();
  approach->set_up();
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  approach->tear_down();
  return 0;
}

/** Obeys commands: i(nit), r(eserve), f(ree), s(hutdown), d(ie with the lock). */
static void obey(int answers, int commands) {
  if (approach->become_client)
    approach->become_client();
  for (char c = receive_byte(commands); c != '.'; c = receive_byte(commands)) {
    int rc = SCHEDGPU_EINVAL;
    if (c == 'i')
      rc = approach->init();
    if (c == 'r')
      rc = approach->reserve(WHOLE, SCHEDGPU_FOREVER);
    if (c == 'f')
      rc = approach->release(WHOLE);
    if (c == 's')
      rc = approach->shutdown();
    if (c == 'd') {
      approach->take_lock();
      raise(SIGKILL);
    }
    send_byte(answers, rc == SCHEDGPU_OK ? 'y' : 'n');
  }
}

static struct child client(void) {
  struct child c = child_start(1, obey);
  send_byte(c.to, 'i');
  assert_int_equal(receive_byte(c.from), 'y');
  return c;
}

static void expect(struct child *c, char command) {
  send_byte(c->to, command);
  assert_int_equal(receive_byte(c->from), 'y');
}

/** True if a process sleeps in one of these system calls; where the kernel does not say, in any. */
static bool sleeps_in(pid_t pid, const long *calls, int count) {
  char path[64], text[64];
  snprintf(path, sizeof path, "/proc/%d/syscall", (int)pid);
  FILE *file = fopen(path, "r");
  bool readable = file && fgets(text, sizeof text, file);
  if (file)
    fclose(file);
  if (!readable)
    return sg_proc_state(pid) == 'S';
  for (int i = 0; i < count; i++)
    if (strncmp(text, "running", 7) != 0 && strtol(text, NULL, 10) == calls[i])
      return true;
  return false;
}

static void await_sleep(pid_t pid, const long *calls, int count) {
  while (!sleeps_in(pid, calls, count))
    nap_ms(1);
}

/** Waits until the process sleeps in the queue. */
static void await_wait(pid_t pid) {
  static const long calls[] = {SYS_futex, SYS_rt_sigtimedwait};
  await_sleep(pid, calls, 2);
}

static void a_release_serves_the_waiter_of_each_approach(void **state) {
  (void)state;
  struct child holder = client(), waiter = client();
  expect(&holder, 'r');
  send_byte(waiter.to, 'r');
  await_wait(waiter.pid);
  expect(&holder, 'f');
  assert_int_equal(receive_byte(waiter.from), 'y');
  expect(&waiter, 's');
  expect(&holder, 's');
  child_kill(&holder);
  child_kill(&waiter);
}

static void memory_of_a_killed_client_goes_to_the_waiter_of_each_approach(void **state) {
  (void)state;
  struct child holder = client(), waiter = client();
  expect(&holder, 'r');
  send_byte(waiter.to, 'r');
  await_wait(waiter.pid);
  child_kill(&holder);
  assert_int_equal(receive_byte(waiter.from), 'y');
  child_kill(&waiter);
}

/** A client dies with the lock. Then an older client and a new one ask. */
static void die_with_the_lock(struct child *other) {
  *other = client();
  struct child owner = client();
  send_byte(owner.to, 'd');
  assert_int_equal(child_wait(&owner), 128 + SIGKILL);
}

static void others_go_on_after_a_death_with_the_lock(void **state) {
  (void)state;
  struct child other;
  die_with_the_lock(&other);
  expect(&other, 'r');
  expect(&other, 'f');
  struct child newcomer = client();
  expect(&newcomer, 'r');
  child_kill(&newcomer);
  child_kill(&other);
}

/** The owner that a mutex names in its memory. */
static pid_t owner_of(const pthread_mutex_t *mutex) {
  return *(const volatile int *)&mutex->__data.__owner;
}

static void a_mutex_is_abandoned(void **state) {
  (void)state;
  static const long futex[] = {SYS_futex};
  struct child other = client(), owner = client();
  const pthread_mutex_t *mutex = &mutex_condition_shared()->mutex;
  send_byte(owner.to, 'd');
  pid_t dead = owner.pid;
  assert_int_equal(child_wait(&owner), 128 + SIGKILL);
  send_byte(other.to, 'r');
  await_sleep(other.pid, futex, 1);
  assert_int_equal(kill(dead, 0), -1); /* its owner has ended and was reaped */
  /* the mutex still names that owner, so no process can free it */
  assert_int_equal(owner_of(mutex), dead);
  assert_true(sleeps_in(other.pid, futex, 1));
  child_kill(&other);
}

#define WITH(function, which)                                                                      \
  { #function " (" #which ")", function, set_up, tear_down, (void *)(uintptr_t)&approach_##which }

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH(a_release_serves_the_waiter_of_each_approach, ours),
      WITH(a_release_serves_the_waiter_of_each_approach, file_lock),
      WITH(a_release_serves_the_waiter_of_each_approach, mutex_condition),
      WITH(a_release_serves_the_waiter_of_each_approach, client_server),
      WITH(memory_of_a_killed_client_goes_to_the_waiter_of_each_approach, ours),
      WITH(memory_of_a_killed_client_goes_to_the_waiter_of_each_approach, file_lock),
      WITH(memory_of_a_killed_client_goes_to_the_waiter_of_each_approach, mutex_condition),
      WITH(memory_of_a_killed_client_goes_to_the_waiter_of_each_approach, client_server),
      WITH(others_go_on_after_a_death_with_the_lock, ours),
      WITH(others_go_on_after_a_death_with_the_lock, file_lock),
      WITH(a_mutex_is_abandoned, mutex_condition),
  };
  return cmocka_run_group_tests_name("alternatives", tests, NULL, NULL);
}
