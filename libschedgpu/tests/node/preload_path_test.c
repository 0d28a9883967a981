/* preload_path_test.c - LD_PRELOAD: our library first, once, and the user's entries kept. */
#include "../../node/preload_path.h"
#include "../conf/conf_testing.h"

#define OURS "/usr/lib/libschedgpu-preload.so"

static void expect(const char *library, const char *old, const char *merged) {
  char text[256];
  assert_int_equal(sg_preload_merge(library, OURS, old, text, sizeof text), 0);
  assert_string_equal(text, merged);
}

static void only_our_library(void **state) {
  (void)state;
  expect(OURS, "", OURS);
}

static void our_library_comes_before_the_users(void **state) {
  (void)state;
  expect(OURS, "/a.so", OURS ":/a.so");
  expect(OURS, "/a.so:/b.so", OURS ":/a.so:/b.so");
  expect(OURS, " /a.so  /b.so::", OURS ":/a.so:/b.so");
}

static void a_nested_job_has_ours_once(void **state) {
  (void)state;
  expect(OURS, OURS, OURS);
  expect(OURS, "/a.so:" OURS ":/b.so", OURS ":/a.so:/b.so");
  expect(OURS, "/opt/other/libschedgpu-preload.so:/a.so", OURS ":/a.so");
  expect(OURS, "libschedgpu-preload.so", OURS);
}

static void a_name_that_ends_like_ours_is_not_ours(void **state) {
  (void)state;
  expect(OURS, "/a/mylibschedgpu-preload.so", OURS ":/a/mylibschedgpu-preload.so");
}

static void our_library_can_be_removed(void **state) {
  (void)state;
  expect("", OURS ":/a.so", "/a.so");
  expect("", OURS, "");
  expect("", "/a.so", "/a.so");
}

static void a_list_that_does_not_fit_is_an_error(void **state) {
  (void)state;
  char text[8];
  assert_int_equal(sg_preload_merge("/a.so", OURS, "/b.so", text, sizeof text), SCHEDGPU_EINVAL);
  assert_int_equal(sg_preload_merge("/a.so", OURS, "", text, sizeof text), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_our_library),
      cmocka_unit_test(our_library_comes_before_the_users),
      cmocka_unit_test(a_nested_job_has_ours_once),
      cmocka_unit_test(a_name_that_ends_like_ours_is_not_ours),
      cmocka_unit_test(our_library_can_be_removed),
      cmocka_unit_test(a_list_that_does_not_fit_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
