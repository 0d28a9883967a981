/* epilog_test.c - schedgpu-epilog as a process, against a real region. */
#include "tests/hook_testing.h"
#include "../../libschedgpu/shell/sys/sluid.h"
#include <sys/shm.h>

/** Creates the region with job `id` in it. */
static void begin_job(uint64_t id) {
  struct schedgpu_setup setup = {.device_count = 1, .group = -1};
  struct schedgpu_job_spec spec = {.job_id = id,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = 1000,
                                   .mode = SCHEDGPU_MODE_PEAK,
                                   .device_mask = 1};
  setup.device[0].total_bytes = 16 * GIB;
  spec.budget_bytes[0] = GIB;
  assert_int_equal(schedgpu_admin_setup(in_folder("run"), &setup), 0);
  schedgpu_admin *admin = open_region();
  assert_int_equal(schedgpu_admin_job_begin(admin, &spec), 0);
  schedgpu_admin_close(admin);
}

static void a_job_is_ended(void **state) {
  (void)state;
  begin_job(42);
  begin_job(43);
  expect_silence();
  assert_int_equal(find_job(42, NULL), SCHEDGPU_ENOJOB);
  assert_int_equal(find_job(43, NULL), SCHEDGPU_OK);
}

/* Slurm 26.05 and newer. */
static void the_sluid_of_the_job_is_forgotten(void **state) {
  (void)state;
  begin_job(42);
  assert_int_equal(sg_sluid_record(in_folder("run"), "s7HC1W9R9G3Y00", 42), SCHEDGPU_OK);
  assert_int_equal(sg_sluid_record(in_folder("run"), "s7HC1W9R9G3Y01", 43), SCHEDGPU_OK);
  give("SLURM_JOB_SLUID=s7HC1W9R9G3Y00");
  expect_silence();
  uint64_t id;
  assert_false(sg_sluid_job(in_folder("run"), "s7HC1W9R9G3Y00", &id));
  assert_true(sg_sluid_job(in_folder("run"), "s7HC1W9R9G3Y01", &id));
}

static void a_second_end_succeeds_too(void **state) {
  (void)state;
  begin_job(42);
  expect_silence();
  expect_silence();
}

static void a_job_that_slurm_says_has_no_gpus_is_ended_too(void **state) {
  (void)state;
  begin_job(42);
  be_job("42", NULL);
  expect_silence();
  assert_int_equal(find_job(42, NULL), SCHEDGPU_ENOJOB);
}

static void without_a_region_a_job_without_gpus_ends_in_silence(void **state) {
  (void)state;
  configure("OnHookFailure=drain");
  be_job("42", NULL);
  expect_silence();
}

/** For example a schedgpu.conf that is just being written: no fault of the node, but logged. */
static void without_a_region_the_end_of_a_gpu_job_is_logged(void **state) {
  (void)state;
  configure("OnHookFailure=drain");
  expect_message(0, "has no region: nothing was freed");
}

static void devices_conf_is_not_needed(void **state) {
  (void)state;
  begin_job(42);
  unlink(in_folder("devices.conf"));
  expect_silence();
  assert_int_equal(find_job(42, NULL), SCHEDGPU_ENOJOB);
}

static void a_missing_configuration_is_reported_for_jobs_with_gpus(void **state) {
  (void)state;
  run_hook_with("--conf", "/nonexistent/schedgpu.conf");
  assert_int_equal(result.status, 0);
  assert_non_null(strstr(result.err, "job 42: /nonexistent/schedgpu.conf: cannot be read"));
  be_job("42", NULL);
  run_hook_with("--conf", "/nonexistent/schedgpu.conf");
  assert_int_equal(result.status, 0);
  assert_string_equal(result.err, "");
}

static void the_site_may_want_the_node_drained(void **state) {
  (void)state;
  configure("OnHookFailure=drain\nPolcy=fifo");
  expect_message(1, "did you mean Policy?");
  configure("Polcy=fifo");
  expect_message(0, "did you mean Policy?");
}

static void empty_all_files(void) {
  char command[PATH_MAX];
  snprintf(command, sizeof command, "cd %s/run && for f in *; do : > $f; done", folder);
  assert_int_equal(system(command), 0);
}

static void damaged_files_are_repaired(void **state) {
  (void)state;
  begin_job(42);
  empty_all_files();
  configure("OnHookFailure=drain");
  expect_silence();
  assert_int_equal(find_job(42, NULL), SCHEDGPU_ENOJOB);
}

/** Its checkpoint is gone too: only setup may create it again. */
static void a_region_damaged_beyond_repair_is_reported(void **state) {
  (void)state;
  schedgpu_admin *admin;
  struct schedgpu_region_info info;
  begin_job(42);
  assert_int_equal(schedgpu_admin_open(in_folder("run"), &admin), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_region_info(admin, &info), SCHEDGPU_OK);
  schedgpu_admin_close(admin);
  char *region = shmat(info.shmid, NULL, 0);
  assert_true(region != (void *)-1);
  memset(region, 0x55, 64);
  shmdt(region);
  empty_all_files();
  configure("OnHookFailure=drain");
  expect_message(1, "the region fails its checks");
}

static void a_stopped_holder_of_the_lock_is_named(void **state) {
  (void)state;
  char name[32];
  configure("HookTimeout=1s\nOnHookFailure=drain");
  begin_job(42);
  pid_t holder = stop_a_lock_holder();
  snprintf(name, sizeof name, "(pid %d, state T)", (int)holder);
  expect_message(1, name);
  kill_and_wait(holder);
  expect_silence();
  assert_int_equal(find_job(42, NULL), SCHEDGPU_ENOJOB);
}

static void help_and_version(void **state) {
  (void)state;
  run_hook_with("--help", NULL);
  assert_int_equal(result.status, 0);
  assert_non_null(strstr(result.out, "usage: schedgpu-epilog [--conf FILE]"));
  run_hook_with("--version", NULL);
  assert_string_equal(result.out, "schedgpu-epilog " SG_VERSION "\n");
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up_folder, remove_folder)
  const struct CMUnitTest tests[] = {
      UNIT(a_job_is_ended),
      UNIT(the_sluid_of_the_job_is_forgotten),
      UNIT(a_second_end_succeeds_too),
      UNIT(a_job_that_slurm_says_has_no_gpus_is_ended_too),
      UNIT(without_a_region_a_job_without_gpus_ends_in_silence),
      UNIT(without_a_region_the_end_of_a_gpu_job_is_logged),
      UNIT(devices_conf_is_not_needed),
      UNIT(a_missing_configuration_is_reported_for_jobs_with_gpus),
      UNIT(the_site_may_want_the_node_drained),
      UNIT(damaged_files_are_repaired),
      UNIT(a_region_damaged_beyond_repair_is_reported),
      UNIT(a_stopped_holder_of_the_lock_is_named),
      UNIT(help_and_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
