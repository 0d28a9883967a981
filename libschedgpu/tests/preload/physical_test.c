/*
 * Memory of cuMemCreate: charged until nothing refers to it any more.
 */
#include "device_account.h"

#define GRAIN (2 * MIB)
#define INVALID_VALUE 1
#define OUT_OF_MEMORY 2
#define UNKNOWN 999

static struct child begin_with(struct node *node, const char *how, const char *environment) {
  struct child child = begin_program(node, "physical_program", how, environment);
  ask(&child, "reserve 0 4096");
  return child;
}

static struct child begin(struct node *node) {
  return begin_with(node, "get", NULL);
}

static void expect(struct node *node, struct child *child, uint64_t grains) {
  expect_both(node, child, grains * GRAIN);
}

static void handle_is_charged_from_create_to_release(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 3");
  expect(*state, &child, 3);
  ask(&child, "release 0");
  expect(*state, &child, 0);
}

static void mapping_outlives_the_handle(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 1");
  ask(&child, "map 0 0 1 0");
  ask(&child, "release 0");
  expect(*state, &child, 1);
  ask(&child, "unmap 0 0 1");
  expect(*state, &child, 0);
}

static void handle_outlives_the_mapping(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 1");
  ask(&child, "map 0 0 1 0");
  ask(&child, "unmap 0 0 1");
  expect(*state, &child, 1);
  ask(&child, "release 0");
  expect(*state, &child, 0);
}

static void addresses_and_mappings_cost_nothing(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 2");
  ask(&child, "map 0 0 2 0");
  ask(&child, "map 0 2 1 0 1");
  ask(&child, "reserve 1 4096");
  ask(&child, "map 1 0 2 0");
  expect(*state, &child, 2);
}

/* Two mappings of one handle, one with an offset, and one of another, unmapped in one range. */
static void unmapping_a_range_ends_all_its_mappings(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 2");
  ask(&child, "create 1 5");
  ask(&child, "map 0 0 2 0");
  ask(&child, "map 0 2 1 0 1");
  ask(&child, "map 0 3 5 1");
  ask(&child, "map 0 8 1 1");
  ask(&child, "release 0");
  ask(&child, "release 1");
  expect(*state, &child, 7);
  ask(&child, "unmap 0 0 8");
  expect(*state, &child, 5);
  ask(&child, "unmap 0 8 1");
  expect(*state, &child, 0);
}

static void retained_handle_is_one_more_reference(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 1");
  ask(&child, "map 0 5 1 0");
  ask(&child, "retain 0 5 1");
  ask(&child, "unmap 0 5 1");
  ask(&child, "release 0");
  expect(*state, &child, 1);
  ask(&child, "release 1");
  expect(*state, &child, 0);
  assert_int_equal(child_ask(&child, "release 1"), INVALID_VALUE);
}

static void retaining_revives_a_released_handle(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 1");
  ask(&child, "map 0 5 1 0");
  ask(&child, "release 0");
  ask(&child, "retain 0 5 1");
  ask(&child, "unmap 0 5 1");
  expect(*state, &child, 1);
  ask(&child, "release 1");
  expect(*state, &child, 0);
}

/* --- memory of others --- */
/* A handle that no cuMemCreate of this process created, as after an import. */
static void unknown_handles_pass(void **state) {
  struct node *node = *state;
  struct child child = begin(node);
  ask(&child, "hidden 0 1");
  ask(&child, "create 1 1");
  ask(&child, "map 0 0 1 0");
  ask(&child, "map 0 1 1 1");
  ask(&child, "retain 0 0 2");
  ask(&child, "release 2");
  ask(&child, "release 0");
  assert_int_equal(node_in_use(node, JOB, 0), GRAIN);
  ask(&child, "unmap 0 0 2");
  assert_int_equal(node_in_use(node, JOB, 0), GRAIN);
  ask(&child, "release 1");
  expect(node, &child, 0);
  assert_int_equal(child_ask(&child, "release-value 4711"), INVALID_VALUE);
  assert_int_equal(child_ask(&child, "release-value 0"), INVALID_VALUE);
}

static void double_release_is_passed_to_the_driver(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 1");
  ask(&child, "create 1 1");
  ask(&child, "map 0 0 1 0");
  ask(&child, "release 0");
  assert_int_equal(child_ask(&child, "release 0"), INVALID_VALUE);
  expect(*state, &child, 2);
  ask(&child, "unmap 0 0 1");
  assert_int_equal(child_ask(&child, "unmap 0 0 1"), INVALID_VALUE);
  expect(*state, &child, 1);
}

static void context_does_not_own_it(void **state) {
  struct node *node = *state;
  struct child child = begin(node);
  ask(&child, "context");
  ask(&child, "create 0 1");
  ask(&child, "create 1 1");
  ask(&child, "map 0 0 1 1");
  ask(&child, "end-context");
  expect(node, &child, 2);
  ask(&child, "use-primary");
  ask(&child, "release 0");
  ask(&child, "release 1");
  ask(&child, "unmap 0 0 1");
  expect(node, &child, 0);
}

/* --- the driver's failures --- */
static void size_off_the_granularity_is_not_charged(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "create-odd 1000"), INVALID_VALUE);
  expect(*state, &child, 0);
}

static void memory_missing_in_the_driver_is_not_charged(void **state) {
  struct node *node = *state;
  node->gpu_bytes = GIB;
  struct child child = begin(node);
  assert_int_equal(child_ask(&child, "create 0 1024"), OUT_OF_MEMORY);
  expect(node, &child, 0);
}

static void over_the_budget_is_out_of_memory(void **state) {
  struct child child = begin(*state);
  assert_int_equal(child_ask(&child, "create 0 4097"), OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "budget"), 1);
  expect(*state, &child, 0);
}

static void failed_release_stays_charged(void **state) {
  struct child child = begin_with(*state, "get", "EMULATED_GPU_FAIL=cuMemRelease:999:1");
  ask(&child, "create 0 1");
  assert_int_equal(child_ask(&child, "release 0"), UNKNOWN);
  expect(*state, &child, 1);
  ask(&child, "release 0");
  expect(*state, &child, 0);
}

static void failed_map_is_no_mapping(void **state) {
  struct child child = begin_with(*state, "get", "EMULATED_GPU_FAIL=cuMemMap:999:1");
  ask(&child, "create 0 1");
  assert_int_equal(child_ask(&child, "map 0 0 1 0"), UNKNOWN);
  ask(&child, "release 0");
  expect(*state, &child, 0);
}

static void failed_unmap_stays_mapped(void **state) {
  struct child child = begin_with(*state, "get", "EMULATED_GPU_FAIL=cuMemUnmap:999:1");
  ask(&child, "create 0 1");
  ask(&child, "create 1 1");
  ask(&child, "map 0 0 1 0");
  ask(&child, "map 0 1 1 1");
  ask(&child, "release 0");
  ask(&child, "release 1");
  assert_int_equal(child_ask(&child, "unmap 0 0 2"), UNKNOWN);
  expect(*state, &child, 2);
  ask(&child, "unmap 0 0 2");
  expect(*state, &child, 0);
}

static void failed_retain_is_no_reference(void **state) {
  struct child child =
      begin_with(*state, "get", "EMULATED_GPU_FAIL=cuMemRetainAllocationHandle:999:1");
  ask(&child, "create 0 1");
  ask(&child, "map 0 0 1 0");
  assert_int_equal(child_ask(&child, "retain 0 0 1"), UNKNOWN);
  ask(&child, "release 0");
  ask(&child, "unmap 0 0 1");
  expect(*state, &child, 0);
}

/* --- threads and ends --- */
static void other_threads_release_and_unmap(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 1");
  ask(&child, "map 0 0 1 0");
  ask(&child, "release-in-thread");
  expect(*state, &child, 1);
  ask(&child, "unmap-in-thread");
  expect(*state, &child, 0);
}

static void sixty_four_threads_release_everything(void **state) {
  struct child child = begin(*state);
  ask(&child, "create 0 1");
  ask(&child, "threads 64");
  expect(*state, &child, 1);
}

static void thousands_of_mappings_are_unmapped_at_once(void **state) {
  struct child child = begin(*state);
  ask(&child, "map-all 4000");
  expect(*state, &child, 4000);
  ask(&child, "unmap 0 0 1999");
  expect(*state, &child, 2001);
  ask(&child, "unmap 0 1999 2001");
  expect(*state, &child, 0);
}

static void end_of_the_program_releases_everything(void **state) {
  struct node *node = *state;
  struct child child = begin(node);
  ask(&child, "create 0 1");
  ask(&child, "create 1 1");
  ask(&child, "map 0 0 1 0");
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
}

static void found_by_handle_it_is_the_same(void **state) {
  struct child child = begin_with(*state, "handle", NULL);
  ask(&child, "create 0 1");
  ask(&child, "map 0 0 1 0");
  ask(&child, "release 0");
  expect(*state, &child, 1);
  ask(&child, "unmap 0 0 1");
  expect(*state, &child, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(handle_is_charged_from_create_to_release),
      NODE_TEST(mapping_outlives_the_handle),
      NODE_TEST(handle_outlives_the_mapping),
      NODE_TEST(addresses_and_mappings_cost_nothing),
      NODE_TEST(unmapping_a_range_ends_all_its_mappings),
      NODE_TEST(retained_handle_is_one_more_reference),
      NODE_TEST(retaining_revives_a_released_handle),
      NODE_TEST(unknown_handles_pass),
      NODE_TEST(double_release_is_passed_to_the_driver),
      NODE_TEST(context_does_not_own_it),
      NODE_TEST(size_off_the_granularity_is_not_charged),
      NODE_TEST(memory_missing_in_the_driver_is_not_charged),
      NODE_TEST(over_the_budget_is_out_of_memory),
      NODE_TEST(failed_release_stays_charged),
      NODE_TEST(failed_map_is_no_mapping),
      NODE_TEST(failed_unmap_stays_mapped),
      NODE_TEST(failed_retain_is_no_reference),
      NODE_TEST(other_threads_release_and_unmap),
      NODE_TEST(sixty_four_threads_release_everything),
      NODE_TEST(thousands_of_mappings_are_unmapped_at_once),
      NODE_TEST(end_of_the_program_releases_everything),
      NODE_TEST(found_by_handle_it_is_the_same),
  };
  return cmocka_run_group_tests_name("physical", tests, NULL, NULL);
}
