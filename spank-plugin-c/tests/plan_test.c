/*
 * plan_test.c - what a step gets, against a real region: which process registers the job, and what
 * happens if none can.
 */
#include "plan.h"
#include "testing.h"
#include <sys/stat.h>

static struct sg_node node;
static struct sg_plan plan;
static struct sg_given given;
static struct sg_step step;
static char conf_path[PATH_MAX];

static int set_up(void **state) {
  set_up_folder(state);
  strcpy(conf_path, in_folder("schedgpu.conf"));
  memset(&given, 0, sizeof given);
  step = (struct sg_step){.job_id = 42,
                          .uid = 1000,
                          .kind = SG_STEP_SRUN,
                          .first = true,
                          .gpus = "1,5",
                          .conf_path = conf_path};
  return 0;
}

static void expect(enum sg_fate fate, const char *reason) {
  sg_plan_make(&step, &given, &node, &plan);
  if (plan.fate != fate || !strstr(plan.reason, reason))
    print_error("fate %d, reason: %s\n", plan.fate, plan.reason);
  assert_int_equal(plan.fate, fate);
  assert_non_null(strstr(plan.reason, reason));
  assert_null(strchr(plan.reason, '\n'));
}

static int find_job(struct schedgpu_job_spec *spec) {
  schedgpu_admin *admin;
  assert_int_equal(schedgpu_admin_open(in_folder("run"), &admin), 0);
  int rc = schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, 42, spec);
  schedgpu_admin_close(admin);
  return rc;
}

/** Acts as the prolog: registers job 42 on both devices, with `mem`. */
static void register_job(const char *mem) {
  struct sg_given asked = {0};
  strcpy(asked.options.mem, mem);
  sg_plan_make(
      &(struct sg_step){
          .job_id = 42, .uid = 1000, .kind = SG_STEP_BATCH, .gpus = "1,5", .conf_path = conf_path},
      &asked, &node, &plan);
  assert_int_equal(plan.fate, SG_FATE_SCHEDULED);
}

static void a_step_without_gpus_is_ignored(void **state) {
  (void)state;
  step.gpus = "";
  unlink(conf_path);
  expect(SG_FATE_NO_GPU, "");
}

static void an_unregistered_job_is_registered(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  strcpy(given.options.mem, "2G");
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(plan.devices.count, 2);
  assert_int_equal(find_job(&spec), 0);
  assert_int_equal(spec.uid, 1000);
  assert_int_equal(spec.device_mask, 3);
  assert_true(spec.budget_bytes[1] == 2 * GIB);
  assert_string_equal(plan.notice, "");
}

static void a_registered_job_is_left_alone(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job("2G");
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice, "");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
}

static void a_declared_budget_is_part_of_the_plan(void **state) {
  (void)state;
  expect(SG_FATE_SCHEDULED, "");
  assert_false(plan.budget);
  register_job("2G"); /* the batch script's options; the step itself has none */
  plan.budget = false;
  expect(SG_FATE_SCHEDULED, "");
  assert_true(plan.budget);
}

static void a_scripts_options_are_the_jobs(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job("");
  step.kind = SG_STEP_BATCH;
  strcpy(given.options.mem, "3G");
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.budget_bytes[0] == 3 * GIB);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
}

static void a_script_without_options_changes_nothing(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job("2G");
  step.kind = SG_STEP_BATCH;
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
}

static void a_steps_own_options_are_ignored_with_a_notice(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job("2G");
  step.first = false;
  strcpy(given.options.mem, "1G");
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice,
                      "ignoring the step's --schedgpu-* options: those of job 42 are in force");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
  strcpy(given.options.mem, "2G");
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice, "");
}

static void a_step_that_was_given_nothing_gets_no_notice(void **state) {
  (void)state;
  register_job("2G");
  step.inherits = true;
  strcpy(given.options.mem, "1G"); /* as of another component */
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice, "");
}

/** The site lowers a limit while the job runs: what was decided for it stays. */
static void a_later_step_is_not_decided_again(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job("2G");
  configure("MaxMem=1G");
  step.first = false;
  step.inherits = true;
  strcpy(given.options.mem, "2G");
  expect(SG_FATE_SCHEDULED, "");
  assert_true(plan.budget);
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
  step.inherits = false; /* its own option: compared, so decided */
  expect(SG_FATE_REFUSED, "more than MaxMem=1G");
}

/** Nothing is known of a job of another user, and of a job without a name. */
static void a_later_step_is_decided_if_the_job_is_not_its_own(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job("2G");
  step.first = false;
  step.inherits = true;
  strcpy(given.options.job_name, "train");
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_string_equal(spec.name, "train");
  step.uid = 1001;
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.uid == 1001 && spec.budget_bytes[0] == 0);
}

static void options_that_apply_get_no_notice(void **state) {
  (void)state;
  register_job("2G");
  strcpy(given.options.priority, "normal"); /* and no budget, which the job has */
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice, "");
  strcpy(given.options.priority, "high");
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice,
                      "ignoring the step's --schedgpu-* options: those of job 42 are in force");
}

static void a_scripts_overflow_is_the_jobs(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  step.kind = SG_STEP_BATCH;
  strcpy(given.options.mem, "2G");
  strcpy(given.options.overflow, "wait");
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_int_equal(spec.flags, SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
}

static void a_steps_own_overflow_is_ignored_with_a_notice(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job("2G");
  strcpy(given.options.mem, "2G");
  strcpy(given.options.overflow, "wait");
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice,
                      "ignoring the step's --schedgpu-* options: those of job 42 are in force");
  assert_int_equal(find_job(&spec), 0);
  assert_int_equal(spec.flags, 0);
}

static void a_lane_is_of_the_job(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  step.kind = SG_STEP_BATCH;
  step.gpus = "1";
  strcpy(given.options.mem, "2G");
  expect(SG_FATE_SCHEDULED, "");
  assert_null(plan.lane);
  strcpy(given.options.lane, "srtf"); /* as if the prolog had not seen the options */
  strcpy(given.options.persistent, "1G");
  given.options.limit_ns = 7;
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.lane, "srtf");
  assert_int_equal(find_job(&spec), 0);
  assert_int_equal(spec.lane, SCHEDGPU_LANE_SRTF);
  assert_true(spec.persistent_bytes == GIB && spec.length_ns == 7);
  step.kind = SG_STEP_SRUN;
  given.options.limit_ns = 8; /* the limit changed since */
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice, "");
  memset(&given, 0, sizeof given);
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.lane, "srtf");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.length_ns == 7);
}

static void the_share_of_a_batch_script_is_that_of_its_steps(void **state) {
  (void)state;
  step.kind = SG_STEP_BATCH;
  step.gpus = "1";
  strcpy(given.options.mem, "2G");
  strcpy(given.options.share, "3");
  expect(SG_FATE_SCHEDULED, "");
  assert_null(plan.lane);
  assert_int_equal(plan.share, 3);
  step.kind = SG_STEP_SRUN;
  memset(&given, 0, sizeof given);
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(plan.share, 3);
  strcpy(given.options.mem, "2G");
  strcpy(given.options.share, "4");
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(plan.share, 3);
  assert_non_null(strstr(plan.notice, "ignoring the step's --schedgpu-* options"));
}

static void a_steps_own_lane_is_ignored_with_a_notice(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  static const char ignored[] =
      "ignoring the step's --schedgpu-* options: those of job 42 are in force";
  step.gpus = "1";
  strcpy(given.options.mem, "2G");
  expect(SG_FATE_SCHEDULED, "");
  strcpy(given.options.lane, "fair");
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice, ignored);
  assert_null(plan.lane);
  assert_int_equal(find_job(&spec), 0);
  assert_int_equal(spec.lane, SCHEDGPU_LANE_NONE);
}

/* No prolog registered the job, and its steps have different devices. */
static void a_step_on_a_second_device_is_refused_in_a_lane_job(void **state) {
  (void)state;
  strcpy(given.options.mem, "2G");
  strcpy(given.options.lane, "fair");
  step.gpus = "1";
  expect(SG_FATE_SCHEDULED, "");
  step.gpus = "5";
  expect(SG_FATE_REFUSED, "--schedgpu-lane=fair is for jobs with one device, and this one has 2");
}

/* The prolog registered the job before it could know, or the step says so. */
static void a_lane_job_on_two_nodes_is_refused(void **state) {
  (void)state;
  strcpy(given.options.mem, "2G");
  strcpy(given.options.lane, "fair");
  step.gpus = "1";
  expect(SG_FATE_SCHEDULED, "");
  given.options.nodes = 2;
  expect(SG_FATE_REFUSED, "--schedgpu-lane=fair is for jobs on one node, and this one has 2");
  step.first = false;
  step.inherits = true;
  expect(SG_FATE_REFUSED, "--schedgpu-lane=fair is for jobs on one node, and this one has 2");
  given.options.lane[0] = '\0';
  expect(SG_FATE_REFUSED, "--schedgpu-lane=fair is for jobs on one node, and this one has 2");
}

static void a_step_adds_the_device_that_only_it_has(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  strcpy(given.options.mem, "2G");
  step.gpus = "1";
  expect(SG_FATE_SCHEDULED, "");
  step.gpus = "5";
  step.first = false;
  step.inherits = true;
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_int_equal(spec.device_mask, 3);
  assert_true(spec.budget_bytes[0] == 2 * GIB && spec.budget_bytes[1] == 2 * GIB);
}

static void a_stale_job_of_another_user_is_replaced(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job("2G");
  step.uid = 1001;
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_int_equal(spec.uid, 1001);
  assert_true(spec.budget_bytes[0] == 0);
}

static void a_lowered_priority_is_reported_once_per_job(void **state) {
  (void)state;
  configure("MaxPriority=60");
  strcpy(given.options.priority, "high");
  expect(SG_FATE_SCHEDULED, "");
  assert_non_null(strstr(plan.notice, "lowered to 60"));
  step.first = false;
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice, "");
}

static void a_job_that_is_off_has_its_devices_and_no_record(void **state) {
  (void)state;
  schedgpu_admin *admin;
  given.options.off = true;
  expect(SG_FATE_OFF, "");
  assert_int_equal(plan.devices.count, 2);
  assert_int_equal(schedgpu_admin_open(in_folder("run"), &admin), SCHEDGPU_ENOREGION);
}

static void a_script_that_is_off_removes_the_record(void **state) {
  (void)state;
  register_job("2G");
  given.options.off = true;
  expect(SG_FATE_OFF, "");
  assert_int_equal(find_job(NULL), SCHEDGPU_OK);
  step.kind = SG_STEP_BATCH;
  expect(SG_FATE_OFF, "");
  assert_int_equal(find_job(NULL), SCHEDGPU_ENOJOB);
}

static void a_wrong_plan_is_refused_whatever_the_site_chose(void **state) {
  (void)state;
  configure("OnFailure=run");
  strcpy(given.options.mem, "17G");
  expect(SG_FATE_REFUSED, "--schedgpu-mem=17G is more than device 0 can give");
  strcpy(given.options.mem, "");
  given.options.distinct = true;
  step.gpus = "1,2";
  expect(SG_FATE_REFUSED, "the virtual GPUs 1 and 2 are both of device 0");
}

/** Expects the result of the failure under both settings of OnFailure. */
static void expect_failure(const char *lines, const char *reason) {
  char text[256];
  configure(lines);
  expect(SG_FATE_UNSCHEDULED, reason);
  snprintf(text, sizeof text, "OnFailure=refuse\n%s", lines);
  configure(text);
  expect(SG_FATE_REFUSED, reason);
}

static void a_missing_configuration_lets_the_job_run(void **state) {
  (void)state;
  unlink(conf_path);
  expect(SG_FATE_UNSCHEDULED, "schedgpu.conf: cannot be read: No such file");
  assert_int_equal(plan.devices.count, 0);
}

static void on_failure_decides_about_faults_of_the_node(void **state) {
  (void)state;
  expect_failure("Polcy=fifo\nGrace=x", "did you mean Policy?;");
  expect_failure("DevicesFile=/nonexistent", "/nonexistent: cannot be read");
  expect_failure("RegionGroup=no-such-group", "there is no such group");
  setenv("SLURMD_NODENAME", "gpu2", 1);
  expect_failure("", "no line with NodeName=gpu2");
  setenv("SLURMD_NODENAME", "gpu1", 1);
  step.gpus = "8";
  expect_failure("", "the virtual GPUs 8 are not all in ");
}

static void append_to_devices_conf(const char *line) {
  FILE *file = fopen(in_folder("devices.conf"), "a");
  assert_non_null(file);
  fprintf(file, "%s\n", line);
  fclose(file);
}

static void a_step_with_other_gpus_is_left_alone(void **state) {
  (void)state;
  append_to_devices_conf("NodeName=gpu1 NotOurs=8-9");
  step.gpus = "8";
  strcpy(given.options.mem, "2G");
  expect(SG_FATE_NO_GPU, "");
  given.options.off = true;
  expect(SG_FATE_NO_GPU, "");
}

static void our_devices_of_a_mixed_step_are_scheduled(void **state) {
  (void)state;
  append_to_devices_conf("NodeName=gpu1 NotOurs=8-9");
  step.gpus = "1,8";
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(plan.devices.count, 1);
}

static void an_unusable_region_is_the_sites_choice(void **state) {
  (void)state;
  write_file("run", "a file where the folder should be");
  expect_failure("", "the region in ");
  assert_int_equal(plan.devices.count, 2);
}

static void a_missing_library_is_the_sites_choice(void **state) {
  (void)state;
  unlink(in_folder("libours.so"));
  expect_failure("", "libours.so: No such file or directory: install it");
}

static void a_gate_is_that_of_the_job_in_force(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  strcpy(given.options.mem, "2G");
  strcpy(given.options.mode, "gate");
  strcpy(given.options.processes, "3");
  step.kind = SG_STEP_BATCH;
  expect(SG_FATE_SCHEDULED, "");
  assert_true(plan.gate);
  assert_int_equal(find_job(&spec), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_GATE);
  assert_int_equal(spec.processes, 3);
  memset(&given, 0, sizeof given); /* options that only the prolog got */
  expect(SG_FATE_SCHEDULED, "");
  assert_true(plan.gate);
  step.kind = SG_STEP_SRUN;
  expect(SG_FATE_SCHEDULED, "");
  assert_true(plan.gate);
  assert_string_equal(plan.notice, "");
}

static void a_steps_gate_is_ignored(void **state) {
  (void)state;
  register_job("2G");
  strcpy(given.options.mem, "2G");
  strcpy(given.options.mode, "gate");
  expect(SG_FATE_SCHEDULED, "");
  assert_false(plan.gate);
  assert_non_null(strstr(plan.notice, "ignoring the step's --schedgpu-* options"));
}

static void a_steps_number_of_processes_is_ignored(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job("2G");
  strcpy(given.options.mem, "2G");
  strcpy(given.options.processes, "2");
  expect(SG_FATE_SCHEDULED, "");
  assert_non_null(strstr(plan.notice, "ignoring the step's --schedgpu-* options"));
  assert_int_equal(find_job(&spec), 0);
  assert_int_equal(spec.processes, 1);
}

static void behind_a_gate_no_library_is_needed(void **state) {
  (void)state;
  unlink(in_folder("libours.so"));
  strcpy(given.options.mem, "2G");
  strcpy(given.options.mode, "gate");
  expect(SG_FATE_SCHEDULED, "");
}

/** Writes the table as the agent does, before the first job. */
static void learn(const char *lines) {
  mkdir(in_folder("run"), 0755);
  write_file("run/learned", "schedgpu-learned 1\n%s", lines);
}

static void the_first_step_adds_the_name_and_the_learned_budget(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  configure("DefaultMem=learned");
  register_job("");
  learn("1000 3221225472 train.sh\n");
  strcpy(given.options.job_name, "train.sh");
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_string_equal(spec.name, "train.sh");
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  assert_true(spec.budget_bytes[0] == 3 * GIB && spec.budget_bytes[1] == 3 * GIB);
  assert_int_equal(spec.flags, SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
  assert_true(plan.budget);
  assert_string_equal(plan.notice, "no --schedgpu-mem: 3.0 GiB, as earlier runs of train.sh "
                                   "needed; for more it waits");
  learn("1000 1073741824 train.sh\n"); /* the terms with which the job began stay in force */
  step.first = false;
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice, "");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.budget_bytes[0] == 3 * GIB);
}

static void the_first_step_of_a_lane_job_adds_what_earlier_runs_kept(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  strcpy(given.options.mem, "2G");
  strcpy(given.options.lane, "fair");
  step.gpus = "1";
  step.kind = SG_STEP_BATCH;
  sg_plan_make(&step, &given, &node, &plan); /* as the prolog, which knows no name */
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.persistent_bytes == 0);
  assert_string_equal(plan.notice, "");
  mkdir(in_folder("run"), 0755);
  write_file("run/learned.persistent", "schedgpu-learned 1\n1000 536870912 train.sh\n");
  strcpy(given.options.job_name, "train.sh");
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.persistent_bytes == GIB / 2);
  assert_string_equal(plan.notice, "no --schedgpu-persistent: 0.5 GiB, as earlier runs of train.sh "
                                   "kept between iterations");
  step.first = false;
  expect(SG_FATE_SCHEDULED, "");
  assert_string_equal(plan.notice, "");
}

/** Acts as the prolog, which does not know the shards: job 42 on the first device. */
static void register_job_with_shards(void) {
  write_file("devices.conf",
             "NodeName=gpu1 Device=0 UUID=GPU-a File=/dev/nvidia0 TotalBytes=17179869184 "
             "ReservedBytes=0 ContextBytes=268435456 Virtual=0 ShardBytes=1073741824\n");
  step.gpus = "0";
  sg_plan_make(
      &(struct sg_step){
          .job_id = 42, .uid = 1000, .kind = SG_STEP_BATCH, .gpus = "0", .conf_path = conf_path},
      &(struct sg_given){0}, &node, &plan);
  assert_int_equal(plan.fate, SG_FATE_SCHEDULED);
}

static void the_first_step_adds_the_budget_of_the_shards(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job_with_shards();
  strcpy(given.options.job_name, "train.sh");
  given.options.shards = 6;
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_string_equal(spec.name, "train.sh");
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  assert_true(spec.budget_bytes[0] == 6 * GIB);
  assert_string_equal(plan.notice, "");
  step.first = false;
  given.options.shards = 0;
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.budget_bytes[0] == 6 * GIB);
  assert_string_equal(plan.notice, "");
}

static void a_job_without_a_name_has_the_budget_of_its_shards(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  register_job_with_shards();
  given.options.shards = 6;
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_true(spec.budget_bytes[0] == 6 * GIB);
}

static void a_name_changes_nothing_of_what_the_job_asked_for(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  configure("DefaultMem=learned");
  register_job("2G"); /* as with salloc: the later step has no options */
  learn("1000 3221225472 train.sh\n");
  strcpy(given.options.job_name, "train.sh");
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_string_equal(spec.name, "train.sh");
  assert_true(spec.budget_bytes[0] == 2 * GIB);
  assert_int_equal(spec.flags, 0);
  assert_string_equal(plan.notice, "");
}

static void a_step_with_fewer_devices_adds_only_the_name(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  configure("DefaultMem=learned");
  register_job("");
  learn("1000 3221225472 train.sh\n");
  strcpy(given.options.job_name, "train.sh");
  step.gpus = "1";
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_string_equal(spec.name, "train.sh");
  assert_int_equal(spec.device_mask, 3);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_ONDEMAND);
}

static void the_first_name_stays(void **state) {
  (void)state;
  struct schedgpu_job_spec spec;
  strcpy(given.options.mem, "2G");
  strcpy(given.options.job_name, "train.sh");
  step.kind = SG_STEP_BATCH;
  expect(SG_FATE_SCHEDULED, "");
  strcpy(given.options.job_name, "other");
  strcpy(given.options.mem, "3G");
  expect(SG_FATE_SCHEDULED, "");
  assert_int_equal(find_job(&spec), 0);
  assert_string_equal(spec.name, "train.sh");
  assert_true(spec.budget_bytes[0] == 3 * GIB);
}

static void a_job_that_is_off_runs_on_a_broken_node(void **state) {
  (void)state;
  given.options.off = true;
  configure("OnFailure=refuse\nPolcy=fifo");
  expect(SG_FATE_UNSCHEDULED, "did you mean Policy?");
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, remove_folder)
  const struct CMUnitTest tests[] = {
      UNIT(a_step_without_gpus_is_ignored),
      UNIT(an_unregistered_job_is_registered),
      UNIT(a_registered_job_is_left_alone),
      UNIT(a_declared_budget_is_part_of_the_plan),
      UNIT(a_scripts_options_are_the_jobs),
      UNIT(a_script_without_options_changes_nothing),
      UNIT(a_steps_own_options_are_ignored_with_a_notice),
      UNIT(a_step_that_was_given_nothing_gets_no_notice),
      UNIT(a_later_step_is_not_decided_again),
      UNIT(a_later_step_is_decided_if_the_job_is_not_its_own),
      UNIT(options_that_apply_get_no_notice),
      UNIT(a_scripts_overflow_is_the_jobs),
      UNIT(a_steps_own_overflow_is_ignored_with_a_notice),
      UNIT(a_lane_is_of_the_job),
      UNIT(the_share_of_a_batch_script_is_that_of_its_steps),
      UNIT(a_steps_own_lane_is_ignored_with_a_notice),
      UNIT(a_step_on_a_second_device_is_refused_in_a_lane_job),
      UNIT(a_lane_job_on_two_nodes_is_refused),
      UNIT(a_step_adds_the_device_that_only_it_has),
      UNIT(a_stale_job_of_another_user_is_replaced),
      UNIT(a_lowered_priority_is_reported_once_per_job),
      UNIT(a_job_that_is_off_has_its_devices_and_no_record),
      UNIT(a_script_that_is_off_removes_the_record),
      UNIT(a_wrong_plan_is_refused_whatever_the_site_chose),
      UNIT(a_missing_configuration_lets_the_job_run),
      UNIT(on_failure_decides_about_faults_of_the_node),
      UNIT(a_step_with_other_gpus_is_left_alone),
      UNIT(our_devices_of_a_mixed_step_are_scheduled),
      UNIT(an_unusable_region_is_the_sites_choice),
      UNIT(a_missing_library_is_the_sites_choice),
      UNIT(a_gate_is_that_of_the_job_in_force),
      UNIT(a_steps_gate_is_ignored),
      UNIT(a_steps_number_of_processes_is_ignored),
      UNIT(behind_a_gate_no_library_is_needed),
      UNIT(a_job_that_is_off_runs_on_a_broken_node),
      UNIT(the_first_step_adds_the_name_and_the_learned_budget),
      UNIT(the_first_step_of_a_lane_job_adds_what_earlier_runs_kept),
      UNIT(the_first_step_adds_the_budget_of_the_shards),
      UNIT(a_job_without_a_name_has_the_budget_of_its_shards),
      UNIT(a_name_changes_nothing_of_what_the_job_asked_for),
      UNIT(a_step_with_fewer_devices_adds_only_the_name),
      UNIT(the_first_name_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
