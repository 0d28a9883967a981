/*
 * sanitized_test.c - programs built with a sanitizer start, are charged, and still find what they
 * look for.
 */
#include "fixture.h"

#define JOB 12

static void start(struct child *child, struct node *node, const char *program,
                  const char *environment) {
  char command[512];
  snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s %s/%s </dev/null", EMULATOR_DIR,
           PROGRAMS_DIR, program);
  if (!machine_has(command)) /* not built, or it cannot run on this kernel, even without us */
    SKIP("no such sanitizer here");
  node_job(node, JOB, GIB, SCHEDGPU_FOREVER);
  child_start(child, node,
              &(struct start){.program = program, .job = JOB, .environment = environment});
  assert_int_equal(child_ask(child, "begin"), 0);
}

static void expect_charged(struct node *node, const char *program) {
  struct child child;
  start(&child, node, program, NULL);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  expect_charged_to(node, JOB, &child);
  assert_int_equal(child_ask(&child, "storm 64 5 1048576"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_ask(&child, "spawn fork 4096"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 4096);
  assert_int_equal(child_ask(&child, "join"), 0);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
}

static void program_with_address_sanitizer(void **state) {
  expect_charged(*state, "sanitized_address");
}
static void program_with_thread_sanitizer(void **state) {
  expect_charged(*state, "sanitized_thread");
}
static void program_with_undefined_behaviour_sanitizer(void **state) {
  expect_charged(*state, "sanitized_undefined");
}

static void expect_overflow_found(struct node *node, const char *environment) {
  struct child child;
  start(&child, node, "sanitized_address", environment);
  child_tell(&child, "overflow 8");
  assert_int_equal(child_end(&child), 1);
  assert_int_equal(child_said(&child, "ERROR: AddressSanitizer: heap-buffer-overflow"), 1);
}

static void address_sanitizer_still_finds_faults(void **state) {
  expect_overflow_found(*state, NULL);
}

/* Options that the user sets keep their effect. */
static void options_of_the_user_count(void **state) {
  struct child child;
  start(&child, *state, "sanitized_address", "ASAN_OPTIONS=exitcode=42");
  child_tell(&child, "overflow 8");
  assert_int_equal(child_end(&child), 42);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(program_with_address_sanitizer),
      NODE_TEST(program_with_thread_sanitizer),
      NODE_TEST(program_with_undefined_behaviour_sanitizer),
      NODE_TEST(address_sanitizer_still_finds_faults),
      NODE_TEST(options_of_the_user_count),
  };
  return cmocka_run_group_tests_name("sanitized", tests, NULL, NULL);
}
