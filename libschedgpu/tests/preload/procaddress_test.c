/*
 * cuGetProcAddress for everything that is hooked: the caller gets the function that the driver
 * chose, by version and default stream, but ours.
 */
#include "fixture.h"

enum { REQUESTS, SUBSTITUTED, WRONG, MISSING, SAME_REFUSALS };

static struct child ask_all(struct node *node, const char *libraries, bool without_preload) {
  struct child child;
  child_start(&child, node,
              &(struct start){.program = "procaddress_program",
                              .libraries = libraries,
                              .without_preload = without_preload});
  child_answer(&child);
  return child;
}

static void each_hook_stands_for_the_variant_that_the_driver_chose(void **state) {
  struct child child = ask_all(*state, NULL, false);
  assert_true(child_number(&child, REQUESTS) > 10000);
  assert_true(child_number(&child, SUBSTITUTED) > 1000);
  assert_int_equal(child_number(&child, WRONG), 0);
  if (child_said(&child, "never given out"))
    fail_msg("a hook that the emulated driver never gives out (see %s)", child.errors);
  assert_int_equal(child_number(&child, MISSING), 0);
}

/* That driver returns addresses that it does not export, and reports missing functions in other
 * ways. */
static void each_hook_stands_for_the_variant_that_was_asked_for(void **state) {
  struct child child = ask_all(*state, "forwarding", false);
  assert_true(child_number(&child, SUBSTITUTED) > 1000);
  assert_int_equal(child_number(&child, WRONG), 0);
}

static void an_error_of_the_driver_stays_an_error(void **state) {
  struct child child = ask_all(*state, NULL, false);
  assert_int_equal(child_number(&child, SAME_REFUSALS), 1);
}

/* The same program without the library finds no hooks, so it would notice them. */
static void nothing_is_substituted_without_the_library(void **state) {
  struct child child = ask_all(*state, NULL, true);
  assert_int_equal(child_number(&child, WRONG), child_number(&child, SUBSTITUTED));
  assert_true(child_number(&child, WRONG) > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(each_hook_stands_for_the_variant_that_the_driver_chose),
      NODE_TEST(each_hook_stands_for_the_variant_that_was_asked_for),
      NODE_TEST(an_error_of_the_driver_stays_an_error),
      NODE_TEST(nothing_is_substituted_without_the_library),
  };
  return cmocka_run_group_tests_name("cuGetProcAddress", tests, NULL, NULL);
}
