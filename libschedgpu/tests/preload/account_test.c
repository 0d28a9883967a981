/* What is charged, when, and when it is released. */
#include "fixture.h"
#include <string.h>

#define JOB 12
#define INVALID_VALUE 1
#define OUT_OF_MEMORY 2
#define NOT_INITIALIZED 3
#define UNKNOWN 999

/* A scheduled program in a context on device 0. */
static struct child begin(struct node *node) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, node, JOB);
  return child;
}

static void expect_in_use(struct node *node, uint64_t bytes) {
  assert_int_equal(node_in_use(node, JOB, 0), bytes);
  node_check(node);
}

static void allocations_are_charged_in_units_of_512(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "alloc 0 1"), 0);
  expect_in_use(*state, 512);
  assert_int_equal(child_ask(&child, "alloc 1 513"), 0);
  expect_in_use(*state, 512 + 1024);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  expect_in_use(*state, 1024);
}

static void managed_memory_is_charged(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "managed 0 4096"), 0);
  expect_in_use(*state, 4096);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  expect_in_use(*state, 0);
}

static void pitch_is_charged_exactly(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "pitch 0 1000 300"), 0);
  assert_true(child_number(&child, 1) >= 1000);
  expect_in_use(*state, child_number(&child, 1) * 300);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  expect_in_use(*state, 0);
}

/* The driver's pitch is four times the guess: all of it is charged. */
static void pitch_larger_than_guessed_is_charged_exactly(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_with_interposer(&child, *state, JOB, "WIDER_ROWS=4");
  assert_int_equal(child_ask(&child, "pitch 0 1000 300"), 0);
  assert_true(child_number(&child, 1) >= 4000);
  expect_in_use(*state, child_number(&child, 1) * 300);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  expect_in_use(*state, 0);
}

/* The driver's rows are closer than guessed: exactly the excess reservation is released. */
static void pitch_smaller_than_guessed_is_charged_exactly(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_with_interposer(&child, *state, JOB, "NARROW_ROWS=1");
  assert_int_equal(child_ask(&child, "pitch 0 1000 300"), 0);
  assert_int_equal(child_number(&child, 1), 1000);
  expect_in_use(*state, (1000 * 300 + 511) / 512 * 512);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  expect_in_use(*state, 0);
}

static void pitch_that_overflows_is_out_of_memory(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "pitch 0 %llu %llu", 1ULL << 40, 1ULL << 40), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "schedgpu: job 12 asked for"), 1);
  expect_in_use(*state, 0);
}

static void physical_memory_is_charged_on_devices_only(void **state) {
  enum { ON_DEVICE = 1, ON_HOST = 2 };
  struct child child = begin(*state);
  assert_int_equal(
      child_ask(&child, "physical 0 %llu %d 0", (unsigned long long)(2 * MIB), ON_DEVICE), 0);
  expect_in_use(*state, 2 * MIB);
  child_ask(&child, "physical 1 %llu %d 0", (unsigned long long)(9 * GIB), ON_HOST);
  assert_int_equal(child_said(&child, "budget"), 0);
  expect_in_use(*state, 2 * MIB);
  assert_int_equal(child_ask(&child, "free-physical 0"), 0);
  expect_in_use(*state, 0);
}

static void empty_requests_charge_nothing(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "alloc 0 0"), INVALID_VALUE);
  assert_int_equal(child_ask(&child, "pitch 0 0 10"), INVALID_VALUE);
  expect_in_use(*state, 0);
}

/* --- frees --- */
static void double_free_is_passed_to_the_driver(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "alloc 1 4096"), 0);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(child_ask(&child, "free 0"), INVALID_VALUE);
  expect_in_use(*state, 4096);
}

static void unknown_address_is_passed_to_the_driver(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "free-address 0"), 0);
  assert_int_equal(child_ask(&child, "free-address 4711"), INVALID_VALUE);
  expect_in_use(*state, 0);
}

static void free_that_the_driver_refuses_stays_charged(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_with_interposer(&child, *state, JOB, "FREE_FAILURES=1");
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "free 0"), UNKNOWN);
  expect_in_use(*state, 4096);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  expect_in_use(*state, 0);
}

static void memory_is_freed_by_another_thread(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "free-in-thread 0"), 0);
  expect_in_use(*state, 0);
}

static void sixty_four_threads_allocate_at_once(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "threads 64 50 4096"), 0);
  expect_in_use(*state, 64 * 4096);
  for (int i = 0; i < 64; i++)
    assert_int_equal(child_ask(&child, "free %d", i), 0);
  expect_in_use(*state, 0);
}

static void threads_of_an_ondemand_job_allocate_at_once(void **state) {
  struct child child;
  node_job(*state, JOB, 0, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "threads 64 20 4096"), 0);
  expect_in_use(*state, 64 * 4096);
}

/* --- the driver --- */
static void allocation_that_the_driver_refuses_is_not_charged(void **state) {
  struct node *node = *state;
  node->gpu_bytes = GIB;
  struct child child = begin(node);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(2 * GIB)), OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "managed 0 %llu", (unsigned long long)(2 * GIB)),
                   OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "pitch 0 %llu 1024", (unsigned long long)(2 * MIB)),
                   OUT_OF_MEMORY);
  expect_in_use(node, 0);
  assert_int_equal(child_said(&child, "budget"), 0);
}

/* The driver may free memory of dead processes later than the library: the call is repeated;
 * late_test shows that this ends. */
static void out_of_memory_is_tried_again(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_with_interposer(&child, *state, JOB, "FLAKY_FAILURES=2");
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "count calls_after"), 3);
  expect_in_use(*state, 4096);
}

static void calls_of_the_driver_itself_are_charged_once(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_with_interposer(&child, *state, JOB, "MANAGED_BY_ALLOC=1");
  assert_int_equal(child_ask(&child, "managed 0 %llu", (unsigned long long)(6 * GIB)), 0);
  expect_in_use(*state, 6 * GIB);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  expect_in_use(*state, 0);
}

static void program_without_a_context_gets_the_drivers_error(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, *state,
              &(struct start){.program = "driver_looked_up", .arguments = {"handle"}, .job = JOB});
  assert_int_equal(child_ask(&child, "alloc 0 4096"), NOT_INITIALIZED);
  expect_in_use(*state, 0);
}

/* --- processes --- */
static void forked_child_carries_no_charge(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "fork 0"), 0);
  assert_int_equal(child_number(&child, 1), NOT_INITIALIZED);
  assert_int_equal(child_number(&child, 2), NOT_INITIALIZED);
  assert_int_equal(child_number(&child, 3), NOT_INITIALIZED);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
  expect_in_use(*state, 4096);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  expect_in_use(*state, 0);
}

static void death_releases_everything(void **state) {
  struct node *node = *state;
  struct child child = begin(node);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  child_kill(&child);
  assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
  expect_in_use(node, 0);
  assert_int_equal(node_contexts(node, JOB, 0), 0);
}

static void normal_end_releases_everything(void **state) {
  struct node *node = *state;
  struct child child = begin(node);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
  expect_in_use(node, 0);
  assert_int_equal(node_contexts(node, JOB, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(allocations_are_charged_in_units_of_512),
      NODE_TEST(managed_memory_is_charged),
      NODE_TEST(pitch_is_charged_exactly),
      NODE_TEST(pitch_larger_than_guessed_is_charged_exactly),
      NODE_TEST(pitch_smaller_than_guessed_is_charged_exactly),
      NODE_TEST(pitch_that_overflows_is_out_of_memory),
      NODE_TEST(physical_memory_is_charged_on_devices_only),
      NODE_TEST(empty_requests_charge_nothing),
      NODE_TEST(double_free_is_passed_to_the_driver),
      NODE_TEST(unknown_address_is_passed_to_the_driver),
      NODE_TEST(free_that_the_driver_refuses_stays_charged),
      NODE_TEST(memory_is_freed_by_another_thread),
      NODE_TEST(sixty_four_threads_allocate_at_once),
      NODE_TEST(threads_of_an_ondemand_job_allocate_at_once),
      NODE_TEST(allocation_that_the_driver_refuses_is_not_charged),
      NODE_TEST(out_of_memory_is_tried_again),
      NODE_TEST(calls_of_the_driver_itself_are_charged_once),
      NODE_TEST(program_without_a_context_gets_the_drivers_error),
      NODE_TEST(forked_child_carries_no_charge),
      NODE_TEST(death_releases_everything),
      NODE_TEST(normal_end_releases_everything),
  };
  return cmocka_run_group_tests_name("account", tests, NULL, NULL);
}
