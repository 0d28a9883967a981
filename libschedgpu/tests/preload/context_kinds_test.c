/*
 * Contexts of all kinds: created by old functions, attached, green; and other memory of a context:
 * its limits, and code.
 */
#include "fixture.h"

#define JOB 12
#define OUT_OF_MEMORY 2
#define INVALID_CONTEXT 201
#define STACK 0
#define PRINTF 1
#define HEAP 2
#define FIRST_HEAP (8 * MIB) /* what every context has, as part of its overhead */
#define FIRST_PRINTF (1 * MIB)

static void start(struct child *child, struct node *node, const char *environment,
                  const char *after) {
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(child, node,
              &(struct start){.program = "context_program",
                              .job = JOB,
                              .environment = environment,
                              .preload_after = after});
  assert_int_equal(child_ask(child, "init"), 0);
}

static struct child begin(struct node *node) {
  struct child child;
  start(&child, node, NULL, NULL);
  return child;
}

static void expect(struct node *node, uint64_t in_use, uint64_t contexts) {
  assert_int_equal(node_in_use(node, JOB, 0), in_use);
  assert_int_equal(node_contexts(node, JOB, 0), contexts);
  node_check(node);
}

static void does(struct child *child, const char *line) {
  long long result = child_ask(child, "%s", line);
  if (result != 0)
    fail_msg("%s: error %lld", line, result);
}

static void allocates(struct child *child, int n, uint64_t bytes) {
  assert_int_equal(child_ask(child, "alloc %d %llu", n, (unsigned long long)bytes), 0);
}

static long long sets(struct child *child, int limit, uint64_t bytes) {
  return child_ask(child, "limit %d %llu", limit, (unsigned long long)bytes);
}

/* --- contexts of old functions --- */
static void old_context_is_admitted_and_its_end_releases_its_memory(void **state) {
  struct child child = begin(*state);
  does(&child, "create 0");
  expect(*state, 0, CONTEXT_BYTES);
  allocates(&child, 0, 4096);
  does(&child, "destroy");
  expect(*state, 0, 0);
}

static void old_reset_ends_the_primary_context_and_its_memory(void **state) {
  struct child child = begin(*state);
  does(&child, "retain 0");
  does(&child, "retain 0");
  allocates(&child, 0, 4096);
  does(&child, "old-reset 0");
  expect(*state, 0, 0);
}

static void attached_context_ends_with_the_last_detach(void **state) {
  struct child child = begin(*state);
  does(&child, "create 0");
  allocates(&child, 0, 4096);
  does(&child, "attach");
  does(&child, "attach");
  expect(*state, 4096, CONTEXT_BYTES);
  does(&child, "detach");
  does(&child, "detach");
  expect(*state, 4096, CONTEXT_BYTES);
  does(&child, "detach");
  expect(*state, 0, 0);
}

static void context_that_others_are_attached_to_stays_charged(void **state) {
  struct child child = begin(*state);
  does(&child, "create 0");
  allocates(&child, 0, 4096);
  does(&child, "attach");
  assert_int_equal(child_ask(&child, "destroy"), INVALID_CONTEXT);
  expect(*state, 4096, CONTEXT_BYTES);
  does(&child, "new-destroy");
  expect(*state, 0, 0);
}

static void detach_that_the_driver_refuses_changes_nothing(void **state) {
  struct child child = begin(*state);
  does(&child, "create 0");
  does(&child, "attach");
  does(&child, "leave");
  for (int i = 0; i < 3; i++)
    assert_int_equal(child_ask(&child, "detach"), INVALID_CONTEXT);
  does(&child, "use-created");
  does(&child, "detach");
  expect(*state, 0, CONTEXT_BYTES);
  does(&child, "detach");
  expect(*state, 0, 0);
  does(&child, "create 0");
  does(&child, "leave");
  assert_int_equal(child_ask(&child, "detach"), INVALID_CONTEXT);
  expect(*state, 0, CONTEXT_BYTES);
  does(&child, "new-destroy");
  expect(*state, 0, 0);
}

/* Only the driver counts the users of a primary context: it ends when the driver says so. */
static void primary_context_does_not_end_with_a_detach(void **state) {
  struct child child;
  start(&child, *state, "DETACHES_ALL=1", "libafter.so");
  does(&child, "retain 0");
  allocates(&child, 0, 4096);
  does(&child, "detach-primary");
  expect(*state, 4096, CONTEXT_BYTES);
}

/* --- green contexts --- */
static void green_context_begins_and_ends_the_primary_one(void **state) {
  struct child child = begin(*state);
  does(&child, "green 0 0");
  expect(*state, 0, CONTEXT_BYTES);
  does(&child, "green-use 0");
  allocates(&child, 0, 4096);
  expect(*state, 4096, CONTEXT_BYTES);
  does(&child, "green-destroy 0");
  assert_int_equal(child_ask(&child, "active 0"), 0);
  expect(*state, 0, 0);
}

static void green_contexts_do_not_count_as_contexts(void **state) {
  struct child child = begin(*state);
  does(&child, "retain 0");
  for (int i = 0; i < 4; i++) {
    assert_int_equal(child_ask(&child, "green %d 0", i), 0);
    assert_int_equal(child_ask(&child, "green-use %d", i), 0);
    allocates(&child, i, 4096);
  }
  for (int i = 0; i < 4; i++)
    assert_int_equal(child_ask(&child, "green-destroy %d", i), 0);
  expect(*state, 4 * 4096, CONTEXT_BYTES);
  does(&child, "release 0");
  expect(*state, 0, 0);
}

/* Memory that was allocated in a green context is freed in the primary one. */
static void memory_of_a_green_context_belongs_to_the_primary_one(void **state) {
  struct child child = begin(*state);
  does(&child, "green 0 0");
  does(&child, "green-use 0");
  allocates(&child, 0, 4096);
  does(&child, "retain 0");
  does(&child, "green-destroy 0");
  expect(*state, 4096, CONTEXT_BYTES);
  does(&child, "free 0");
  expect(*state, 0, CONTEXT_BYTES);
}

static void green_context_that_the_driver_refuses_is_not_charged(void **state) {
  struct node *node = *state;
  struct child child;
  node->gpu_bytes = CONTEXT_BYTES / 2;
  start(&child, node, NULL, NULL);
  assert_int_equal(child_ask(&child, "green 0 0"), OUT_OF_MEMORY);
  expect(node, 0, 0);
}

/* --- limits --- */
static void heap_of_kernels_is_reserved_exactly(void **state) {
  struct child child = begin(*state);
  does(&child, "create 0");
  assert_int_equal(sets(&child, HEAP, FIRST_HEAP), 0);
  expect(*state, 0, CONTEXT_BYTES);
  assert_int_equal(sets(&child, HEAP, FIRST_HEAP + 100 * MIB), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 100 * MIB);
  assert_int_equal(sets(&child, PRINTF, FIRST_PRINTF + 10 * MIB), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 110 * MIB);
  assert_int_equal(sets(&child, HEAP, FIRST_HEAP + 40 * MIB), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 50 * MIB);
  assert_int_equal(sets(&child, HEAP, MIB), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 10 * MIB);
  assert_int_equal(sets(&child, HEAP, FIRST_HEAP + MIB), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 11 * MIB);
  does(&child, "destroy");
  expect(*state, 0, 0);
}

static void limits_are_those_of_their_context(void **state) {
  struct child child = begin(*state);
  does(&child, "retain 0");
  assert_int_equal(sets(&child, HEAP, FIRST_HEAP + 3 * MIB), 0);
  does(&child, "create 0");
  assert_int_equal(sets(&child, HEAP, FIRST_HEAP + 5 * MIB), 0);
  expect(*state, 8 * MIB, CONTEXT_BYTES);
  does(&child, "destroy");
  expect(*state, 3 * MIB, CONTEXT_BYTES);
}

static void heap_over_budget_is_out_of_memory_and_stays_as_it_was(void **state) {
  struct child child = begin(*state);
  does(&child, "create 0");
  assert_int_equal(sets(&child, HEAP, FIRST_HEAP + MIB), 0);
  assert_int_equal(sets(&child, HEAP, 9 * GIB), OUT_OF_MEMORY);
  assert_int_equal(node_in_use(*state, JOB, 0), MIB);
  assert_int_equal(child_ask(&child, "limit-is %d", HEAP), 0);
  assert_int_equal(child_number(&child, 1), FIRST_HEAP + MIB);
  assert_int_equal(child_said(&child, "budget"), 1);
}

static void heap_that_the_driver_refuses_is_not_charged(void **state) {
  struct node *node = *state;
  struct child child;
  node->gpu_bytes = GIB;
  start(&child, node, NULL, NULL);
  does(&child, "create 0");
  assert_int_equal(sets(&child, HEAP, FIRST_HEAP + MIB), 0);
  assert_int_equal(sets(&child, HEAP, 2 * GIB), OUT_OF_MEMORY);
  expect(node, MIB, CONTEXT_BYTES);
}

/* The driver rounds up by far: the charge is what it took. */
static void heap_larger_than_requested_is_charged_exactly(void **state) {
  struct child child;
  start(&child, *state, "LARGER_LIMITS=64", "libafter.so");
  does(&child, "create 0");
  assert_int_equal(sets(&child, HEAP, FIRST_HEAP + MIB), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 65 * MIB);
  does(&child, "destroy");
  expect(*state, 0, 0);
}

static void stack_of_kernels_is_overhead(void **state) {
  struct child child = begin(*state);
  does(&child, "create 0");
  assert_int_equal(sets(&child, STACK, 64 * MIB), 0);
  expect(*state, 0, CONTEXT_BYTES);
}

static void limit_without_a_context_is_the_drivers_error(void **state) {
  struct child child = begin(*state);
  assert_int_equal(sets(&child, HEAP, GIB), INVALID_CONTEXT);
  expect(*state, 0, 0);
}

/* --- code --- */
static void code_is_overhead(void **state) {
  struct child child;
  start(&child, *state, "EMULATED_GPU_MODULE=10M", NULL);
  does(&child, "create 0");
  does(&child, "module");
  expect(*state, 0, CONTEXT_BYTES);
  does(&child, "unload");
  expect(*state, 0, CONTEXT_BYTES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(old_context_is_admitted_and_its_end_releases_its_memory),
      NODE_TEST(old_reset_ends_the_primary_context_and_its_memory),
      NODE_TEST(attached_context_ends_with_the_last_detach),
      NODE_TEST(context_that_others_are_attached_to_stays_charged),
      NODE_TEST(detach_that_the_driver_refuses_changes_nothing),
      NODE_TEST(primary_context_does_not_end_with_a_detach),
      NODE_TEST(green_context_begins_and_ends_the_primary_one),
      NODE_TEST(green_contexts_do_not_count_as_contexts),
      NODE_TEST(memory_of_a_green_context_belongs_to_the_primary_one),
      NODE_TEST(green_context_that_the_driver_refuses_is_not_charged),
      NODE_TEST(heap_of_kernels_is_reserved_exactly),
      NODE_TEST(limits_are_those_of_their_context),
      NODE_TEST(heap_over_budget_is_out_of_memory_and_stays_as_it_was),
      NODE_TEST(heap_that_the_driver_refuses_is_not_charged),
      NODE_TEST(heap_larger_than_requested_is_charged_exactly),
      NODE_TEST(stack_of_kernels_is_overhead),
      NODE_TEST(limit_without_a_context_is_the_drivers_error),
      NODE_TEST(code_is_overhead),
  };
  return cmocka_run_group_tests_name("kinds of contexts", tests, NULL, NULL);
}
