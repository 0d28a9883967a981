/* Contexts and devices: the cost of a context, what ends with it, and which device is charged. */
#include "fixture.h"
#include <stdio.h>
#include <string.h>

#define JOB 12
#define OUT_OF_MEMORY 2
#define UNKNOWN 999

static struct child begin(struct node *node) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, node, JOB);
  return child;
}

static void expect(struct node *node, uint64_t in_use, uint64_t contexts) {
  assert_int_equal(node_in_use(node, JOB, 0), in_use);
  assert_int_equal(node_contexts(node, JOB, 0), contexts);
  node_check(node);
}

static void last_release_ends_the_context_and_its_memory(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "retain 0"), 0);
  assert_int_equal(child_ask(&child, "release 0"), 0);
  expect(*state, 4096, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "release 0"), 0);
  expect(*state, 0, 0);
}

static void the_runtimes_old_release_ends_it_too(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "old-release 0"), 0);
  expect(*state, 0, 0);
}

static void context_comes_again_after_its_end(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "release 0"), 0);
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 8192"), 0);
  expect(*state, 8192, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "release 0"), 0);
  expect(*state, 0, 0);
}

static void reset_ends_the_context_and_its_memory(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "retain 0"), 0);
  for (int i = 0; i < 200; i++)
    assert_int_equal(child_ask(&child, "alloc %d 4096", i), 0);
  assert_int_equal(child_ask(&child, "reset 0"), 0);
  expect(*state, 0, 0);
}

/* Pools belong to the device: a block outlives the context in which it was allocated. */
static void stream_ordered_memory_outlives_a_context(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "create 4 0"), 0);
  assert_int_equal(child_ask(&child, "async 0 4096"), 0);
  assert_int_equal(child_ask(&child, "alloc 1 8192"), 0);
  assert_int_equal(child_ask(&child, "destroy"), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 32 * MIB); /* the growth of a pool */
}

static void expect_created(struct node *node, int version) {
  struct child child = begin(node);
  assert_int_equal(child_ask(&child, "release 0"), 0);
  expect(node, 0, 0);
  assert_int_equal(child_ask(&child, "create %d 0", version), 0);
  expect(node, 0, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  expect(node, 4096, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "destroy"), 0);
  expect(node, 0, 0);
}

static void context_made_by_version_2(void **state) {
  expect_created(*state, 2);
}
static void context_made_by_version_3(void **state) {
  expect_created(*state, 3);
}
static void context_made_by_version_4(void **state) {
  expect_created(*state, 4);
}

static void each_context_takes_only_its_own(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "create 2 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 1 8192"), 0);
  expect(*state, 4096 + 8192, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "destroy"), 0);
  expect(*state, 4096, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "use-primary"), 0);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  expect(*state, 0, CONTEXT_BYTES);
}

static void a_second_destroy_is_passed_to_the_driver(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "create 2 0"), 0);
  assert_int_equal(child_ask(&child, "destroy"), 0);
  assert_int_not_equal(child_ask(&child, "destroy"), 0);
  expect(*state, 0, CONTEXT_BYTES);
}

static void context_that_the_driver_keeps_stays_charged(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_with_interposer(&child, *state, JOB, "DESTROY_FAILURES=1");
  assert_int_equal(child_ask(&child, "release 0"), 0);
  assert_int_equal(child_ask(&child, "create 2 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "destroy"), UNKNOWN);
  expect(*state, 4096, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "destroy"), 0);
  expect(*state, 0, 0);
}

static void context_that_the_driver_refuses_is_not_charged(void **state) {
  struct node *node = *state;
  struct child child;
  node->gpu_bytes = CONTEXT_BYTES / 2;
  node_job(node, JOB, GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up", .arguments = {"handle"}, .job = JOB});
  assert_int_equal(child_ask(&child, "begin 0"), OUT_OF_MEMORY);
  expect(node, 0, 0);
  assert_int_equal(child_ask(&child, "create 4 0"), OUT_OF_MEMORY);
  expect(node, 0, 0);
}

/* --- contexts that no hook saw --- */
static struct child begin_hidden(struct node *node) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(
      &child, node,
      &(struct start){.program = "driver_looked_up", .arguments = {"hidden-contexts"}, .job = JOB});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  expect(node, 0, 0);
  return child;
}

static void hidden_context_is_admitted_at_its_first_allocation(void **state) {
  struct child child = begin_hidden(*state);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  expect(*state, 4096, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "alloc 1 4096"), 0);
  expect(*state, 8192, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "release 0"), 0);
  expect(*state, 0, 0);
}

static void hidden_context_survives_the_end_of_the_primary_one(void **state) {
  struct child child = begin_hidden(*state);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "create 2 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 1 8192"), 0);
  assert_int_equal(child_ask(&child, "release 0"), 0);
  expect(*state, 8192, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "destroy"), 0);
  expect(*state, 0, 0);
}

static void threads_admit_a_hidden_context_once(void **state) {
  struct child child = begin_hidden(*state);
  assert_int_equal(child_ask(&child, "threads 64 5 4096"), 0);
  expect(*state, 64 * 4096, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "release 0"), 0);
  expect(*state, 0, 0);
}

static void runtime_reset_releases_everything(void **state) {
  struct child child;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, *state, &(struct start){.program = "runtime_shared_12", .job = JOB});
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  expect(*state, 4096, CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "reset"), 0);
  expect(*state, 0, 0);
  assert_int_equal(child_ask(&child, "alloc 0 8192"), 0);
  expect(*state, 8192, CONTEXT_BYTES);
}

/* --- devices --- */
static int set_up_two(void **state) {
  static struct node node;
  node_up(&node, 2);
  *state = &node;
  return 0;
}

static void allocation_is_charged_to_the_contexts_device(void **state) {
  struct child child;
  node_job_ondemand(*state, JOB, 0, SCHEDGPU_FOREVER, 3);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "begin 1"), 0);
  assert_int_equal(child_ask(&child, "alloc 1 8192"), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 4096);
  assert_int_equal(node_in_use(*state, JOB, 1), 8192);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 0);
  assert_int_equal(node_in_use(*state, JOB, 1), 8192);
}

/* The job sees its devices in another order than the node: UUIDs say which is which. */
static void devices_are_matched_by_uuid(void **state) {
  struct child child;
  char first[SCHEDGPU_UUID_SIZE], second[SCHEDGPU_UUID_SIZE], list[128];
  node_job_ondemand(*state, JOB, 0, SCHEDGPU_FOREVER, 3);
  snprintf(list, sizeof list, "%s,%s", node_uuid(1, second), node_uuid(0, first));
  child_start(
      &child, *state,
      &(struct start){
          .program = "driver_looked_up", .arguments = {"handle"}, .job = JOB, .devices = list});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 4096);
  assert_int_equal(node_in_use(*state, JOB, 1), 0);
}

/* Device 0 is used by a job that has device 1; `named` is what its environment says. */
static void expect_unscheduled(struct node *node, unsigned named) {
  struct child child;
  char uuid[SCHEDGPU_UUID_SIZE];
  node_job_ondemand(node, JOB, 0, SCHEDGPU_FOREVER, 2);
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .job = JOB,
                              .devices = node_uuid(named, uuid)});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "alloc 1 4096"), 0);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_said(&child, "is not one of the job's"), 1);
}

static void device_outside_of_the_region_passes_with_one_warning(void **state) {
  expect_unscheduled(*state, 1);
}
static void device_that_the_job_only_claims_passes_with_one_warning(void **state) {
  expect_unscheduled(*state, 0);
}

#define TWO_DEVICE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_two, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(last_release_ends_the_context_and_its_memory),
      NODE_TEST(the_runtimes_old_release_ends_it_too),
      NODE_TEST(context_comes_again_after_its_end),
      NODE_TEST(reset_ends_the_context_and_its_memory),
      NODE_TEST(stream_ordered_memory_outlives_a_context),
      NODE_TEST(context_made_by_version_2),
      NODE_TEST(context_made_by_version_3),
      NODE_TEST(context_made_by_version_4),
      NODE_TEST(each_context_takes_only_its_own),
      NODE_TEST(a_second_destroy_is_passed_to_the_driver),
      NODE_TEST(context_that_the_driver_keeps_stays_charged),
      NODE_TEST(context_that_the_driver_refuses_is_not_charged),
      NODE_TEST(hidden_context_is_admitted_at_its_first_allocation),
      NODE_TEST(hidden_context_survives_the_end_of_the_primary_one),
      NODE_TEST(threads_admit_a_hidden_context_once),
      NODE_TEST(runtime_reset_releases_everything),
      TWO_DEVICE_TEST(allocation_is_charged_to_the_contexts_device),
      TWO_DEVICE_TEST(devices_are_matched_by_uuid),
      TWO_DEVICE_TEST(device_outside_of_the_region_passes_with_one_warning),
      TWO_DEVICE_TEST(device_that_the_job_only_claims_passes_with_one_warning),
  };
  return cmocka_run_group_tests_name("contexts", tests, NULL, NULL);
}
