/* decision_test.c - what a job gets by its options. One device of 16 GiB and one of 8 GiB. */
#include "../conf/conf_testing.h"

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
  add_device(&devices, 0, 16 * GIB, 0, 4);
  add_device(&devices, 1, 8 * GIB, 4, 4);
  return 0;
}

static int decide(const char *gpus) {
  uint16_t index[16];
  int count = sg_parse_index_list(gpus, index, 16);
  return sg_decide_job(&conf, &devices, &options, 42, getuid(), index, (uint32_t)count, &spec,
                       notice, sizeof notice, error, sizeof error);
}

static void expect_error(int rc, const char *gpus, const char *message) {
  assert_int_equal(decide(gpus), rc);
  if (!strstr(error, message))
    print_error("'%s' is not in: %s\n", message, error);
  assert_non_null(strstr(error, message));
}

static void without_a_budget_allocations_come_on_demand(void **state) {
  (void)state;
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_ONDEMAND);
  assert_true(spec.budget_bytes[0] == 0);
  assert_int_equal(spec.device_mask, 1);
  assert_int_equal(spec.kind, SCHEDGPU_JOB_SLURM);
  assert_true(spec.job_id == 42);
  assert_int_equal(spec.uid, getuid());
  assert_int_equal(spec.priority, 50);
  assert_true(spec.wait_ns == SCHEDGPU_FOREVER);
  assert_string_equal(notice, "");
}

static void a_budget_makes_the_mode_peak(void **state) {
  (void)state;
  strcpy(options.mem, "2G");
  assert_int_equal(decide("1,5"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  assert_int_equal(spec.device_mask, 3);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
  assert_true(spec.budget_bytes[1] == 2 * GIB);
}

static void a_mode_may_be_chosen_beside_a_budget(void **state) {
  (void)state;
  strcpy(options.mem, "2G");
  strcpy(options.mode, "ondemand");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_ONDEMAND);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
}

static void peak_without_a_budget_is_refused(void **state) {
  (void)state;
  strcpy(options.mode, "peak");
  expect_error(SCHEDGPU_EINVAL, "1", "--schedgpu-mode=peak needs a budget: add --schedgpu-mem");
}

static void a_gate_has_a_budget(void **state) {
  (void)state;
  strcpy(options.mode, "gate");
  expect_error(SCHEDGPU_EINVAL, "1",
               "--schedgpu-mode=gate needs a budget: add --schedgpu-mem (this site has no "
               "DefaultMem)");
  strcpy(options.mem, "2G");
  assert_int_equal(decide("1,5"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_GATE);
  assert_true(spec.budget_bytes[0] == 2 * GIB && spec.budget_bytes[1] == 2 * GIB);
  strcpy(options.mem, "");
  strcpy(conf.default_mem, "25%");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_GATE);
  assert_true(spec.budget_bytes[0] == 4 * GIB);
}

static void overflow_fails_by_default(void **state) {
  (void)state;
  strcpy(options.mem, "2G");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.flags, 0);
  strcpy(options.overflow, "wait");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.flags, SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
  conf.overflow_waits = true;
  strcpy(options.overflow, "");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.flags, SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
  strcpy(options.overflow, "fail");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.flags, 0);
}

static void overflow_waits_in_mode_peak_only(void **state) {
  (void)state;
  strcpy(options.overflow, "wait");
  expect_error(SCHEDGPU_EINVAL, "1", "--schedgpu-overflow=wait needs a budget: add --schedgpu-mem");
  strcpy(options.mem, "2G");
  strcpy(options.mode, "gate");
  expect_error(
      SCHEDGPU_EINVAL, "1",
      "--schedgpu-overflow=wait is for mode peak only: leave out that or --schedgpu-mode=gate");
  strcpy(options.mode, "ondemand");
  expect_error(SCHEDGPU_EINVAL, "1", "leave out that or --schedgpu-mode=ondemand");
  strcpy(options.mode, "peak");
  assert_int_equal(decide("1"), 0);
  strcpy(options.overflow, "never");
  expect_error(SCHEDGPU_EINVAL, "1", "--schedgpu-overflow=never: must be fail or wait");
}

/* The default applies only to jobs whose mode allows it. */
static void the_sites_overflow_does_not_concern_other_modes(void **state) {
  (void)state;
  conf.overflow_waits = true;
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.flags, 0);
  strcpy(options.mem, "2G");
  strcpy(options.mode, "gate");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.flags, 0);
}

static void a_job_has_one_process_unless_it_says_more(void **state) {
  (void)state;
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.processes, 1);
  strcpy(options.processes, "4");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.processes, 4);
}

static void the_budget_is_beside_the_contexts_of_all_processes(void **state) {
  (void)state;
  strcpy(options.processes, "4");
  strcpy(options.mem, "100%");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.budget_bytes[0] == 15 * GIB);
  strcpy(options.mem, "15361M");
  expect_error(
      SCHEDGPU_ETOOBIG, "1",
      "--schedgpu-mem=15361M is more than device 0 can give a job: 15.0 GiB (16.0 GiB in all, "
      "less 0.0 GiB reserved and 1.0 GiB for 4 CUDA contexts): at most 15360M");
}

static void more_processes_than_contexts_fit_are_refused(void **state) {
  static const char *const mem[] = {"", "1G"};
  (void)state;
  strcpy(options.processes, "33");
  for (int i = 0; i < 2; i++) {
    strcpy(options.mem, mem[i]);
    expect_error(SCHEDGPU_ETOOBIG, "1,5",
                 "--schedgpu-processes=33 is more than device 1 has room for: 8.0 GiB for jobs, a "
                 "CUDA context takes 0.3 GiB: at most 32");
  }
}

static void the_sites_default_is_the_budget_of_jobs_without_one(void **state) {
  (void)state;
  strcpy(conf.default_mem, "25%");
  assert_int_equal(decide("1,5"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  assert_true(spec.budget_bytes[0] == 4 * GIB);
  assert_true(spec.budget_bytes[1] == 2 * GIB);
  strcpy(options.mem, "1G");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.budget_bytes[0] == GIB);
}

static void two_shares_of_a_device_have_one_budget(void **state) {
  (void)state;
  strcpy(options.mem, "2G");
  assert_int_equal(decide("1,2"), 0);
  assert_int_equal(spec.device_mask, 1);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
}

static void distinct_refuses_two_shares_of_a_device(void **state) {
  (void)state;
  options.distinct = true;
  expect_error(SCHEDGPU_EINVAL, "5,1,3",
               "--schedgpu-distinct: the virtual GPUs 1 and 3 are both of device 0: ask again, or "
               "leave --schedgpu-distinct out");
  assert_int_equal(decide("1,5"), 0);
}

static void a_percentage_is_capped_to_what_the_device_gives(void **state) {
  (void)state;
  strcpy(conf.safety_margin, "1G");
  devices.device[0].spec.reserved_bytes = GIB;
  strcpy(options.mem, "100%");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.budget_bytes[0] == 14 * GIB - 256 * MIB);
}

static void an_odd_percentage_is_a_multiple_of_512(void **state) {
  (void)state;
  devices.device[0].spec.total_bytes = 5032116224;
  strcpy(options.mem, "33%");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.budget_bytes[0] % 512 == 0);
  assert_true(spec.budget_bytes[0] >= 5032116224 / 100 * 33);
}

static void a_size_above_the_device_is_refused_with_the_numbers(void **state) {
  (void)state;
  strcpy(options.mem, "16G");
  expect_error(
      SCHEDGPU_ETOOBIG, "1",
      "--schedgpu-mem=16G is more than device 0 can give a job: 15.8 GiB (16.0 GiB in all, "
      "less 0.0 GiB reserved and 0.3 GiB for a CUDA context): at most 16128M");
  strcpy(options.mem, "16128M");
  assert_int_equal(decide("1"), 0);
  strcpy(options.mem, "10G");
  expect_error(SCHEDGPU_ETOOBIG, "1,5", "device 1");
}

static void a_size_above_max_mem_is_refused_by_that_name(void **state) {
  (void)state;
  strcpy(conf.max_mem, "4G");
  strcpy(options.mem, "5G");
  expect_error(SCHEDGPU_ETOOBIG, "1", "--schedgpu-mem=5G is more than MaxMem=4G");
  strcpy(options.mem, "100%");
  expect_error(SCHEDGPU_ETOOBIG, "1", "--schedgpu-mem=100% is more than MaxMem=4G");
  strcpy(options.mem, "4G");
  assert_int_equal(decide("1"), 0);
  strcpy(conf.max_mem, "50%");
  strcpy(options.mem, "5G");
  expect_error(SCHEDGPU_ETOOBIG, "1,5", "MaxMem=50% of this site allows on device 1: 4.0 GiB");
}

static void a_device_without_free_memory_is_reported(void **state) {
  (void)state;
  strcpy(conf.safety_margin, "100%");
  strcpy(options.mem, "10%");
  expect_error(SCHEDGPU_ETOOBIG, "1", "more than device 0 can give");
}

static void a_default_that_is_too_big_is_reported_by_its_key(void **state) {
  (void)state;
  strcpy(conf.default_mem, "20G");
  expect_error(SCHEDGPU_ETOOBIG, "1", "DefaultMem=20G is more than device 0");
}

static void a_priority_above_the_limit_is_lowered_and_reported(void **state) {
  (void)state;
  conf.max_priority = 60;
  strcpy(options.priority, "high");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.priority, 60);
  assert_string_equal(notice, "--schedgpu-priority=high is above MaxPriority: lowered to 60");
}

static void a_priority_within_the_limit_is_kept(void **state) {
  (void)state;
  strcpy(options.priority, "90");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.priority, 90);
  assert_string_equal(notice, "");
}

static void named_users_may_exceed_the_limit(void **state) {
  (void)state;
  conf.max_priority = 60;
  strcpy(options.priority, "100");
  snprintf(conf.high_priority_users, sizeof conf.high_priority_users, "nobody,%u", getuid());
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.priority, 100);
  snprintf(conf.high_priority_users, sizeof conf.high_priority_users, "1%u", getuid());
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.priority, 60);
}

static void users_may_be_named_by_name(void **state) {
  (void)state;
  uint16_t gpu = 0;
  conf.max_priority = 60;
  strcpy(options.priority, "100");
  strcpy(conf.high_priority_users, "root");
  assert_int_equal(sg_decide_job(&conf, &devices, &options, 42, 0, &gpu, 1, &spec, notice,
                                 sizeof notice, error, sizeof error),
                   0);
  assert_int_equal(spec.priority, 100);
}

static void the_jobs_wait_goes_before_the_sites(void **state) {
  (void)state;
  conf.wait_ns = 60 * SECOND_NS;
  assert_int_equal(decide("1"), 0);
  assert_true(spec.wait_ns == 60 * SECOND_NS);
  strcpy(options.wait, "forever");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.wait_ns == SCHEDGPU_FOREVER);
  strcpy(options.wait, "0");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.wait_ns == 0);
}

static void an_unknown_virtual_gpu_is_reported(void **state) {
  (void)state;
  expect_error(SCHEDGPU_EDEVICE, "8", "not all in devices.conf: run `schedgpu gres`");
}

static void a_job_whose_gpus_are_not_ours_is_left_alone(void **state) {
  (void)state;
  devices.not_ours[0] = 8;
  devices.not_ours_count = 1;
  strcpy(options.mem, "90G");
  assert_int_equal(decide("8"), 0);
  assert_int_equal(spec.device_mask, 0);
  devices.not_ours_count = 0;
}

static void expect_option_refused(char *field, const char *value, const char *message) {
  strcpy(field, value);
  assert_int_equal(sg_options_check(&options, error, sizeof error), SCHEDGPU_EINVAL);
  assert_string_equal(error, message);
  field[0] = '\0';
}

static void wrong_options_are_refused_with_what_is_allowed(void **state) {
  (void)state;
  expect_option_refused(options.mem, "lots",
                        "--schedgpu-mem=lots: must be a size (512M, 6G, 6GiB, a bare number of "
                        "MiB) or a percentage (40%) above 0");
  expect_option_refused(options.mem, "0%",
                        "--schedgpu-mem=0%: must be a size (512M, 6G, 6GiB, a bare number of "
                        "MiB) or a percentage (40%) above 0");
  expect_option_refused(options.priority, "urgent",
                        "--schedgpu-priority=urgent: must be low, normal, high or 0 to 100");
  expect_option_refused(options.mode, "gates",
                        "--schedgpu-mode=gates: must be peak, ondemand or gate");
  expect_option_refused(options.wait, "-1",
                        "--schedgpu-wait=-1: must be a time (500ms, 30s, 5m, 2h, MM:SS, HH:MM:SS, "
                        "a bare number of seconds) or forever");
  static const char *const processes[] = {"0", "1025", "-1", "two", "1x", "99999999999999999999"};
  for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
    char message[128];
    snprintf(message, sizeof message, "--schedgpu-processes=%s: must be a number from 1 to 1024",
             processes[i]);
    expect_option_refused(options.processes, processes[i], message);
  }
  assert_int_equal(sg_options_check(&options, error, sizeof error), SCHEDGPU_OK);
}

static void right_options_are_accepted(void **state) {
  (void)state;
  options = (struct sg_job_options){.mem = "40%",
                                    .priority = "low",
                                    .mode = "peak",
                                    .wait = "forever",
                                    .processes = "1024",
                                    .distinct = true};
  assert_int_equal(sg_options_check(&options, error, sizeof error), SCHEDGPU_OK);
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup(test, set_up)
  const struct CMUnitTest tests[] = {
      UNIT(without_a_budget_allocations_come_on_demand),
      UNIT(a_budget_makes_the_mode_peak),
      UNIT(a_mode_may_be_chosen_beside_a_budget),
      UNIT(peak_without_a_budget_is_refused),
      UNIT(a_gate_has_a_budget),
      UNIT(overflow_fails_by_default),
      UNIT(overflow_waits_in_mode_peak_only),
      UNIT(the_sites_overflow_does_not_concern_other_modes),
      UNIT(a_job_has_one_process_unless_it_says_more),
      UNIT(the_budget_is_beside_the_contexts_of_all_processes),
      UNIT(more_processes_than_contexts_fit_are_refused),
      UNIT(the_sites_default_is_the_budget_of_jobs_without_one),
      UNIT(two_shares_of_a_device_have_one_budget),
      UNIT(distinct_refuses_two_shares_of_a_device),
      UNIT(a_percentage_is_capped_to_what_the_device_gives),
      UNIT(an_odd_percentage_is_a_multiple_of_512),
      UNIT(a_size_above_the_device_is_refused_with_the_numbers),
      UNIT(a_size_above_max_mem_is_refused_by_that_name),
      UNIT(a_device_without_free_memory_is_reported),
      UNIT(a_default_that_is_too_big_is_reported_by_its_key),
      UNIT(a_priority_above_the_limit_is_lowered_and_reported),
      UNIT(a_priority_within_the_limit_is_kept),
      UNIT(named_users_may_exceed_the_limit),
      UNIT(users_may_be_named_by_name),
      UNIT(the_jobs_wait_goes_before_the_sites),
      UNIT(an_unknown_virtual_gpu_is_reported),
      UNIT(a_job_whose_gpus_are_not_ours_is_left_alone),
      UNIT(wrong_options_are_refused_with_what_is_allowed),
      UNIT(right_options_are_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
