/*
 * The memory that programs see: runtime, driver and NVML report the same budget and use,
 * independent of other jobs.
 */
#include "fixture.h"
#include <string.h>

#define JOB 12
#define NEIGHBOUR 13
#define BUDGET (6 * GIB)
#define NVML_MEMORY_V2 0x02000028
#define VERSION_MISMATCH 25
#define MAX_32_BITS UINT64_C(0xffffffff)

struct seen {
  uint64_t free_bytes, total_bytes;
};

static void expect_seen(struct child *child, const char *question, struct seen expected) {
  assert_int_equal(child_ask(child, "%s", question), 0);
  assert_int_equal(child_number(child, 1), expected.free_bytes);
  assert_int_equal(child_number(child, 2), expected.total_bytes);
}

/* NVML's answer in both versions. */
static void expect_nvml(struct child *child, int index, struct seen expected) {
  uint64_t used = expected.total_bytes - expected.free_bytes;
  assert_int_equal(child_ask(child, "memory %d", index), 0);
  assert_int_equal(child_number(child, 1), expected.free_bytes);
  assert_int_equal(child_number(child, 2), expected.total_bytes);
  assert_int_equal(child_number(child, 3), used);
  assert_int_equal(child_ask(child, "memory2 %d %d", index, NVML_MEMORY_V2), 0);
  assert_int_equal(child_number(child, 1), expected.free_bytes);
  assert_int_equal(child_number(child, 2), expected.total_bytes);
  assert_int_equal(child_number(child, 3), used);
  assert_int_equal(child_number(child, 4), 0);
  assert_int_equal(child_number(child, 5), NVML_MEMORY_V2);
}

static void start_nvml(struct child *child, struct node *node, uint64_t job) {
  child_start(child, node,
              &(struct start){.program = "nvml_looked_up", .arguments = {"handle"}, .job = job});
}

/* The programs of one job: driver, runtime and NVML. */
struct three {
  struct child driver, runtime, nvml;
};

static void start_three(struct three *p, struct node *node) {
  start_driver_program(&p->driver, node, JOB);
  child_start(&p->runtime, node, &(struct start){.program = "runtime_shared_13", .job = JOB});
  assert_int_equal(child_ask(&p->runtime, "info"), 0); /* its context exists */
  start_nvml(&p->nvml, node, JOB);
}

static void expect_all(struct three *p, struct seen expected) {
  expect_seen(&p->driver, "info", expected);
  expect_seen(&p->runtime, "info", expected);
  expect_nvml(&p->nvml, 0, expected);
  assert_int_equal(child_ask(&p->driver, "total 0"), 0);
  assert_int_equal(child_number(&p->driver, 1), expected.total_bytes);
  assert_int_equal(child_ask(&p->runtime, "total"), 0);
  assert_int_equal(child_number(&p->runtime, 1), expected.total_bytes);
}

static void all_interfaces_show_the_budget_to_the_byte(void **state) {
  struct three p;
  node_job(*state, JOB, BUDGET, SCHEDGPU_FOREVER);
  start_three(&p, *state);
  expect_all(&p, (struct seen){BUDGET, BUDGET});
  assert_int_equal(child_ask(&p.driver, "alloc 0 %llu", (unsigned long long)(GIB + 1)), 0);
  expect_all(&p, (struct seen){BUDGET - GIB - 512, BUDGET});
}

/* Without a budget the view is the device, less the contexts and the memory of this job alone. */
static void all_interfaces_show_the_same_without_a_budget(void **state) {
  struct three p;
  uint64_t contexts = 2 * CONTEXT_BYTES;
  node_job(*state, JOB, 0, SCHEDGPU_FOREVER);
  start_three(&p, *state);
  expect_all(&p, (struct seen){DEVICE_BYTES - contexts, DEVICE_BYTES});
  assert_int_equal(child_ask(&p.runtime, "alloc 0 %llu", (unsigned long long)GIB), 0);
  expect_all(&p, (struct seen){DEVICE_BYTES - contexts - GIB, DEVICE_BYTES});
}

static void without_a_budget_nothing_changes_with_a_neighbour(void **state) {
  struct three p;
  struct child neighbour;
  struct seen alone = {DEVICE_BYTES - 2 * CONTEXT_BYTES, DEVICE_BYTES};
  node_job(*state, JOB, 0, SCHEDGPU_FOREVER);
  node_job(*state, NEIGHBOUR, 0, SCHEDGPU_FOREVER);
  start_three(&p, *state);
  expect_all(&p, alone);
  start_driver_program(&neighbour, *state, NEIGHBOUR);
  assert_int_equal(child_ask(&neighbour, "alloc 0 %llu", (unsigned long long)(4 * GIB)), 0);
  expect_all(&p, alone);
  assert_int_equal(child_ask(&neighbour, "free 0"), 0);
  expect_all(&p, alone);
  assert_int_equal(child_end(&neighbour), 0);
  expect_all(&p, alone);
}

/* A declared context counts before it exists: its creation does not change the free memory. */
static void a_declared_context_is_used_from_the_start(void **state) {
  struct child nvml, driver;
  struct seen alone = {DEVICE_BYTES - CONTEXT_BYTES, DEVICE_BYTES};
  node_job(*state, JOB, 0, SCHEDGPU_FOREVER);
  start_nvml(&nvml, *state, JOB);
  expect_nvml(&nvml, 0, alone);
  start_driver_program(&driver, *state, JOB);
  expect_nvml(&nvml, 0, alone);
}

/* A program can get all free memory: it must not wait for memory that is never freed. */
static void free_memory_without_a_budget_can_be_allocated(void **state) {
  struct child child;
  node_job(*state, JOB, 0, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "info"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", child_number(&child, 1)), 0);
  expect_seen(&child, "info", (struct seen){0, DEVICE_BYTES});
}

static void first_versions_have_32_bits(void **state) {
  struct child child;
  node_job(*state, JOB, BUDGET, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  expect_seen(&child, "old-info", (struct seen){MAX_32_BITS, MAX_32_BITS});
  assert_int_equal(child_ask(&child, "old-total 0"), 0);
  assert_int_equal(child_number(&child, 1), MAX_32_BITS);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(3 * GIB)), 0);
  expect_seen(&child, "old-info", (struct seen){3 * GIB, MAX_32_BITS});
}

static void first_versions_show_a_small_budget(void **state) {
  struct child child;
  node_job(*state, JOB, GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, *state, JOB);
  expect_seen(&child, "old-info", (struct seen){GIB, GIB});
  assert_int_equal(child_ask(&child, "old-total 0"), 0);
  assert_int_equal(child_number(&child, 1), GIB);
}

static void expect_found(struct node *node, const char *program, const char *how) {
  struct child child;
  node_job(node, JOB, BUDGET, SCHEDGPU_FOREVER);
  child_start(&child, node, &(struct start){.program = program, .arguments = {how}, .job = JOB});
  expect_nvml(&child, 0, (struct seen){BUDGET, BUDGET});
}
static void linked_nvml_shows_the_budget(void **state) {
  expect_found(*state, "nvml_linked", "linked");
}
static void nvml_by_handle_shows_the_budget(void **state) {
  expect_found(*state, "nvml_looked_up", "handle");
}
static void nvml_by_default_shows_the_budget(void **state) {
  expect_found(*state, "nvml_looked_up", "default");
}

static void nvml_through_ctypes_shows_the_budget(void **state) {
  struct child child;
  node_job(*state, JOB, BUDGET, SCHEDGPU_FOREVER);
  child_start(&child, *state,
              &(struct start){.program = "/usr/bin/python3",
                              .arguments = {PROGRAMS_DIR "/nvml_ctypes_program.py"},
                              .job = JOB});
  expect_seen(&child, "memory 0", (struct seen){BUDGET, BUDGET});
}

/* Memory that the driver keeps for itself is in `used` of version 1 and in `reserved` of version 2.
 * Of a budget it keeps nothing. */
static void nvml_reserves_nothing_of_a_budget(void **state) {
  struct child child;
  struct start how = {.program = "nvml_linked",
                      .arguments = {"linked"},
                      .preload_after = "libafter.so",
                      .environment = "NVML_RESERVED=1048576"};
  node_job(*state, JOB, BUDGET, SCHEDGPU_FOREVER);
  child_start(&child, *state, &how);
  assert_int_equal(child_ask(&child, "memory2 0 %d", NVML_MEMORY_V2), 0);
  assert_int_equal(child_number(&child, 4), MIB); /* checks the interposer */
  how.job = JOB;
  child_start(&child, *state, &how);
  expect_nvml(&child, 0, (struct seen){BUDGET, BUDGET});
}

static void another_version_is_passed_to_nvml(void **state) {
  struct child child;
  node_job(*state, JOB, BUDGET, SCHEDGPU_FOREVER);
  start_nvml(&child, *state, JOB);
  assert_int_equal(child_ask(&child, "memory2 0 %d", 0x01000028), VERSION_MISMATCH);
  assert_int_equal(child_number(&child, 2), 0);
}

/* Its size may differ, so it is not changed. */
static void a_newer_struct_of_nvml_is_not_changed(void **state) {
  struct child child;
  node_job(*state, JOB, BUDGET, SCHEDGPU_FOREVER);
  child_start(&child, *state,
              &(struct start){.program = "nvml_linked",
                              .arguments = {"linked"},
                              .job = JOB,
                              .preload_after = "libafter.so",
                              .environment = "NVML_NEWER=7"});
  assert_int_equal(child_ask(&child, "memory2 0 %d", 0x03000030), 0);
  assert_int_equal(child_number(&child, 2), 7);
}

static void without_a_job_nvml_shows_the_device(void **state) {
  struct child child;
  start_nvml(&child, *state, 0);
  expect_nvml(&child, 0, (struct seen){DEVICE_BYTES, DEVICE_BYTES});
  assert_int_equal(child_said(&child, "schedgpu"), 0);
}

static void a_device_outside_the_job_is_shown_unchanged(void **state) {
  static struct node node;
  struct child child;
  node_up(&node, 2);
  *state = &node;
  node_job_ondemand(&node, JOB, BUDGET, SCHEDGPU_FOREVER, 2);
  start_nvml(&child, &node, JOB);
  expect_nvml(&child, 1, (struct seen){BUDGET, BUDGET});
  expect_nvml(&child, 0, (struct seen){DEVICE_BYTES, DEVICE_BYTES});
  assert_int_equal(child_said(&child, "schedgpu"), 0);
}

/* A monitor must not block the job's own programs, or other jobs. */
static void asking_nvml_reserves_and_admits_nothing(void **state) {
  struct node *node = *state;
  struct child nvml, neighbour;
  node_job(node, JOB, DEVICE_BYTES - CONTEXT_BYTES, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, DEVICE_BYTES - CONTEXT_BYTES, SCHEDGPU_FOREVER);
  start_nvml(&nvml, node, JOB);
  assert_int_equal(child_ask(&nvml, "memory 0"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(node_contexts(node, JOB, 0), 0);
  start_driver_program(&neighbour, node, NEIGHBOUR); /* a context, at once */
  assert_int_equal(
      child_ask(&neighbour, "alloc 0 %llu", (unsigned long long)(DEVICE_BYTES - CONTEXT_BYTES)), 0);
  node_check(node);
}

static int nothing_up(void **state) {
  *state = NULL;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(all_interfaces_show_the_budget_to_the_byte),
      NODE_TEST(all_interfaces_show_the_same_without_a_budget),
      NODE_TEST(without_a_budget_nothing_changes_with_a_neighbour),
      NODE_TEST(a_declared_context_is_used_from_the_start),
      NODE_TEST(free_memory_without_a_budget_can_be_allocated),
      NODE_TEST(first_versions_have_32_bits),
      NODE_TEST(first_versions_show_a_small_budget),
      NODE_TEST(linked_nvml_shows_the_budget),
      NODE_TEST(nvml_by_handle_shows_the_budget),
      NODE_TEST(nvml_by_default_shows_the_budget),
      NODE_TEST(nvml_through_ctypes_shows_the_budget),
      NODE_TEST(nvml_reserves_nothing_of_a_budget),
      NODE_TEST(another_version_is_passed_to_nvml),
      NODE_TEST(a_newer_struct_of_nvml_is_not_changed),
      NODE_TEST(without_a_job_nvml_shows_the_device),
      NODE_TEST(asking_nvml_reserves_and_admits_nothing),
      cmocka_unit_test_setup_teardown(a_device_outside_the_job_is_shown_unchanged, nothing_up,
                                      tear_down),
  };
  return cmocka_run_group_tests_name("what programs see", tests, NULL, NULL);
}
