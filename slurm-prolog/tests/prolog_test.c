/* prolog_test.c - schedgpu-prolog as a process, against a real region. */
#include "hook_testing.h"
#include <grp.h>

#define PROLOGS 8

static void expect_no_region(void) {
  schedgpu_admin *admin;
  assert_int_equal(schedgpu_admin_open(in_folder("run"), &admin), SCHEDGPU_ENOREGION);
}

static void a_job_is_registered_with_its_options(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  give("SPANK_SCHEDGPU_MEM=2G");
  give("SPANK_SCHEDGPU_PRIORITY=low");
  give("SPANK_SCHEDGPU_WAIT=1m");
  expect_silence();
  assert_int_equal(find_job(42, &spec), 0);
  assert_int_equal(spec.uid, 1000);
  assert_int_equal(spec.priority, 10);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  assert_int_equal(spec.device_mask, 3);
  assert_true(spec.wait_ns == INT64_C(60000000000));
  assert_true(spec.budget_bytes[1] == 2 * GIB);
}

static void a_gate_and_the_number_of_processes_are_registered(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  give("SPANK_SCHEDGPU_MEM=2G");
  give("SPANK_SCHEDGPU_MODE=gate");
  give("SPANK_SCHEDGPU_PROCESSES=4");
  expect_silence();
  assert_int_equal(find_job(42, &spec), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_GATE);
  assert_int_equal(spec.processes, 4);
}

static void a_job_without_options_gets_the_sites(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  configure("DefaultMem=25%");
  expect_silence();
  assert_int_equal(find_job(42, &spec), 0);
  assert_true(spec.budget_bytes[0] == 4 * GIB);
}

static void a_second_start_of_a_job_updates_it(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  give("SPANK_SCHEDGPU_MEM=2G");
  expect_silence();
  be_job("42", "2");
  give("SLURM_JOB_RESTART_COUNT=1");
  give("SPANK_SCHEDGPU_MEM=3G");
  expect_silence();
  assert_int_equal(find_job(42, &spec), 0);
  assert_int_equal(spec.device_mask, 1);
  assert_true(spec.budget_bytes[0] == 3 * GIB);
  schedgpu_admin *admin = open_region();
  assert_int_equal(schedgpu_admin_job_end(admin, SCHEDGPU_JOB_SLURM, 42), SCHEDGPU_OK);
  assert_int_equal(schedgpu_admin_job_end(admin, SCHEDGPU_JOB_SLURM, 42), SCHEDGPU_ENOJOB);
  schedgpu_admin_close(admin);
}

static void a_reused_id_of_another_user_is_a_new_job(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  expect_silence();
  be_job_of("42", "1", "1001");
  expect_silence();
  assert_int_equal(find_job(42, &spec), 0);
  assert_int_equal(spec.uid, 1001);
}

static void a_job_without_gpus_is_ignored(void **state) {
  (void)state;
  be_job("42", NULL);
  unlink(in_folder("schedgpu.conf"));
  expect_silence();
  be_job("42", "");
  expect_silence();
  expect_no_region();
}

static void a_job_that_is_off_is_not_registered(void **state) {
  (void)state;
  give("SPANK_SCHEDGPU_OFF=1");
  expect_silence();
  expect_no_region();
}

/* Slurm 26.05 and newer. */
static void the_sluid_of_the_job_is_recorded(void **state) {
  (void)state;
  char number[8];
  give("SLURM_JOB_SLUID=s7HC1W9R9G3Y00");
  expect_silence();
  ssize_t n = readlink(in_folder("run/sluid/s7HC1W9R9G3Y00"), number, sizeof number);
  assert_int_equal(n, 2);
  assert_memory_equal(number, "42", 2);
}

static void an_invalid_sluid_is_reported(void **state) {
  (void)state;
  give("SLURM_JOB_SLUID=../x");
  expect_message(0, "SLURM_JOB_SLUID=../x is not as Slurm writes it");
}

static void a_lowered_priority_is_logged(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  configure("MaxPriority=60");
  give("SPANK_SCHEDGPU_PRIORITY=high");
  expect_message(0, "schedgpu-prolog: job 42: --schedgpu-priority=high is above MaxPriority");
  assert_int_equal(find_job(42, &spec), 0);
  assert_int_equal(spec.priority, 60);
}

static void the_jobs_own_mistake_never_drains_the_node(void **state) {
  (void)state;
  configure("OnHookFailure=drain");
  give("SPANK_SCHEDGPU_MEM=lots");
  expect_message(0, "environment variable SPANK_SCHEDGPU_MEM: --schedgpu-mem=lots: must be");
  be_job("42", "1");
  give("SPANK_SCHEDGPU_MEM=17G");
  expect_message(0, "--schedgpu-mem=17G is more than device 0 can give");
  be_job("42", "1,2");
  give("SPANK_SCHEDGPU_DISTINCT=1");
  expect_message(0, "the virtual GPUs 1 and 2 are both of device 0");
  be_job("42", "1");
  give("SPANK_SCHEDGPU_MEM=1G");
  give("SPANK_SCHEDGPU_LANE=fair");
  give("SLURM_JOB_NUM_NODES=2");
  expect_message(0, "--schedgpu-lane=fair is for jobs on one node, and this one has 2");
  expect_no_region();
}

static void a_missing_configuration_is_reported(void **state) {
  (void)state;
  unlink(in_folder("schedgpu.conf"));
  run_hook_with("--conf", "/nonexistent/schedgpu.conf");
  assert_int_equal(result.status, 0);
  assert_non_null(strstr(result.err, "job 42: /nonexistent/schedgpu.conf: cannot be read"));
}

static void a_wrong_configuration_is_reported_in_one_line(void **state) {
  (void)state;
  configure("Polcy=fifo\nGrace=x");
  expect_message(0, "did you mean Policy?;");
}

/** ESC, and U+009B, which means the same as ESC and [. */
static void an_option_writes_no_line_and_no_escape_sequence(void **state) {
  (void)state;
  give("SPANK_SCHEDGPU_MEM=\n\033[2J\r\302\233\177");
  expect_message(0, "--schedgpu-mem=;?[2J????: must be");
}

static void the_site_may_want_the_node_drained(void **state) {
  (void)state;
  configure("OnHookFailure=drain\nPolcy=fifo");
  expect_message(1, "did you mean Policy?");
  configure("OnHookFailure=drain");
  unlink(in_folder("devices.conf"));
  expect_message(1, "devices.conf: cannot be read");
}

static void a_node_missing_in_devices_conf_is_reported(void **state) {
  (void)state;
  write_file("devices.conf", "# empty\n");
  expect_message(0, "no line with NodeName=gpu1: run `schedgpu gres` for this node");
}

static void an_unknown_virtual_gpu_is_the_nodes_fault(void **state) {
  (void)state;
  configure("OnHookFailure=drain");
  be_job("42", "8");
  expect_message(1, "not all in devices.conf");
}

static void driver_has(const char *uuid, const char *minor) {
  char name[64];
  mkdir(in_folder("gpus"), 0700);
  snprintf(name, sizeof name, "gpus/%s", minor);
  assert_int_equal(mkdir(in_folder(name), 0700), 0);
  strcat(name, "/information");
  write_file(name, "GPU UUID: \t %s\nDevice Minor: \t %s\n", uuid, minor);
}

static void a_replaced_gpu_fails_the_node_and_not_the_job(void **state) {
  (void)state;
  driver_has("GPU-a", "0");
  driver_has("GPU-new", "1");
  expect_message(1, "device 1 is GPU-b, but /dev/nvidia1 is GPU-new: a GPU was replaced");
  expect_no_region();
  be_job("43", "1");
  expect_silence();
}

static void append_to_devices_conf(const char *line) {
  FILE *file = fopen(in_folder("devices.conf"), "a");
  assert_non_null(file);
  fprintf(file, "%s\n", line);
  fclose(file);
}

static void a_job_whose_gpus_are_not_ours_is_left_alone(void **state) {
  (void)state;
  configure("OnHookFailure=drain");
  append_to_devices_conf("NodeName=gpu1 NotOurs=8-9");
  be_job("42", "8,9");
  expect_silence();
  expect_no_region();
}

static void malformed_values_of_slurm_are_refused(void **state) {
  (void)state;
  be_job("42", "a");
  expect_message(0, "SLURM_JOB_GPUS=a or SLURM_JOB_UID is not as Slurm writes it");
  be_job("4x", "1");
  expect_message(0, "SLURM_JOB_ID is missing or not a number");
}

static void a_failure_to_create_the_region_is_reported(void **state) {
  (void)state;
  configure("OnHookFailure=drain");
  write_file("run", "a file where the folder should be");
  expect_message(1, "the region in ");
}

static void a_hook_that_hangs_gives_up(void **state) {
  (void)state;
  configure("HookTimeout=1s");
  unlink(in_folder("devices.conf"));
  assert_int_equal(mkfifo(in_folder("devices.conf"), 0600), 0);
  expect_message(0, "job 42: not finished after 1000 ms (HookTimeout): stopped");
  configure("HookTimeout=1s\nOnHookFailure=drain");
  expect_message(1, "(HookTimeout): stopped");
}

static void a_stopped_holder_of_the_lock_is_named(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  char name[32];
  configure("HookTimeout=1s");
  expect_silence();
  pid_t holder = stop_a_lock_holder();
  snprintf(name, sizeof name, "(pid %d, state T)", (int)holder);
  be_job("43", "1");
  expect_message(0, name);
  kill_and_wait(holder);
  expect_silence();
  assert_int_equal(find_job(43, &spec), 0);
}

static void many_first_jobs_make_one_region(void **state) {
  (void)state;
  pid_t pid[PROLOGS];
  struct schedgpu_job_spec spec;
  for (int i = 0; i < PROLOGS; i++) {
    char id[16];
    snprintf(id, sizeof id, "%d", 100 + i);
    be_job(id, "1");
    pid[i] = start_hook(NULL, NULL);
  }
  for (int i = 0; i < PROLOGS; i++)
    assert_int_equal(wait_for(pid[i]), 0);
  for (int i = 0; i < PROLOGS; i++)
    assert_int_equal(find_job(100 + (uint64_t)i, &spec), 0);
}

static gid_t group_of_file(const char *name) {
  struct stat st;
  assert_int_equal(stat(in_folder(name), &st), 0);
  return st.st_gid;
}

/** The program cannot use the C library for it: names_getent.c. */
static void a_group_by_name_gets_the_region(void **state) {
  (void)state;
  char line[128];
  struct group *group = getgrnam("daemon");
  if (geteuid() != 0 || !group)
    skip(); /* only root can give files to another group */
  gid_t gid = group->gr_gid;
  snprintf(line, sizeof line, "RegionGroup=%s", group->gr_name);
  configure(line);
  expect_silence();
  assert_int_not_equal(gid, getegid());
  assert_int_equal(group_of_file("run/region"), gid);
  assert_int_equal(group_of_file("run/live"), gid);
}

static void an_unknown_group_is_reported(void **state) {
  (void)state;
  configure("OnHookFailure=drain\nRegionGroup=no-such-group");
  expect_message(1, "RegionGroup=no-such-group: there is no such group");
  configure("OnHookFailure=drain\nRegionGroup=0"); /* the id of a group is not a name */
  expect_message(1, "RegionGroup=0: there is no such group");
  expect_no_region();
}

/** The user's own id is looked up as well. */
static void a_user_by_name_may_exceed_the_limit(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  configure("MaxPriority=60\nHighPriorityUsers=root");
  be_job_of("42", "1", "0");
  give("SPANK_SCHEDGPU_PRIORITY=high");
  expect_silence();
  assert_int_equal(find_job(42, &spec), 0);
  assert_true(spec.priority > 60);
}

static void help_and_version(void **state) {
  (void)state;
  run_hook_with("--help", NULL);
  assert_int_equal(result.status, 0);
  assert_non_null(strstr(result.out, "usage: schedgpu-prolog [--conf FILE]"));
  run_hook_with("--version", NULL);
  assert_int_equal(result.status, 0);
  assert_string_equal(result.out, "schedgpu-prolog " SG_VERSION "\n");
  run_hook_with("--what", NULL);
  assert_int_equal(result.status, 64);
  assert_non_null(strstr(result.err, "--what: unknown argument"));
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up_folder, remove_folder)
  const struct CMUnitTest tests[] = {
      UNIT(a_job_is_registered_with_its_options),
      UNIT(a_gate_and_the_number_of_processes_are_registered),
      UNIT(a_job_without_options_gets_the_sites),
      UNIT(a_second_start_of_a_job_updates_it),
      UNIT(a_reused_id_of_another_user_is_a_new_job),
      UNIT(a_job_without_gpus_is_ignored),
      UNIT(a_job_that_is_off_is_not_registered),
      UNIT(a_lowered_priority_is_logged),
      UNIT(the_sluid_of_the_job_is_recorded),
      UNIT(an_invalid_sluid_is_reported),
      UNIT(the_jobs_own_mistake_never_drains_the_node),
      UNIT(a_missing_configuration_is_reported),
      UNIT(a_wrong_configuration_is_reported_in_one_line),
      UNIT(an_option_writes_no_line_and_no_escape_sequence),
      UNIT(the_site_may_want_the_node_drained),
      UNIT(a_node_missing_in_devices_conf_is_reported),
      UNIT(an_unknown_virtual_gpu_is_the_nodes_fault),
      UNIT(a_replaced_gpu_fails_the_node_and_not_the_job),
      UNIT(a_job_whose_gpus_are_not_ours_is_left_alone),
      UNIT(malformed_values_of_slurm_are_refused),
      UNIT(a_failure_to_create_the_region_is_reported),
      UNIT(a_hook_that_hangs_gives_up),
      UNIT(a_stopped_holder_of_the_lock_is_named),
      UNIT(many_first_jobs_make_one_region),
      UNIT(a_group_by_name_gets_the_region),
      UNIT(an_unknown_group_is_reported),
      UNIT(a_user_by_name_may_exceed_the_limit),
      UNIT(help_and_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
