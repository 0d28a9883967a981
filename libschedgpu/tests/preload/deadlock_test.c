/*
 * Two programs that hold device memory and ask for more, after Figure 6 of the Salus paper: 11 GiB
 * each of 16, in steps of 1, 3, 3 and 4 GiB. After the third both need 4 more and 1.5 are free.
 */
#include "fixture.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define A 12
#define B 13
#define PEAK (11 * GIB)
#define OUT_OF_MEMORY 2
#define LAST_STEP 3

static const uint64_t steps[] = {GIB, 3 * GIB, 3 * GIB, 4 * GIB};

static void start_both(struct node *node, struct child *a, struct child *b) {
  node_job_ondemand(node, A, PEAK, SCHEDGPU_FOREVER, 1);
  node_job_ondemand(node, B, PEAK, SCHEDGPU_FOREVER, 1);
  start_driver_program(a, node, A);
  start_driver_program(b, node, B);
}

static void tell_step(struct child *child, int step) {
  child_tell(child, "alloc %d %llu", step, (unsigned long long)steps[step]);
}

static long long ask_step(struct child *child, int step) {
  tell_step(child, step);
  return child_answer(child);
}

static void free_steps(struct child *child, int count) {
  for (int step = 0; step < count; step++)
    assert_int_equal(child_ask(child, "free %d", step), 0);
}

/** Reads the only line that the program printed. */
static void read_only_line(const struct child *child, char *line, size_t size) {
  FILE *file = fopen(child->errors, "r");
  assert_non_null(file);
  assert_non_null(fgets(line, (int)size, file));
  assert_int_equal(fgetc(file), EOF);
  fclose(file);
}

static void expect_refusal_reported(const struct child *child) {
  char line[512], expected[512];
  unsigned uid = (unsigned)getuid();
  snprintf(expected, sizeof expected,
           "schedgpu: 4.0 GiB on device 0 cannot be granted, because every process that holds "
           "memory would wait (job 12 (uid %u) holds 7.3 GiB and waits for 4.0 GiB, job 13 (uid "
           "%u, this one) holds 7.3 GiB): declare the peak with --schedgpu-mem\n",
           uid, uid);
  read_only_line(child, line, sizeof line);
  assert_string_equal(line, expected);
}

static void detect_refuses_the_cycle_and_names_the_holders(void **state) {
  struct child a, b;
  start_both(*state, &a, &b);
  for (int step = 0; step < LAST_STEP; step++) {
    assert_int_equal(ask_step(&a, step), 0);
    assert_int_equal(ask_step(&b, step), 0);
  }
  tell_step(&a, LAST_STEP);
  node_await_waiting(*state, 0, 1);
  for (int again = 0; again < 3; again++)
    assert_int_equal(ask_step(&b, LAST_STEP), OUT_OF_MEMORY);
  expect_refusal_reported(&b);
  free_steps(&b, LAST_STEP); /* as a program does after out of memory */
  assert_int_equal(child_answer(&a), 0);
  assert_int_equal(child_said(&a, "cannot be granted"), 0);
  node_check(*state);
}

static void avoid_refuses_none_and_both_finish(void **state) {
  struct child a, b;
  start_both(*state, &a, &b);
  for (int step = 0; step < 2; step++) {
    assert_int_equal(ask_step(&a, step), 0);
    assert_int_equal(ask_step(&b, step), 0);
  }
  assert_int_equal(ask_step(&a, 2), 0);
  tell_step(&b, 2); /* 4.5 GiB are free, and must stay free: without them A could not finish */
  node_await_waiting(*state, 0, 1);
  assert_int_equal(ask_step(&a, LAST_STEP), 0);
  free_steps(&a, LAST_STEP + 1);
  assert_int_equal(child_answer(&b), 0);
  assert_int_equal(ask_step(&b, LAST_STEP), 0);
  assert_int_equal(child_said(&a, "schedgpu"), 0);
  assert_int_equal(child_said(&b, "cannot be granted"), 0);
  assert_int_equal(child_said(&b, "schedgpu: got 3.0 GiB on device 0"), 1);
  free_steps(&b, LAST_STEP + 1);
  node_check(*state);
}

static int set_up_avoid(void **state) {
  static struct node node;
  node_up_with_rule(&node, 1, SCHEDGPU_DEADLOCK_AVOID);
  *state = &node;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(detect_refuses_the_cycle_and_names_the_holders),
      cmocka_unit_test_setup_teardown(avoid_refuses_none_and_both_finish, set_up_avoid, tear_down),
  };
  return cmocka_run_group_tests_name("deadlock", tests, NULL, NULL);
}
