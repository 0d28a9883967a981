/* Arrays of all shapes are charged with the memory that they take on the device. */
#include "device_account.h"

#define PAGE UINT64_C(65536)
#define INVALID_VALUE 1
#define OUT_OF_MEMORY 2
#define INVALID_HANDLE 400
#define NOT_PERMITTED 800
#define UNKNOWN 999

static struct child begin(struct node *node) {
  return begin_program(node, "array_program", "get", NULL);
}

/* Numbers: slot width height depth format channels flags levels. */
static void arrays_of_all_shapes_are_charged_exactly(void **state) {
  struct child child = begin(*state);
  expect_charged(*state, &child, "array 0 100000 0 0 32 4 0", "destroy 0");
  expect_charged(*state, &child, "array 0 1000 500 0 32 1 0", "destroy 0");
  expect_charged(*state, &child, "array 0 100 129 70 16 4 0", "destroy 0");
  expect_charged(*state, &child, "array 0 1000 0 300 1 2 1", "destroy 0");
  expect_charged(*state, &child, "array 0 1000 130 7 9 1 1", "destroy 0");
  expect_charged(*state, &child, "array 0 130 130 6 32 4 4", "destroy 0");
  expect_charged(*state, &child, "array 0 130 130 12 32 4 5", "destroy 0");
  expect_charged(*state, &child, "array 0 1 0 0 1 1 0", "destroy 0");
}

static void array_of_two_dimensions_is_charged(void **state) {
  struct child child = begin(*state);
  expect_charged(*state, &child, "flat 0 1000 500 0 32 1", "destroy 0");
}

static void mipmapped_array_is_charged_with_all_levels(void **state) {
  struct child child = begin(*state);
  expect_charged(*state, &child, "mipmap 0 1000 700 0 32 4 0 5", "destroy-mipmap 0");
  expect_charged(*state, &child, "mipmap 0 100 100 100 32 4 0 100", "destroy-mipmap 0");
  expect_charged(*state, &child, "mipmap 0 64 64 9 32 4 1 3", "destroy-mipmap 0");
}

static void found_by_handle_they_are_the_same(void **state) {
  struct child child = begin_program(*state, "array_program", "handle", NULL);
  expect_charged(*state, &child, "array 0 1000 500 0 32 1 0", "destroy 0");
  expect_charged(*state, &child, "old-flat 0 1000 500 0 32 1", "destroy 0");
  expect_charged(*state, &child, "mipmap 0 1000 700 0 32 4 0 5", "destroy-mipmap 0");
}

/* A driver that does not report the size of arrays: the size is computed from the descriptor,
 * rather too large. */
static void old_driver_is_not_asked(void **state) {
  struct node *node = *state;
  struct child child = begin_program(node, "array_program", "get",
                                     "EMULATED_GPU_FAIL=cuArrayGetMemoryRequirements:1,"
                                     "cuMipmappedArrayGetMemoryRequirements:1");
  ask(&child, "array 0 1000 500 0 32 1 0");
  uint64_t bytes = node_in_use(node, JOB, 0);
  assert_true(bytes >= used_on_device(&child) && bytes <= 2 * used_on_device(&child));
  ask(&child, "mipmap 0 1000 700 0 32 4 0 5");
  bytes = node_in_use(node, JOB, 0);
  assert_true(bytes >= used_on_device(&child) && bytes <= 2 * used_on_device(&child));
  ask(&child, "destroy 0");
  ask(&child, "destroy-mipmap 0");
  expect_account(node, 0);
}

/* --- the driver's failures --- */
static void array_that_the_driver_refuses_is_not_charged(void **state) {
  struct node *node = *state;
  node->gpu_bytes = GIB;
  struct child child = begin(node);
  assert_int_equal(child_ask(&child, "array 0 16384 16384 0 32 4 0"), OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "mipmap 0 16384 16384 0 32 4 0 2"), OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "array 0 0 0 0 32 4 0"), INVALID_VALUE);
  assert_int_equal(child_ask(&child, "array 0 10 0 7 32 4 0"), INVALID_VALUE);
  assert_int_equal(child_ask(&child, "no-descriptor"), INVALID_VALUE);
  expect_account(node, 0);
  assert_int_equal(used_on_device(&child), 0);
}

static void array_over_the_budget_is_out_of_memory(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "array 0 65536 16384 0 32 4 0"), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "budget"), 1);
  assert_int_equal(child_ask(&child, "array 0 1000000 1000000 1000000 32 4 0"), OUT_OF_MEMORY);
  expect_account(*state, 0);
}

static void failed_create_is_not_charged(void **state) {
  struct child child =
      begin_program(*state, "array_program", "get", "EMULATED_GPU_FAIL=cuArrayCreate_v2:999:1");
  assert_int_equal(child_ask(&child, "flat 0 1000 500 0 32 1"), UNKNOWN);
  expect_account(*state, 0);
  expect_charged(*state, &child, "flat 0 1000 500 0 32 1", "destroy 0");
}

static void failed_destroy_stays_charged(void **state) {
  struct node *node = *state;
  struct child child = begin_program(node, "array_program", "get",
                                     "EMULATED_GPU_FAIL=cuMipmappedArrayDestroy:999:2");
  ask(&child, "flat 0 128 128 0 32 1");
  assert_int_equal(child_ask(&child, "mipmap 0 128 128 0 32 1 0 1"), 0);
  uint64_t bytes = node_in_use(node, JOB, 0);
  assert_int_equal(child_ask(&child, "destroy-mipmap 0"), UNKNOWN);
  expect_account(node, bytes);
  ask(&child, "destroy-mipmap 0");
  expect_account(node, PAGE);
}

static void double_destroy_is_passed_to_the_driver(void **state) {
  struct child child = begin(*state);
  ask(&child, "flat 0 128 128 0 32 1");
  ask(&child, "flat 1 128 128 0 32 1");
  ask(&child, "destroy 0");
  assert_int_equal(child_ask(&child, "destroy 0"), INVALID_HANDLE);
  assert_int_equal(child_ask(&child, "destroy 9"), INVALID_HANDLE);
  expect_account(*state, PAGE);
}

static void level_is_not_destroyed_alone(void **state) {
  struct child child = begin(*state);
  ask(&child, "mipmap 0 128 128 0 32 1 0 1");
  assert_int_equal(child_ask(&child, "destroy-level 0"), INVALID_HANDLE);
  expect_account(*state, PAGE);
}

static void job_that_cannot_be_scheduled_is_refused(void **state) {
  struct child child;
  child_start(&child, *state,
              &(struct start){.program = "array_program",
                              .arguments = {"get"},
                              .job = JOB,
                              .run_dir = "/nonexistent",
                              .environment = "SCHEDGPU_ON_FAILURE=refuse"});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(child_ask(&child, "flat 0 128 128 0 32 1"), NOT_PERMITTED);
  assert_int_equal(child_ask(&child, "mipmap 0 128 128 0 32 1 0 1"), NOT_PERMITTED);
  assert_int_equal(child_ask(&child, "old-alloc 0 4096"), NOT_PERMITTED);
  assert_int_equal(child_ask(&child, "old-pitch 0 4096 10"), NOT_PERMITTED);
  assert_int_equal(used_on_device(&child), 0);
}

/* While the program waits, it holds nothing, neither on the device nor in the account. */
static void array_waits_for_the_memory_of_another_job(void **state) {
  enum { OTHER_JOB = 13 };
  struct node *node = *state;
  struct child holder, child;
  node_job(node, OTHER_JOB, 0, SCHEDGPU_FOREVER);
  node_job(node, JOB, 0, SCHEDGPU_FOREVER);
  start_driver_program(&holder, node, OTHER_JOB);
  assert_int_equal(child_ask(&holder, "alloc 0 %llu", (unsigned long long)(10 * GIB)), 0);
  child_start(&child, node,
              &(struct start){.program = "array_program", .arguments = {"get"}, .job = JOB});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  child_tell(&child, "array 0 65536 8192 0 32 4 0");
  node_await_waiting(node, 0, 1);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_ask(&holder, "free 0"), 0);
  assert_int_equal(child_answer(&child), 0);
  expect_account(node, 8 * GIB);
}

/* --- owners --- */
static void arrays_end_with_their_context(void **state) {
  struct child child = begin(*state);
  ask(&child, "flat 0 128 128 0 32 1");
  ask(&child, "context");
  ask(&child, "flat 1 128 128 0 32 1");
  ask(&child, "mipmap 1 128 128 0 32 1 0 1");
  expect_account(*state, 3 * PAGE);
  ask(&child, "end-context");
  expect_account(*state, PAGE);
}

static void arrays_end_with_the_primary_context(void **state) {
  struct child child = begin(*state);
  ask(&child, "flat 0 128 128 0 32 1");
  ask(&child, "reset 0");
  expect_account(*state, 0);
  ask(&child, "begin 0");
  ask(&child, "mipmap 0 128 128 0 32 1 0 1");
  expect_account(*state, PAGE);
  ask(&child, "end 0");
  expect_account(*state, 0);
}

static void another_thread_destroys(void **state) {
  struct child child = begin(*state);
  ask(&child, "flat 0 128 128 0 32 1");
  ask(&child, "destroy-in-thread");
  expect_account(*state, 0);
}

static void sixty_four_threads_release_everything(void **state) {
  struct child child = begin(*state);
  ask(&child, "flat 0 128 128 0 32 1");
  ask(&child, "threads 64");
  expect_account(*state, PAGE);
  assert_int_equal(used_on_device(&child), PAGE);
}

static void end_of_the_program_releases_everything(void **state) {
  struct node *node = *state;
  struct child child = begin(node);
  ask(&child, "flat 0 128 128 0 32 1");
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
  expect_account(node, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(arrays_of_all_shapes_are_charged_exactly),
      NODE_TEST(array_of_two_dimensions_is_charged),
      NODE_TEST(mipmapped_array_is_charged_with_all_levels),
      NODE_TEST(found_by_handle_they_are_the_same),
      NODE_TEST(old_driver_is_not_asked),
      NODE_TEST(array_that_the_driver_refuses_is_not_charged),
      NODE_TEST(array_over_the_budget_is_out_of_memory),
      NODE_TEST(failed_create_is_not_charged),
      NODE_TEST(failed_destroy_stays_charged),
      NODE_TEST(double_destroy_is_passed_to_the_driver),
      NODE_TEST(level_is_not_destroyed_alone),
      NODE_TEST(job_that_cannot_be_scheduled_is_refused),
      NODE_TEST(array_waits_for_the_memory_of_another_job),
      NODE_TEST(arrays_end_with_their_context),
      NODE_TEST(arrays_end_with_the_primary_context),
      NODE_TEST(another_thread_destroys),
      NODE_TEST(sixty_four_threads_release_everything),
      NODE_TEST(end_of_the_program_releases_everything),
  };
  return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
