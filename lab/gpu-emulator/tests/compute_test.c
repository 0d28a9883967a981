/*
 * compute_test.c - how kernels share the device, with a clock of the test: every number is exact.
 */
#include "test_support.h"
#include "../src/shared/compute.h"

enum { MS = 1000000 };
static const uint64_t start_ns = 1000000ull * MS;

static struct shared_state *state;

static int setup(void **unused) {
  setup_state(unused);
  state = state_open_at(getenv("EMULATED_GPU_STATE"));
  if (!state)
    return -1;
  for (unsigned slot = 0; slot < 4; slot++)
    state->owners[slot].pid = getpid(); /* a live process, so that it is not buried */
  state->owners_high = 4;
  compute_advance(state, 0, start_ns);
  return 0;
}

static int teardown(void **unused) {
  state_close(state);
  return teardown_state(unused);
}

static uint64_t launch_after(unsigned slot, uint64_t ms, uint64_t after) {
  struct task task = {.duration_ns = ms * MS, .after = after};
  int index = compute_submit(state, slot, &task);
  assert_true(index >= 0);
  return 1ull << index;
}

static uint64_t launch(unsigned slot, uint64_t ms) {
  return launch_after(slot, ms, 0);
}

static void advance_ms(uint64_t ms) {
  compute_advance(state, 0, start_ns + ms * MS);
}

/* Expects that a task finished at this time, in ms since the start. */
static void assert_finished(unsigned slot, uint64_t task, uint64_t ms) {
  assert_true(state->tasks_finished[slot] & task);
  assert_int_equal(state->tasks[slot][lowest_bit(task)].finished_ns, start_ns + ms * MS);
}

static uint64_t busy_ms(void) {
  return compute_busy_ns(state, 0) / MS;
}

static void lone_kernel_lasts_its_duration(void **unused) {
  (void)unused;
  uint64_t task = launch(0, 200);
  advance_ms(199);
  assert_int_equal(compute_unfinished(state, 0), task);
  assert_int_equal(compute_next_finish_ns(state, 0), MS);
  advance_ms(1000);
  assert_finished(0, task, 200);
  assert_int_equal(busy_ms(), 200);
}

static void two_processes_halve_each_other(void **unused) {
  (void)unused;
  uint64_t a = launch(0, 200), b = launch(1, 200);
  advance_ms(1000);
  assert_finished(0, a, 400);
  assert_finished(1, b, 400);
  assert_int_equal(busy_ms(), 400);
}

static void short_kernel_leaves_the_rest_to_the_long_one(void **unused) {
  (void)unused;
  uint64_t lng = launch(0, 300), shrt = launch(1, 100);
  advance_ms(1000);
  assert_finished(1, shrt, 200);
  assert_finished(0, lng, 400);
  assert_int_equal(busy_ms(), 400);
}

static void latecomer_gets_a_share_from_its_launch_on(void **unused) {
  (void)unused;
  uint64_t first = launch(0, 200);
  advance_ms(100);
  uint64_t second = launch(1, 200);
  advance_ms(1000);
  assert_finished(0, first, 300);
  assert_finished(1, second, 400);
}

static void results_do_not_depend_on_the_reader(void **unused) {
  (void)unused;
  uint64_t a = launch(0, 70), b = launch(1, 110), c = launch(2, 30);
  for (uint64_t ms = 1; ms < 300; ms++)
    advance_ms(ms);
  /* a third each until 90; then half each until 170; then one alone */
  assert_finished(2, c, 90);
  assert_finished(0, a, 170);
  assert_finished(1, b, 210);
  assert_int_equal(busy_ms(), 210);
}

static void task_waits_for_its_predecessors(void **unused) {
  (void)unused;
  uint64_t first = launch(0, 50);
  uint64_t second = launch_after(0, 60, first);
  uint64_t third = launch_after(0, 10, first | second);
  advance_ms(1000);
  assert_finished(0, first, 50);
  assert_finished(0, second, 110);
  assert_finished(0, third, 120);
  assert_int_equal(busy_ms(), 120);
}

static void an_idle_device_is_not_busy(void **unused) {
  (void)unused;
  launch(0, 10);
  advance_ms(500);
  launch(0, 10);
  advance_ms(1000);
  assert_int_equal(busy_ms(), 20);
}

static void odd_shares_lose_nothing(void **unused) {
  (void)unused;
  struct task task = {.duration_ns = 1000};
  for (unsigned slot = 0; slot < 3; slot++)
    compute_submit(state, slot, &task);
  for (uint64_t ns = 1; ns <= 4000; ns += 7)
    compute_advance(state, 0, start_ns + ns);
  assert_int_equal(compute_busy_ns(state, 0), 3000);
}

static void kernels_of_dead_processes_stop(void **unused) {
  (void)unused;
  launch(0, 10000);
  advance_ms(100);
  state->owners[0].pid = 0x7ffffffe; /* no such process */
  advance_ms(5000);
  assert_int_equal(busy_ms(), 100);
  assert_int_equal(state->owners[0].pid, 0);
  assert_int_equal(compute_next_finish_ns(state, 0), UINT64_MAX);
}

static void survivor_has_the_device_to_itself(void **unused) {
  (void)unused;
  uint64_t task = launch(0, 100);
  launch(1, 10000);
  advance_ms(100);
  state->owners[1].pid = 0x7ffffffe;
  advance_ms(1000);
  assert_finished(0, task, 150);
  assert_int_equal(busy_ms(), 150);
}

static void sixty_four_tasks_and_no_more(void **unused) {
  (void)unused;
  struct task task = {.duration_ns = MS};
  for (int i = 0; i < MAX_TASKS; i++)
    assert_int_equal(compute_submit(state, 0, &task), i);
  assert_int_equal(compute_submit(state, 0, &task), -1);
  advance_ms(64);
  assert_int_equal(compute_unfinished(state, 0), 0);
  compute_forget(state, 0, 1ull << 5);
  assert_int_equal(compute_submit(state, 0, &task), 5);
}

static void utilization_is_of_the_last_full_period(void **unused) {
  (void)unused;
  launch(0, 50);
  advance_ms(200); /* the period that began at the start is complete */
  assert_int_equal(compute_utilization(state, 0), 25);
  launch(0, 1000);
  advance_ms(401);
  assert_int_equal(compute_utilization(state, 0), 100);
  advance_ms(60000);
  assert_int_equal(compute_utilization(state, 0), 0);
}

static void devices_are_independent(void **unused) {
  (void)unused;
  compute_advance(state, 1, start_ns);
  struct task there = {.duration_ns = 200 * MS, .device = 1};
  uint64_t here = launch(0, 200);
  compute_submit(state, 1, &there);
  advance_ms(1000);
  assert_finished(0, here, 200);
  assert_int_equal(compute_busy_ns(state, 1), 0);
  compute_advance(state, 1, start_ns + 100 * MS);
  assert_int_equal(compute_busy_ns(state, 1), 100 * MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(lone_kernel_lasts_its_duration),
      TEST(two_processes_halve_each_other),
      TEST(short_kernel_leaves_the_rest_to_the_long_one),
      TEST(latecomer_gets_a_share_from_its_launch_on),
      TEST(results_do_not_depend_on_the_reader),
      TEST(task_waits_for_its_predecessors),
      TEST(an_idle_device_is_not_busy),
      TEST(odd_shares_lose_nothing),
      TEST(kernels_of_dead_processes_stop),
      TEST(survivor_has_the_device_to_itself),
      TEST(sixty_four_tasks_and_no_more),
      TEST(utilization_is_of_the_last_full_period),
      TEST(devices_are_independent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
