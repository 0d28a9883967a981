/* shards_test.c - the budget of a job that has shards. Two devices of 16 GiB with shards of 1 GiB.
 */
#include "../conf/conf_testing.h"
#include "../../node/shards.h"

static struct sg_conf conf;
static struct sg_conf_devices devices;
static struct sg_job_options options;
static struct schedgpu_job_spec spec;
static char notice[512], error[1024];

static int set_up(void **state) {
  (void)state;
  sg_conf_defaults(&conf);
  memset(&options, 0, sizeof options);
  devices.count = 0;
  add_device(&devices, 0, 16 * GIB, 0, 1);
  add_device(&devices, 1, 16 * GIB, 1, 1);
  devices.device[0].shard_bytes = devices.device[1].shard_bytes = GIB;
  return 0;
}

static int decide(uint16_t gpu) {
  return sg_decide_job(&conf, &devices, &options, 42, getuid(), &gpu, 1, &spec, notice,
                       sizeof notice, error, sizeof error);
}

static void the_budget_is_what_the_shards_say(void **state) {
  (void)state;
  options.shards = 6;
  assert_int_equal(decide(1), 0);
  assert_int_equal(spec.device_mask, 2);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  assert_true(spec.budget_bytes[1] == 6 * GIB);
  assert_string_equal(notice, "");
}

static void a_smaller_budget_stays(void **state) {
  (void)state;
  options.shards = 6;
  strcpy(options.mem, "5G");
  assert_int_equal(decide(1), 0);
  assert_true(spec.budget_bytes[1] == 5 * GIB);
  assert_string_equal(notice, "");
}

static void a_larger_budget_is_lowered_and_reported(void **state) {
  (void)state;
  options.shards = 6;
  strcpy(options.mem, "7G");
  assert_int_equal(decide(0), 0);
  assert_true(spec.budget_bytes[0] == 6 * GIB);
  assert_string_equal(notice, "--schedgpu-mem=7G is more than the job's shards (6) stand for: "
                              "lowered to 6.0 GiB; for more ask for more shards");
  strcpy(options.priority, "100");
  assert_int_equal(decide(0), 0);
  assert_non_null(strstr(notice, "ask for more shards; --schedgpu-priority=100 is above"));
}

static void shards_go_before_the_sites_default(void **state) {
  (void)state;
  strcpy(conf.default_mem, "1G");
  options.shards = 2;
  assert_int_equal(decide(0), 0);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
  options.shards = 0; /* a whole GPU */
  assert_int_equal(decide(0), 0);
  assert_true(spec.budget_bytes[0] == GIB);
}

static void overbooked_shards_are_worth_at_most_the_device(void **state) {
  (void)state;
  options.shards = 24;
  assert_int_equal(decide(0), 0);
  assert_true(spec.budget_bytes[0] == 16 * GIB - 256 * MIB);
  options.shards = UINT32_MAX;
  devices.device[0].shard_bytes = UINT64_MAX;
  assert_int_equal(decide(0), 0);
  assert_true(spec.budget_bytes[0] == 16 * GIB - 256 * MIB);
}

static void shards_are_worth_at_most_max_mem(void **state) {
  (void)state;
  strcpy(conf.max_mem, "4G");
  options.shards = 6;
  assert_int_equal(decide(0), 0);
  assert_true(spec.budget_bytes[0] == 4 * GIB);
}

static void a_device_without_shards_ignores_them(void **state) {
  (void)state;
  devices.device[0].shard_bytes = 0;
  options.shards = 6;
  assert_int_equal(decide(0), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_ONDEMAND);
  assert_true(spec.budget_bytes[0] == 0);
}

static void a_gate_needs_no_budget_beside_shards(void **state) {
  (void)state;
  options.shards = 6;
  strcpy(options.mode, "gate");
  assert_int_equal(decide(0), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_GATE);
  assert_true(spec.budget_bytes[0] == 6 * GIB);
}

static void a_device_that_is_full_of_reserves_is_reported(void **state) {
  (void)state;
  devices.device[0].spec.reserved_bytes = 16 * GIB - 256 * MIB;
  options.shards = 2;
  assert_int_equal(decide(0), SCHEDGPU_ETOOBIG);
  assert_string_equal(error, "device 0 has no memory for a job of 2 shards");
}

static void only_numbers_are_shards(void **state) {
  (void)state;
  assert_int_equal(sg_parse_shards("12"), 12);
  assert_int_equal(sg_parse_shards("4294967295"), UINT32_MAX);
  const char *const wrong[] = {"", "x", "-1", " 1", "1x", "4294967296", "99999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(sg_parse_shards(wrong[i]), 0);
}

#define UNIT(test) cmocka_unit_test_setup(test, set_up)

int main(void) {
  const struct CMUnitTest tests[] = {
      UNIT(the_budget_is_what_the_shards_say),
      UNIT(a_smaller_budget_stays),
      UNIT(a_larger_budget_is_lowered_and_reported),
      UNIT(shards_go_before_the_sites_default),
      UNIT(overbooked_shards_are_worth_at_most_the_device),
      UNIT(shards_are_worth_at_most_max_mem),
      UNIT(a_device_without_shards_ignores_them),
      UNIT(a_gate_needs_no_budget_beside_shards),
      UNIT(a_device_that_is_full_of_reserves_is_reported),
      UNIT(only_numbers_are_shards),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
