/* device_list_test.c - the devices of a task and their names. Device 2 has the lowest virtual GPUs.
 */
#include "device_list.h"
#include "testing.h"

static struct sg_conf_devices devices;
static struct sg_device_list list, visible;
static char text[SG_DEVICE_TEXT];
static const char *denied;
static int opened;

static int set_up(void **state) {
  static const uint32_t physical[] = {2, 0, 5};
  (void)state;
  devices.count = 3;
  for (uint32_t d = 0; d < devices.count; d++) {
    struct sg_conf_device *device = &devices.device[d];
    memset(device, 0, sizeof *device);
    device->spec.index = physical[d];
    snprintf(device->spec.uuid, sizeof device->spec.uuid, "GPU-%u", physical[d]);
    snprintf(device->file, sizeof device->file, "/dev/nvidia%u", physical[d]);
    device->virtual_count = 2;
    device->virtual_index[0] = (uint16_t)(2 * d);
    device->virtual_index[1] = (uint16_t)(2 * d + 1);
  }
  denied = "";
  opened = 0;
  return 0;
}

static bool may_open(const char *file) {
  opened++;
  return strcmp(file, denied) != 0;
}

static bool nothing_may_be_opened(const char *file) {
  (void)file;
  return false;
}

static void parse(const char *gpus) {
  assert_int_equal(sg_device_list_parse(&devices, gpus, &list), 0);
}

static void devices_come_once_in_order_of_appearance(void **state) {
  (void)state;
  parse("0-3");
  assert_int_equal(list.count, 2);
  assert_int_equal(list.index[0], 2);
  assert_int_equal(list.index[1], 0);
}

static void an_invalid_list_is_refused(void **state) {
  (void)state;
  assert_int_equal(sg_device_list_parse(&devices, "GPU-2", &list), SCHEDGPU_EINVAL);
  assert_int_equal(sg_device_list_parse(&devices, "6", &list), SCHEDGPU_EDEVICE);
}

static void devices_are_named_by_uuid(void **state) {
  (void)state;
  parse("0-5");
  sg_device_list_uuids(&devices, &list, text);
  assert_string_equal(text, "GPU-2,GPU-0,GPU-5");
}

static void numbers_are_physical_without_a_cgroup(void **state) {
  (void)state;
  parse("0,4");
  sg_device_list_numbers(&list, NULL, text);
  assert_string_equal(text, "2,5");
}

static void numbers_are_places_inside_a_cgroup(void **state) {
  (void)state;
  parse("0-5");
  sg_device_list_numbers(&list, &list, text);
  assert_string_equal(text, "1,0,2");
  parse("4");
  sg_device_list_numbers(&list, &list, text);
  assert_string_equal(text, "0");
}

static void local_numbers_are_detected(void **state) {
  (void)state;
  assert_true(sg_numbers_are_local("3,4", "0,1"));
  assert_true(sg_numbers_are_local("3-5", "0-1"));
  assert_false(sg_numbers_are_local("3-4", "3,4"));
  assert_false(sg_numbers_are_local("3,4", "GPU-a"));
}

static void global_numbers_are_detected(void **state) {
  (void)state;
  assert_true(sg_numbers_are_global("3-4", "3,4"));
  assert_true(sg_numbers_are_global("1", "1"));
  assert_false(sg_numbers_are_global("0-1", "0,1"));
  assert_false(sg_numbers_are_global("3,4", "0,1"));
  assert_false(sg_numbers_are_global("3,4", "1,2")); /* places, beside those of another task */
  assert_false(sg_numbers_are_global("3,4", "GPU-a"));
}

static void devices_that_the_cgroup_denies_are_removed(void **state) {
  (void)state;
  parse("0-5");
  denied = "/dev/nvidia0";
  assert_true(sg_device_list_narrow(&devices, "0", may_open, &list, &visible));
  assert_int_equal(list.count, 2);
  assert_int_equal(list.index[0], 2);
  assert_int_equal(list.index[1], 5);
  assert_int_equal(visible.count, 2);
}

static void without_a_denial_the_tasks_own_list_counts(void **state) {
  (void)state;
  parse("0-3");
  assert_false(sg_device_list_narrow(&devices, "3", may_open, &list, &visible));
  assert_int_equal(list.count, 1);
  assert_int_equal(list.index[0], 0);
  assert_int_equal(visible.count, 2);
}

/* Inside a cgroup that shows 0, 2 and 5, as in a step with allow-task-sharing. */
static void a_tasks_own_device_keeps_its_place_among_the_steps(void **state) {
  static const char *const own[][2] = {{"0", "1"}, {"2", "0"}, {"4", "2"}};
  (void)state;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    parse("0,2,4");
    assert_false(sg_device_list_narrow(&devices, own[i][0], may_open, &list, &visible));
    sg_device_list_numbers(&list, &visible, text);
    assert_string_equal(text, own[i][1]);
  }
}

static void a_list_that_is_not_the_steps_does_not_count(void **state) {
  (void)state;
  parse("0-3");
  assert_false(sg_device_list_narrow(&devices, "4", may_open, &list, &visible));
  assert_int_equal(list.count, 2);
  assert_false(sg_device_list_narrow(&devices, "nonsense", may_open, &list, &visible));
  assert_int_equal(list.count, 2);
  assert_false(sg_device_list_narrow(&devices, NULL, may_open, &list, &visible));
  assert_int_equal(list.count, 2);
}

static void a_task_never_loses_all_devices(void **state) {
  (void)state;
  parse("0-3");
  assert_false(sg_device_list_narrow(&devices, NULL, nothing_may_be_opened, &list, &visible));
  assert_int_equal(list.count, 2);
}

static void one_device_is_not_opened(void **state) {
  (void)state;
  parse("0-1");
  assert_false(sg_device_list_narrow(&devices, "0", may_open, &list, &visible));
  assert_int_equal(opened, 0);
}

static void a_missing_file_is_not_a_denial(void **state) {
  (void)state;
  assert_true(sg_may_open_file("/nonexistent/nvidia0"));
  assert_true(sg_may_open_file("/dev/null"));
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup(test, set_up)
  const struct CMUnitTest tests[] = {
      UNIT(devices_come_once_in_order_of_appearance),
      UNIT(an_invalid_list_is_refused),
      UNIT(devices_are_named_by_uuid),
      UNIT(numbers_are_physical_without_a_cgroup),
      UNIT(numbers_are_places_inside_a_cgroup),
      UNIT(local_numbers_are_detected),
      UNIT(global_numbers_are_detected),
      UNIT(devices_that_the_cgroup_denies_are_removed),
      UNIT(without_a_denial_the_tasks_own_list_counts),
      UNIT(a_tasks_own_device_keeps_its_place_among_the_steps),
      UNIT(a_list_that_is_not_the_steps_does_not_count),
      UNIT(a_task_never_loses_all_devices),
      UNIT(one_device_is_not_opened),
      UNIT(a_missing_file_is_not_a_denial),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
