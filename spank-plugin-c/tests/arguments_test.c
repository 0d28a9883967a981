/* arguments_test.c - the plugin's arguments in plugstack.conf. */
#include "arguments.h"
#include "testing.h"

static struct sg_arguments arguments;
static char error[512];

static int parse(char *first, char *second) {
  char *values[] = {first, second};
  return sg_arguments_parse(&arguments, second ? 2 : first ? 1 : 0, values, error, sizeof error);
}

static void no_argument_is_needed(void **state) {
  (void)state;
  assert_int_equal(parse(NULL, NULL), 0);
  assert_string_equal(arguments.conf_path, "");
}

static void conf_names_the_configuration(void **state) {
  (void)state;
  assert_int_equal(parse("conf=/etc/x.conf", NULL), 0);
  assert_string_equal(arguments.conf_path, "/etc/x.conf");
}

static void other_arguments_are_fatal(void **state) {
  (void)state;
  assert_int_equal(parse("conf=/etc/x.conf", "debug=1"), SCHEDGPU_EINVAL);
  assert_string_equal(error,
                      "plugstack.conf: unknown argument 'debug=1': only conf=FILE is allowed");
  assert_int_equal(parse("conf=x.conf", NULL), SCHEDGPU_EINVAL);
  assert_string_equal(error, "plugstack.conf: 'conf=x.conf': FILE must be an absolute path");
  assert_int_equal(parse("conf=", NULL), SCHEDGPU_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_argument_is_needed),
      cmocka_unit_test(conf_names_the_configuration),
      cmocka_unit_test(other_arguments_are_fatal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
