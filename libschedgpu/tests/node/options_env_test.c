/* options_env_test.c - options from environment variables: defaults, precedence, refusals. */
#include "../../node/options_env.h"
#include "../conf/conf_testing.h"

static struct sg_given given;
static char error[1024];

static int set_up(void **state) {
  static const char *const names[] = {"MEM",       "PRIORITY", "MODE", "WAIT",
                                      "PROCESSES", "OVERFLOW", "LANE", "PERSISTENT",
                                      "LENGTH",    "DISTINCT", "OFF"};
  (void)state;
  memset(&given, 0, sizeof given);
  unsetenv("SCHEDGPU");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[64];
    snprintf(name, sizeof name, "SPANK_SCHEDGPU_%s", names[i]);
    unsetenv(name);
    unsetenv(name + strlen("SPANK_"));
  }
  return 0;
}

static int take(const char *prefix) {
  return sg_options_from_env(&given, prefix, sg_env_get_own, NULL, error, sizeof error);
}

static void expect_refused(const char *name, const char *value, const char *message) {
  setenv(name, value, 1);
  assert_int_equal(take(strncmp(name, "SPANK_", 6) == 0 ? "SPANK_" : ""), SCHEDGPU_EINVAL);
  if (!strstr(error, message))
    print_error("'%s' is not in: %s\n", message, error);
  assert_non_null(strstr(error, message));
  unsetenv(name);
}

static void nothing_set_gives_nothing(void **state) {
  static const struct sg_given nothing;
  (void)state;
  assert_int_equal(take(""), 0);
  assert_memory_equal(&given, &nothing, sizeof given);
}

static void every_variable_is_taken(void **state) {
  (void)state;
  setenv("SCHEDGPU_MEM", "2G", 1);
  setenv("SCHEDGPU_PRIORITY", "high", 1);
  setenv("SCHEDGPU_MODE", "ondemand", 1);
  setenv("SCHEDGPU_WAIT", "5m", 1);
  setenv("SCHEDGPU_PROCESSES", "4", 1);
  setenv("SCHEDGPU_OVERFLOW", "fail", 1);
  setenv("SCHEDGPU_LANE", "srtf", 1);
  setenv("SCHEDGPU_PERSISTENT", "100M", 1);
  setenv("SCHEDGPU_LENGTH", "2h", 1);
  setenv("SCHEDGPU_SHARE", "7", 1);
  setenv("SCHEDGPU_DISTINCT", "1", 1);
  setenv("SCHEDGPU", "off", 1);
  assert_int_equal(take(""), 0);
  assert_string_equal(given.options.mem, "2G");
  assert_string_equal(given.options.priority, "high");
  assert_string_equal(given.options.mode, "ondemand");
  assert_string_equal(given.options.wait, "5m");
  assert_string_equal(given.options.processes, "4");
  assert_string_equal(given.options.overflow, "fail");
  assert_string_equal(given.options.lane, "srtf");
  assert_string_equal(given.options.persistent, "100M");
  assert_string_equal(given.options.length, "2h");
  assert_string_equal(given.options.share, "7");
  assert_true(given.options.distinct);
  assert_true(given.options.off);
  assert_true(given.switched);
}

static void the_variables_of_the_prolog_are_read(void **state) {
  (void)state;
  setenv("SPANK_SCHEDGPU_MEM", "2G", 1);
  setenv("SPANK_SCHEDGPU_OFF", "1", 1);
  setenv("SCHEDGPU", "on", 1);
  assert_int_equal(take("SPANK_"), 0);
  assert_string_equal(given.options.mem, "2G");
  assert_true(given.options.off);
}

static void an_explicit_option_wins(void **state) {
  (void)state;
  strcpy(given.options.mem, "1G");
  given.switched = true;
  setenv("SCHEDGPU_MEM", "2G", 1);
  setenv("SCHEDGPU", "off", 1);
  assert_int_equal(take(""), 0);
  assert_string_equal(given.options.mem, "1G");
  assert_false(given.options.off);
}

static void an_explicit_option_hides_a_wrong_variable(void **state) {
  (void)state;
  strcpy(given.options.mem, "1G");
  setenv("SCHEDGPU_MEM", "lots", 1);
  assert_int_equal(take(""), 0);
}

static void an_empty_variable_counts_as_unset(void **state) {
  (void)state;
  setenv("SCHEDGPU_MEM", "", 1);
  setenv("SCHEDGPU", "", 1);
  assert_int_equal(take(""), 0);
  assert_string_equal(given.options.mem, "");
  assert_false(given.switched);
}

static void a_wrong_variable_is_named(void **state) {
  (void)state;
  expect_refused("SCHEDGPU_MEM", "lots", "environment variable SCHEDGPU_MEM: --schedgpu-mem=lots");
  expect_refused("SCHEDGPU_PRIORITY", "urgent", "environment variable SCHEDGPU_PRIORITY");
  expect_refused("SCHEDGPU_MODE", "x", "environment variable SCHEDGPU_MODE");
  expect_refused("SCHEDGPU_WAIT", "x", "environment variable SCHEDGPU_WAIT");
  expect_refused("SCHEDGPU_PROCESSES", "0", "environment variable SCHEDGPU_PROCESSES");
  expect_refused("SCHEDGPU_OVERFLOW", "x", "environment variable SCHEDGPU_OVERFLOW");
  expect_refused("SCHEDGPU_LANE", "x", "environment variable SCHEDGPU_LANE");
  expect_refused("SCHEDGPU_PERSISTENT", "0", "environment variable SCHEDGPU_PERSISTENT");
  expect_refused("SCHEDGPU_LENGTH", "0", "environment variable SCHEDGPU_LENGTH");
  expect_refused("SCHEDGPU_DISTINCT", "maybe", "SCHEDGPU_DISTINCT: must be 1 or 0");
  expect_refused("SCHEDGPU", "1", "SCHEDGPU: must be on or off");
  expect_refused("SPANK_SCHEDGPU_OFF", "x", "SPANK_SCHEDGPU_OFF: must be 1 or 0");
  expect_refused("SCHEDGPU_MEM", "00000000000000000000000000000001G", "longer than any value");
}

static void distinct_zero_is_not_distinct(void **state) {
  (void)state;
  setenv("SCHEDGPU_DISTINCT", "0", 1);
  assert_int_equal(take(""), 0);
  assert_false(given.options.distinct);
}

static void off_zero_is_on(void **state) {
  (void)state;
  setenv("SPANK_SCHEDGPU_OFF", "0", 1);
  assert_int_equal(take("SPANK_"), 0);
  assert_false(given.options.off);
  assert_true(given.switched);
}

static void a_text_has_what_another_does_not_have(void **state) {
  static struct sg_given other, read;
  char text[SG_OPTIONS_TEXT];
  (void)state;
  strcpy(given.options.mem, "2G");
  strcpy(given.options.wait, "5m");
  strcpy(other.options.wait, "5m");
  given.options.distinct = true;
  given.switched = other.switched = true;
  other.options.off = true;
  sg_options_to_text(&given, &other, text, sizeof text);
  assert_string_equal(text, "SCHEDGPU_MEM=2G;SCHEDGPU_DISTINCT=1;SCHEDGPU=on;");
  assert_int_equal(sg_options_from_text(&read, text, error, sizeof error), 0);
  assert_string_equal(read.options.mem, "2G");
  assert_string_equal(read.options.wait, "");
  assert_true(read.options.distinct && read.switched && !read.options.off);
  sg_options_inherit(&read, &other);
  assert_string_equal(read.options.wait, "5m");
  assert_false(read.options.off);
  sg_options_to_text(&given, &given, text, sizeof text);
  assert_string_equal(text, "");
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup(test, set_up)
  const struct CMUnitTest tests[] = {
      UNIT(nothing_set_gives_nothing),
      UNIT(every_variable_is_taken),
      UNIT(a_text_has_what_another_does_not_have),
      UNIT(the_variables_of_the_prolog_are_read),
      UNIT(an_explicit_option_wins),
      UNIT(an_explicit_option_hides_a_wrong_variable),
      UNIT(an_empty_variable_counts_as_unset),
      UNIT(a_wrong_variable_is_named),
      UNIT(distinct_zero_is_not_distinct),
      UNIT(off_zero_is_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
