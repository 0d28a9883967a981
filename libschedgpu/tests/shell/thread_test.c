/* One request of a process waits in the region; its other threads wait for their turn. */
#include "../support/node.h"
#include "../../shell/client/self.h"
#include <pthread.h>

enum { SOMEBODY_WAITS = 2 };

static struct node n;
static struct child holder;

static void holds_eight(int write_fd, int read_fd) {
  if (schedgpu_reserve(0, 8 * GIB, SCHEDGPU_FOREVER) != SCHEDGPU_OK)
    _exit(3);
  send_byte(write_fd, 'h');
  receive_byte(read_fd);
  if (schedgpu_release(0, 8 * GIB) != SCHEDGPU_OK)
    _exit(4);
  send_byte(write_fd, 'r');
  receive_byte(read_fd);
}

static int set_up(void **state) {
  (void)state;
  n = node_new(0, 0);
  node_job(&n, 1, SCHEDGPU_MODE_ONDEMAND, 0);
  node_job(&n, 2, SCHEDGPU_MODE_ONDEMAND, 0);
  holder = child_start(2, holds_eight);
  assert_int_equal(receive_byte(holder.from), 'h');
  be_job(1);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  assert_int_equal(schedgpu_detach(), SCHEDGPU_OK);
  child_kill(&holder);
  node_check(&n);
  node_free(&n);
  return 0;
}

static void let_holder_release(void) {
  send_byte(holder.to, 'f');
  assert_int_equal(receive_byte(holder.from), 'r');
}

static void *reserve_four(void *unused) {
  (void)unused;
  return (void *)(intptr_t)schedgpu_reserve(0, 4 * GIB, SCHEDGPU_FOREVER);
}

static pthread_t start_thread(void) {
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, reserve_four, NULL), 0);
  return thread;
}

static void assert_served(pthread_t thread) {
  void *rc;
  pthread_join(thread, &rc);
  assert_int_equal((intptr_t)rc, SCHEDGPU_OK);
}

static void threads_are_served_one_after_the_other(void **state) {
  (void)state;
  pthread_t first = start_thread(), second = start_thread();
  await_waiting(&n, 1);
  while (atomic_load(&sg_self()->thread) != SOMEBODY_WAITS)
    nap_ms(1);
  let_holder_release();
  assert_served(first);
  assert_served(second);
  assert_int_equal(node_used(&n), 8 * GIB);
}

static _Atomic uint32_t word;
static _Atomic int32_t sleeper;
static atomic_bool is_back;

static void *sleep_without_end(void *unused) {
  (void)unused;
  atomic_store(&sleeper, gettid());
  bool woken = sg_futex_wait(&word, 0, SG_NO_DEADLINE - sg_now_ns());
  atomic_store(&is_back, true);
  return (void *)(intptr_t)woken;
}

/** It does not wake up again and again: the end of the wait does not overflow. */
static void an_unlimited_wait_sleeps_until_it_is_woken(void **state) {
  (void)state;
  pthread_t thread;
  void *woken;
  assert_int_equal(pthread_create(&thread, NULL, sleep_without_end, NULL), 0);
  while (!atomic_load(&is_back) && sg_proc_state(atomic_load(&sleeper)) != 'S')
    nap_ms(1);
  atomic_store(&word, 1);
  sg_futex_wake(&word, 1);
  pthread_join(thread, &woken);
  assert_true((intptr_t)woken);
}

static void a_call_that_may_not_wait_fails_at_once(void **state) {
  (void)state;
  pthread_t first = start_thread();
  await_waiting(&n, 1);
  assert_int_equal(schedgpu_try_reserve(0, 4 * GIB), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(schedgpu_reserve(0, 4 * GIB, SCHEDGPU_NO_WAIT), SCHEDGPU_EWOULDBLOCK);
  let_holder_release();
  assert_served(first);
}

static void a_call_that_waits_too_long_for_its_turn_times_out(void **state) {
  (void)state;
  pthread_t first = start_thread();
  await_waiting(&n, 1);
  assert_int_equal(schedgpu_reserve(0, 4 * GIB, 20000000), SCHEDGPU_ETIMEDOUT);
  let_holder_release();
  assert_served(first);
  assert_int_equal(schedgpu_reserve(0, 4 * GIB, SCHEDGPU_FOREVER), SCHEDGPU_OK);
}

/** As after a wait that could not be settled. */
static void an_earlier_wait_does_not_refuse_a_new_request(void **state) {
  (void)state;
  assert_int_equal(schedgpu_attach(), SCHEDGPU_OK);
  struct sg_self *self = sg_self();
  struct sg_wakes wakes = {0};
  uint32_t left;
  struct sg_request q = {
      .client = self->h.slot, .bytes = 6 * GIB, .may_wait = true, .deadline_ns = SG_NO_DEADLINE};
  assert_int_equal(sg_lock(&self->h, -1), SCHEDGPU_OK);
  assert_int_equal(sg_ask(self->h.r, &q, sg_now_ns(), &left, &wakes), SCHEDGPU_EWOULDBLOCK);
  sg_unlock_and_wake(&self->h, &wakes);
  assert_int_equal(schedgpu_reserve(0, GIB, SCHEDGPU_FOREVER), SCHEDGPU_OK);
  await_waiting(&n, 0);
}

/** It takes the lock once, to be queued: `seq` counts two for that. */
static void a_call_that_waits_is_one_request(void **state) {
  (void)state;
  assert_int_equal(schedgpu_attach(), SCHEDGPU_OK);
  const struct sg_region *r = sg_self()->h.r;
  uint64_t before = atomic_load(&r->h.seq);
  pthread_t thread = start_thread();
  await_waiting(&n, 1);
  assert_int_equal(atomic_load(&r->h.seq), before + 2);
  let_holder_release();
  assert_served(thread);
}

int main(void) {
  alarm(600);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_call_that_waits_is_one_request, set_up, tear_down),
      cmocka_unit_test_setup_teardown(threads_are_served_one_after_the_other, set_up, tear_down),
      cmocka_unit_test(an_unlimited_wait_sleeps_until_it_is_woken),
      cmocka_unit_test_setup_teardown(a_call_that_may_not_wait_fails_at_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_call_that_waits_too_long_for_its_turn_times_out, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(an_earlier_wait_does_not_refuse_a_new_request, set_up,
                                      tear_down),
  };
  return cmocka_run_group_tests_name("turn", tests, NULL, NULL);
}
