/*
 * How long an allocation with a reservation is repeated when the driver refuses it. Tests this part
 * alone, with pauses of a microsecond.
 */
#include "late.h"
#include "message.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ALL = SGP_LATE_SECONDS * 20, AFTER_A_VAIN_WAIT = 2 };
static int said[SGP_REASONS];

void sgp_say_once(enum sgp_reason reason, const char *format, ...) {
  (void)format;
  said[reason]++;
}

/* The number of pauses of an allocation that the driver always refuses. */
static unsigned pauses_in_vain(void) {
  unsigned pauses = 0;
  while (sgp_late_memory_pause(0, pauses))
    pauses++;
  return pauses;
}

static int begin(void **state) {
  (void)state;
  sgp_late_pause_ns = 1000;
  sgp_late_memory_came();
  for (int i = 0; i < SGP_REASONS; i++)
    said[i] = 0;
  return 0;
}

static void first_wait_is_long_and_ends(void **state) {
  (void)state;
  assert_int_equal(pauses_in_vain(), ALL);
  assert_int_equal(said[SGP_DRIVER_LATE], 1);
  assert_int_equal(said[SGP_DRIVER_FULL], 1);
}

static void after_a_failed_wait_smaller_requests_are_quick(void **state) {
  (void)state;
  pauses_in_vain();
  assert_int_equal(pauses_in_vain(), AFTER_A_VAIN_WAIT);
}

static void memory_that_came_makes_the_next_wait_long_again(void **state) {
  (void)state;
  pauses_in_vain();
  sgp_late_memory_came();
  assert_int_equal(pauses_in_vain(), ALL);
}

static void memory_that_comes_at_once_changes_nothing(void **state) {
  (void)state;
  assert_true(sgp_late_memory_pause(0, 0));
  assert_true(sgp_late_memory_pause(0, 1));
  assert_int_equal(said[SGP_DRIVER_LATE], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(first_wait_is_long_and_ends, begin),
      cmocka_unit_test_setup(after_a_failed_wait_smaller_requests_are_quick, begin),
      cmocka_unit_test_setup(memory_that_came_makes_the_next_wait_long_again, begin),
      cmocka_unit_test_setup(memory_that_comes_at_once_changes_nothing, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
