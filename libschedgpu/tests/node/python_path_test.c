/* python_path_test.c - our folder in PYTHONPATH. */
#include "../../node/python_path.h"
#include "../conf/conf_testing.h"

#define OURS "/p/share/schedgpu/python"

static void expect(const char *folder, const char *old, const char *merged) {
  char text[256];
  assert_int_equal(sg_python_path_merge(folder, old, text, sizeof text), 0);
  assert_string_equal(text, merged);
}

static void ours_comes_first(void **state) {
  (void)state;
  expect(OURS, "", OURS);
  expect(OURS, "/a:/b c", OURS ":/a:/b c");
}

static void ours_is_listed_once(void **state) {
  (void)state;
  expect(OURS, "/a:" OURS ":/b:" OURS, OURS ":/a:/b");
  expect("/my/modules", "/a:/my/modules:/my/modules2", "/my/modules:/a:/my/modules2");
}

static void a_copy_of_another_place_is_removed(void **state) {
  (void)state;
  expect("", "/q/schedgpu/python:/a", "/a");
  expect("", "/q/schedgpu/python", "");
  expect("", "/myschedgpu/python:schedgpu/python", "/myschedgpu/python:schedgpu/python");
}

/* Python takes an empty entry for the current folder. */
static void an_empty_entry_stays(void **state) {
  (void)state;
  expect(OURS, ":/a", OURS "::/a");
  expect(OURS, "/a:", OURS ":/a:");
  expect("", OURS ":", "");
}

static void a_value_that_does_not_fit_is_an_error(void **state) {
  char text[sizeof OURS + 3];
  (void)state;
  assert_int_equal(sg_python_path_merge(OURS, "/a", text, sizeof text), 0);
  assert_int_equal(sg_python_path_merge(OURS, "/ab", text, sizeof text), SCHEDGPU_EINVAL);
  assert_int_equal(sg_python_path_merge(OURS, "", text, sizeof OURS - 1), SCHEDGPU_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ours_comes_first),
      cmocka_unit_test(ours_is_listed_once),
      cmocka_unit_test(a_copy_of_another_place_is_removed),
      cmocka_unit_test(an_empty_entry_stays),
      cmocka_unit_test(a_value_that_does_not_fit_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
