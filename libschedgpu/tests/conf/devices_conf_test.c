/* devices_conf_test.c - devices.conf, and the map from virtual GPUs to devices. */
#include "conf_testing.h"

#define COMMON "TotalBytes=5032116224 ReservedBytes=1048576 ContextBytes=67108864 "
#define LINE0 "NodeName=gpu1 Device=0 UUID=GPU-a File=/dev/nvidia0 " COMMON "Virtual=0-2,5 "
#define LINE1 "NodeName=gpu1 Device=3 UUID=GPU-b File=/dev/nvidia3 " COMMON "Virtual=3,4 "

static struct sg_conf_devices devices;
static char error[4096];

static int read_text(const char *text, const char *node) {
  const char *path = file_with(text);
  int rc = sg_conf_read_devices(path, node, &devices, error, sizeof error);
  unlink(path);
  return rc;
}

static void expect_refused(const char *text, const char *message) {
  assert_int_equal(read_text(text, "gpu1"), SCHEDGPU_EINVAL);
  if (!strstr(error, message))
    print_error("'%s' is not in: %s\n", message, error);
  assert_non_null(strstr(error, message));
}

static void every_key_is_mapped(void **state) {
  (void)state;
  assert_int_equal(read_text("# map\n" LINE0 "Name=\"Tesla K20m\"\n" LINE1 "\n", "gpu1"), 0);
  assert_int_equal(devices.count, 2);
  const struct sg_conf_device *d = &devices.device[0];
  assert_int_equal(d->spec.index, 0);
  assert_string_equal(d->spec.uuid, "GPU-a");
  assert_string_equal(d->spec.name, "Tesla K20m");
  assert_string_equal(d->file, "/dev/nvidia0");
  assert_true(d->spec.total_bytes == 5032116224);
  assert_true(d->spec.reserved_bytes == 1048576);
  assert_true(d->spec.context_bytes == 67108864);
  assert_int_equal(d->virtual_count, 4);
  assert_int_equal(d->virtual_index[3], 5);
  assert_int_equal(devices.device[1].spec.index, 3);
  assert_string_equal(devices.device[1].spec.name, "");
}

static void shards_are_counted_where_the_file_says_so(void **state) {
  (void)state;
  assert_int_equal(read_text(LINE0 "ShardBytes=1073741824\n" LINE1 "\n", "gpu1"), 0);
  assert_true(devices.device[0].shard_bytes == GIB);
  assert_true(devices.device[1].shard_bytes == 0);
  expect_refused(LINE0 "ShardBytes=0", "ShardBytes");
  expect_refused(LINE0 "ShardBytes=1 ShardBytes=1", "ShardBytes is given twice");
}

static void other_nodes_are_not_ours(void **state) {
  (void)state;
  assert_int_equal(read_text(LINE0 "\nNodeName=gpu2 Device=0 UUID=GPU-a File=/dev/nvidia0 " COMMON
                                   "Virtual=0-2\n",
                             "gpu2"),
                   0);
  assert_int_equal(devices.count, 1);
  assert_int_equal(devices.device[0].virtual_count, 3);
}

static void gpus_that_are_not_ours_are_known_and_have_no_device(void **state) {
  (void)state;
  uint32_t device[SCHEDGPU_MAX_DEVICES];
  bool repeated;
  assert_int_equal(read_text(LINE0 "\n" LINE1 "\nNodeName=gpu1 NotOurs=6-7\n"
                                   "NodeName=gpu2 NotOurs=0\n",
                             "gpu1"),
                   0);
  assert_int_equal(devices.count, 2);
  assert_int_equal(devices.not_ours_count, 2);
  assert_int_equal(sg_devices_of_virtual(&devices, (uint16_t[]){6, 7}, 2, device, &repeated), 0);
  assert_int_equal(sg_devices_of_virtual(&devices, (uint16_t[]){7, 3}, 2, device, &repeated), 1);
  assert_int_equal(device[0], 3);
  assert_int_equal(sg_devices_of_virtual(&devices, (uint16_t[]){8}, 1, device, &repeated),
                   SCHEDGPU_EDEVICE);
}

static void gpus_that_are_not_ours_have_one_line_of_their_own(void **state) {
  (void)state;
  expect_refused(LINE0 "NotOurs=6", "Device and NotOurs are on one line");
  expect_refused(LINE0 "\nNodeName=gpu1 NotOurs=5,6", "virtual GPU 5 is of device 0, and NotOurs");
  expect_refused(LINE0 "\nNodeName=gpu1 NotOurs=6\nNodeName=gpu1 NotOurs=7",
                 "NotOurs has two lines");
  expect_refused("NotOurs=6", "NodeName is missing");
  expect_refused("NodeName=gpu1 NotOurs=6 Name=x", "Name and NotOurs are on one line");
  expect_refused("NodeName=gpu1 NotOurs=6,6", "NotOurs");
  expect_refused("NodeName=gpu1 NotOurs=6", "no line with NodeName=gpu1");
}

static void a_node_without_lines_is_an_error(void **state) {
  (void)state;
  assert_int_equal(read_text(LINE0, "gpu9"), SCHEDGPU_EINVAL);
  assert_non_null(strstr(error, "no line with NodeName=gpu9: run `schedgpu gres`"));
}

static void a_missing_file_is_a_system_error(void **state) {
  (void)state;
  assert_int_equal(sg_conf_read_devices("/nonexistent/d", "gpu1", &devices, error, sizeof error),
                   SCHEDGPU_ESYSTEM);
  assert_non_null(strstr(error, "/nonexistent/d: cannot be read"));
}

static void every_key_but_the_name_is_needed(void **state) {
  (void)state;
  expect_refused("Name=x", "NodeName is missing");
  static const char *const needed[] = {"Device",        "UUID",         "File",   "TotalBytes",
                                       "ReservedBytes", "ContextBytes", "Virtual"};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    assert_non_null(strstr(error, needed[i]));
}

static void wrong_values_are_refused(void **state) {
  (void)state;
  expect_refused("Device=16", "Device=16: must be 0 to 15");
  expect_refused("Device=-1", "Device=-1");
  expect_refused("NodeName=gpu[1-4]", "NodeName=gpu[1-4]: must be one node, no hostlist");
  expect_refused("UUID=0", "UUID=0: must be a UUID");
  expect_refused("UUID=GPU-a,b", "UUID=GPU-a,b");
  expect_refused("UUID=GPU-123456789012345678901234567890123456789012345", "below 48 characters");
  expect_refused("File=nvidia0", "File=nvidia0: must be an absolute path");
  expect_refused("TotalBytes=0", "TotalBytes=0");
  expect_refused("TotalBytes=5G", "TotalBytes=5G: must be a number of bytes");
  expect_refused("ReservedBytes=99999999999999999999", "ReservedBytes=99999999999999999999");
  expect_refused("Virtual=3-1", "Virtual=3-1: must be different indexes");
  expect_refused("Virtual=0,0", "Virtual=0,0");
  expect_refused("Virtul=0", "unknown key 'Virtul': did you mean Virtual?");
  expect_refused(LINE0 " Device=1", "Device is given twice");
}

static void control_characters_in_values_are_refused(void **state) {
  (void)state;
  expect_refused(LINE0 "\n" LINE1 "Name=\"Tesla\rK20m\"",
                 ":2: Name: the value has a control character (0x0d): remove it");
  expect_refused(LINE0 "Name=Tesla\x1b", "(0x1b): remove it");
  expect_refused("NodeName=\"gpu1\t\" NotOurs=6", "NodeName: the value has a control character");
  assert_int_equal(read_text(LINE0 "\tName=\"K20m\"\r\n", "gpu1"), 0);
  assert_string_equal(devices.device[0].spec.name, "K20m");
}

static void a_value_in_two_lines_is_refused(void **state) {
  (void)state;
  expect_refused(LINE0 "\n" LINE0, "Device=0 has two lines");
  assert_non_null(strstr(error, "UUID=GPU-a has two lines"));
  assert_non_null(strstr(error, "virtual GPU 0 is of device 0 already"));
}

static void reserves_beyond_the_total(void **state) {
  (void)state;
  expect_refused("NodeName=gpu1 Device=0 UUID=GPU-a File=/d TotalBytes=100 ReservedBytes=60 "
                 "ContextBytes=41 Virtual=0",
                 "ReservedBytes and ContextBytes are more than TotalBytes");
}

static void index_lists(void **state) {
  (void)state;
  uint16_t index[8];
  assert_int_equal(sg_parse_index_list("0,3-5", index, 8), 4);
  assert_int_equal(index[0], 0);
  assert_int_equal(index[3], 5);
  assert_int_equal(sg_parse_index_list("4095", index, 8), 1);
  assert_int_equal(sg_parse_index_list("0-7", index, 8), 8);
}

static void other_index_lists_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"",    ",",    "0,",  "-1",   "1-",    "a",
                                      "0-8", "2-1",  "0 1", "4096", "99999", "0-99999999999",
                                      "0;1", "[0-1]"};
  uint16_t index[8];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(sg_parse_index_list(wrong[i], index, 8), SCHEDGPU_EINVAL);
}

static void devices_come_once_in_order_of_appearance(void **state) {
  (void)state;
  static const uint16_t virtual_gpus[] = {4, 0, 3, 5};
  uint32_t device[SCHEDGPU_MAX_DEVICES];
  bool repeated;
  assert_int_equal(read_text(LINE0 "\n" LINE1, "gpu1"), 0);
  assert_int_equal(sg_devices_of_virtual(&devices, virtual_gpus, 4, device, &repeated), 2);
  assert_int_equal(device[0], 3);
  assert_int_equal(device[1], 0);
  assert_true(repeated);
  assert_int_equal(sg_devices_of_virtual(&devices, virtual_gpus, 2, device, &repeated), 2);
  assert_false(repeated);
}

static void an_unknown_virtual_gpu_has_no_device(void **state) {
  (void)state;
  static const uint16_t virtual_gpus[] = {0, 6};
  uint32_t device[SCHEDGPU_MAX_DEVICES];
  bool repeated;
  assert_int_equal(read_text(LINE0 "\n" LINE1, "gpu1"), 0);
  assert_int_equal(sg_devices_of_virtual(&devices, virtual_gpus, 2, device, &repeated),
                   SCHEDGPU_EDEVICE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_key_is_mapped),
      cmocka_unit_test(shards_are_counted_where_the_file_says_so),
      cmocka_unit_test(other_nodes_are_not_ours),
      cmocka_unit_test(gpus_that_are_not_ours_are_known_and_have_no_device),
      cmocka_unit_test(gpus_that_are_not_ours_have_one_line_of_their_own),
      cmocka_unit_test(a_node_without_lines_is_an_error),
      cmocka_unit_test(a_missing_file_is_a_system_error),
      cmocka_unit_test(every_key_but_the_name_is_needed),
      cmocka_unit_test(wrong_values_are_refused),
      cmocka_unit_test(control_characters_in_values_are_refused),
      cmocka_unit_test(a_value_in_two_lines_is_refused),
      cmocka_unit_test(reserves_beyond_the_total),
      cmocka_unit_test(index_lists),
      cmocka_unit_test(other_index_lists_are_refused),
      cmocka_unit_test(devices_come_once_in_order_of_appearance),
      cmocka_unit_test(an_unknown_virtual_gpu_has_no_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
