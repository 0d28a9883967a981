/* group_test.c - RegionGroup, looked up in a name service that this test replaces. */
#include "../../node/names.h"
#include "../conf/conf_testing.h"

static uint32_t answered_gid;
static int answer;

int sg_gid_of_name(const char *name, uint32_t *gid) {
  (void)name;
  *gid = answered_gid;
  return answer;
}

bool sg_name_of_uid(uint32_t uid, char *name, size_t size) {
  (void)uid;
  (void)name;
  (void)size;
  return false;
}

static struct schedgpu_setup setup;
static char error[256];

static int set_up_with(int rc, uint32_t gid) {
  struct sg_conf conf;
  struct sg_conf_devices devices = {.count = 0};
  sg_conf_defaults(&conf);
  strcpy(conf.region_group, "gpu");
  add_device(&devices, 0, 16 * GIB, 0, 4);
  answer = rc;
  answered_gid = gid;
  return sg_setup_of_conf(&conf, &devices, &setup, error, sizeof error);
}

static void the_largest_number_is_a_group(void **state) {
  (void)state;
  assert_int_equal(set_up_with(SCHEDGPU_OK, INT32_MAX), SCHEDGPU_OK);
  assert_int_equal(setup.group, INT32_MAX);
}

/** It would become negative, which means no group, and open the region to everyone. */
static void a_larger_number_is_refused(void **state) {
  (void)state;
  assert_int_equal(set_up_with(SCHEDGPU_OK, UINT32_C(1) << 31), SCHEDGPU_EINVAL);
  assert_non_null(strstr(error, "RegionGroup=gpu: its number 2147483648 is above 2147483647"));
  assert_int_equal(set_up_with(SCHEDGPU_OK, UINT32_MAX), SCHEDGPU_EINVAL);
}

static void a_failing_lookup_is_reported(void **state) {
  (void)state;
  assert_int_equal(set_up_with(SCHEDGPU_ESYSTEM, 0), SCHEDGPU_ESYSTEM);
  assert_non_null(strstr(error, "RegionGroup=gpu: groups cannot be looked up"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_number_is_a_group),
      cmocka_unit_test(a_larger_number_is_refused),
      cmocka_unit_test(a_failing_lookup_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
