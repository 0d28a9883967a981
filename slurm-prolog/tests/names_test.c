/* names_test.c - names of groups and users, which the statically linked prolog does not know
 * itself. */
#include "hook_testing.h"

static gid_t group_of_region(void) {
  struct stat st;
  assert_int_equal(stat(in_folder("run/region"), &st), 0);
  return st.st_gid;
}

static void the_regions_group_is_asked_for_by_name(void **state) {
  (void)state;
  configure("RegionGroup=daemon");
  expect_silence();
  assert_int_equal(group_of_region(), 1);
}

static void a_group_that_is_not_there_is_told(void **state) {
  (void)state;
  configure("RegionGroup=no-such-group");
  expect_message(0, "RegionGroup=no-such-group: there is no such group");
}

/** getent(1) takes them for numbers, and the text behind "-" for an option. */
static void a_number_and_an_option_are_no_names(void **state) {
  (void)state;
  configure("RegionGroup=1");
  expect_message(0, "RegionGroup=1: there is no such group");
  configure("RegionGroup=-i");
  expect_message(0, "RegionGroup=-i: there is no such group");
}

static int priority_of_a_high_job(const char *id, const char *uid) {
  struct schedgpu_job_spec spec;
  be_job_of(id, "1", uid);
  give("SPANK_SCHEDGPU_PRIORITY=high");
  expect_status(0);
  assert_int_equal(find_job(strtoull(id, NULL, 10), &spec), 0);
  return spec.priority;
}

static void a_user_is_known_by_name(void **state) {
  (void)state;
  configure("MaxPriority=60\nHighPriorityUsers=daemon");
  assert_int_equal(priority_of_a_high_job("42", "1"), 90);
  assert_int_equal(priority_of_a_high_job("43", "2"), 60);
  assert_int_equal(priority_of_a_high_job("44", "4294967290"), 60);
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up_folder, remove_folder)
  const struct CMUnitTest tests[] = {
      UNIT(the_regions_group_is_asked_for_by_name),
      UNIT(a_group_that_is_not_there_is_told),
      UNIT(a_number_and_an_option_are_no_names),
      UNIT(a_user_is_known_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
