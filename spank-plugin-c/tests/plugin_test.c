/* plugin_test.c - the plugin as Slurm calls it: options, plans and tasks. */
#include "fake_slurm.h"
#include "options.h"

#define STEP_BATCH 0xfffffffbu
#define STEP_INTERACTIVE 0xfffffffau

static void do_slurmd(void **state) {
  (void)state;
  static const spank_context_t others[] = {S_CTX_SLURMD, S_CTX_JOB_SCRIPT, S_CTX_ERROR};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_int_equal(start(others[i]), 0);
    assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
    assert_int_equal(slurm_spank_task_init(NULL, 0, NULL), 0);
  }
  assert_int_equal(options, 0);
  assert_string_equal(said, "");
}

static void do_register(void **state) {
  (void)state;
  assert_int_equal(start(S_CTX_ALLOCATOR), 0);
  assert_int_equal(options, 12);
  assert_string_equal(said, "");
}

static void do_wrong_argument(void **state) {
  (void)state;
  char *arguments[] = {"debug"};
  context = S_CTX_LOCAL;
  assert_int_equal(slurm_spank_init(NULL, 1, arguments), -1);
  expect_said("schedgpu: plugstack.conf: unknown argument 'debug'");
}

static void do_submit(void **state) {
  (void)state;
  assert_int_equal(start(S_CTX_ALLOCATOR), 0);
  for (int twice = 0; twice < 2; twice++) {
    assert_int_equal(give_option("schedgpu-mem", "6G"), 0);
    assert_int_equal(give_option("schedgpu-priority", "high"), 0);
    assert_int_equal(give_option("schedgpu-mode", "peak"), 0);
    assert_int_equal(give_option("schedgpu-processes", "4"), 0);
    assert_int_equal(give_option("schedgpu-overflow", "wait"), 0);
    assert_int_equal(give_option("schedgpu-distinct", NULL), 0);
  }
  setenv("SCHEDGPU_MEM", "1G", 1);
  setenv("SCHEDGPU_WAIT", "5m", 1);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  assert_string_equal(value_of(job_control, "SCHEDGPU_MEM"), "6G");
  assert_string_equal(value_of(job_control, "SCHEDGPU_PRIORITY"), "high");
  assert_string_equal(value_of(job_control, "SCHEDGPU_MODE"), "peak");
  assert_string_equal(value_of(job_control, "SCHEDGPU_WAIT"), "5m");
  assert_string_equal(value_of(job_control, "SCHEDGPU_PROCESSES"), "4");
  assert_string_equal(value_of(job_control, "SCHEDGPU_OVERFLOW"), "wait");
  assert_string_equal(value_of(job_control, "SCHEDGPU_DISTINCT"), "1");
  assert_string_equal(value_of(job_control, "SCHEDGPU_OFF"), "(not set)");
  assert_string_equal(said, "");
}

static void do_submit_with_a_lane(void **state) {
  (void)state;
  assert_int_equal(start(S_CTX_ALLOCATOR), 0);
  assert_int_equal(give_option("schedgpu-lane", NULL), 0);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  assert_string_equal(value_of(job_control, "SCHEDGPU_LANE"), "fair");
  assert_string_equal(value_of(job_control, "SCHEDGPU_PERSISTENT"), "(not set)");
  assert_int_equal(give_option("schedgpu-lane", "srtf"), 0);
  assert_int_equal(give_option("schedgpu-lane", "(null)"), 0); /* of the enclosing job */
  assert_string_equal(sg_options_given()->options.lane, "fair");
  assert_int_equal(give_option("schedgpu-lane", "srtf"), 0);
  assert_int_equal(give_option("schedgpu-persistent", "100M"), 0);
  assert_int_equal(give_option("schedgpu-length", "2h"), 0);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  assert_string_equal(value_of(job_control, "SCHEDGPU_LANE"), "srtf");
  assert_string_equal(value_of(job_control, "SCHEDGPU_PERSISTENT"), "100M");
  assert_string_equal(value_of(job_control, "SCHEDGPU_LENGTH"), "2h");
  assert_string_equal(value_of(job_control, "SCHEDGPU_SHARE"), "(not set)");
  assert_int_equal(give_option("schedgpu-share", "4"), 0);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  assert_string_equal(value_of(job_control, "SCHEDGPU_SHARE"), "4");
  assert_string_equal(said, "");
}

static void do_persistent_without_a_lane(void **state) {
  (void)state;
  assert_int_equal(start(S_CTX_ALLOCATOR), 0);
  assert_int_equal(give_option("schedgpu-persistent", "1G"), 0);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), -1);
  expect_said("schedgpu: --schedgpu-persistent=1G is for jobs with a lane: add --schedgpu-lane");
}

/* Each option is valid alone. */
static void do_overflow_beside_another_mode(void **state) {
  (void)state;
  assert_int_equal(start(S_CTX_ALLOCATOR), 0);
  assert_int_equal(give_option("schedgpu-mode", "ondemand"), 0);
  assert_int_equal(give_option("schedgpu-overflow", "wait"), 0);
  assert_true(slurm_spank_init_post_opt(NULL, 0, NULL) != 0);
  expect_said("--schedgpu-overflow=wait is for mode peak only");
}

static void do_wrong_values(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"schedgpu-mem", "lots"},       {"schedgpu-mem", ""},
      {"schedgpu-mem", NULL},         {"schedgpu-priority", "urgent"},
      {"schedgpu-mode", "gates"},     {"schedgpu-overflow", "never"},
      {"schedgpu-lane", "quick"},     {"schedgpu-persistent", "0"},
      {"schedgpu-lane", "share"},     {"schedgpu-share", "half"},
      {"schedgpu-length", "forever"}, {"schedgpu-wait", "-1"},
      {"schedgpu-processes", "0"},    {"schedgpu-processes", "1025"},
      {"schedgpu", "maybe"},          {"schedgpu-mem", "00000000000000000000000000000001G"}};
  assert_int_equal(start(S_CTX_LOCAL), 0);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    said[0] = '\0';
    assert_int_equal(give_option(wrong[i][0], wrong[i][1]), -1);
    expect_said("schedgpu: ");
  }
}

static void do_wrong_variable(void **state) {
  (void)state;
  assert_int_equal(start(S_CTX_ALLOCATOR), 0);
  setenv("SCHEDGPU_PRIORITY", "urgent", 1);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), -1);
  expect_said("schedgpu: environment variable SCHEDGPU_PRIORITY: --schedgpu-priority=urgent");
}

static void do_inherit(void **state) {
  (void)state;
  assert_int_equal(start(S_CTX_ALLOCATOR), 0);
  assert_int_equal(give_option("schedgpu", "on"), 0);
  setenv("SLURM_SPANK_SCHEDGPU_MEM", "3G", 1);
  setenv("SLURM_SPANK_SCHEDGPU_OFF", "1", 1);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  assert_string_equal(value_of(job_control, "SCHEDGPU_MEM"), "3G");
  assert_string_equal(value_of(job_control, "SCHEDGPU_OFF"), "0");
}

static void do_components_of_sbatch(void **state) {
  static const char kept[] = "SLURM_SPANK__SLURM_SPANK_OPTION_schedgpu_schedgpu_mem";
  (void)state;
  setenv("SLURM_SPANK_SCHEDGPU_WAIT", "5m", 1); /* of the enclosing job */
  assert_int_equal(start(S_CTX_ALLOCATOR), 0);
  assert_int_equal(give_option("schedgpu-mem", "3G"), 0);
  assert_int_equal(give_option("schedgpu-priority", "high"), 0);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  setenv(kept, "3G", 1);
  setenv("SLURM_SPANK_SCHEDGPU_PRIORITY", "high", 1);
  assert_int_equal(give_option("schedgpu-mem", "4G"), 0);
  assert_int_equal(give_option("schedgpu-mem", getenv(kept)), 0);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  assert_string_equal(value_of(job_control, "SCHEDGPU_MEM"), "4G");
  assert_string_equal(value_of(job_control, "SCHEDGPU_PRIORITY"), "(not set)");
  assert_string_equal(value_of(job_control, "SCHEDGPU_WAIT"), "5m");
  assert_int_equal(give_option("schedgpu-mem", getenv(kept)), 0);
  assert_int_equal(give_option("schedgpu-mem", "3G"), 0); /* of the command line */
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  assert_string_equal(value_of(job_control, "SCHEDGPU_MEM"), "3G");
  assert_null(getenv("SLURM_SCHEDGPU_COMPONENT_0"));
}

static void do_components_of_srun(void **state) {
  (void)state;
  setenv("SLURM_SPANK_SCHEDGPU_WAIT", "5m", 1);
  setenv("SLURM_SCHEDGPU_COMPONENT_2", "SCHEDGPU_MEM=1G;", 1); /* of an enclosing step */
  assert_int_equal(start(S_CTX_LOCAL), 0);
  assert_int_equal(give_option("schedgpu-mem", "3G"), 0);
  assert_int_equal(give_option("schedgpu-distinct", NULL), 0);
  assert_int_equal(give_option("schedgpu", "off"), 0);
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  assert_int_equal(give_option("schedgpu-wait", "5m"), 0); /* as the enclosing job */
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  assert_string_equal(getenv("SLURM_SCHEDGPU_COMPONENT_0"),
                      "SCHEDGPU_MEM=3G;SCHEDGPU_DISTINCT=1;SCHEDGPU=off;");
  assert_string_equal(getenv("SLURM_SCHEDGPU_COMPONENT_1"), "");
  assert_null(getenv("SLURM_SCHEDGPU_COMPONENT_2"));
}

/** A component of a direct srun whose other one was given 2G last, as Slurm passes it to both. */
static void be_component(const char *group, const char *id, const char *own) {
  char name[64];
  put(job_env, "SLURM_HET_SIZE", "2");
  snprintf(name, sizeof name, "SLURM_JOB_ID_PACK_GROUP_%s", group);
  put(job_env, name, id);
  put(job_env, "SLURM_SCHEDGPU_COMPONENT_0", "SCHEDGPU=off;");
  put(job_env, "SLURM_SCHEDGPU_COMPONENT_1", own);
  put(job_env, "SLURM_SPANK_SCHEDGPU_MODE", "gate"); /* of the first component */
  be_on_a_node("1");
  assert_int_equal(give_option("schedgpu-mem", "2G"), 0);
  assert_int_equal(run_task(), 0);
  assert_string_equal(value_of(job_env, "SLURM_SCHEDGPU_COMPONENT_0"), "(not set)");
  assert_string_equal(value_of(job_env, "SLURM_SCHEDGPU_COMPONENT_1"), "(not set)");
}

static void do_own_options(void **state) {
  (void)state;
  be_component("1", "42", "SCHEDGPU_MEM=1G;");
  assert_string_equal(sg_options_given()->options.mem, "1G");
  assert_string_equal(sg_options_given()->options.mode, "");
}

static void do_no_own_options(void **state) {
  (void)state;
  be_component("1", "42", "");
  assert_string_equal(sg_options_given()->options.mem, "");
  assert_string_equal(sg_options_given()->options.mode, "");
  assert_false(sg_options_given()->options.off);
}

static void do_other_groups_off(void **state) {
  (void)state;
  be_component("0", "42", "SCHEDGPU_MEM=1G;");
  assert_true(sg_options_given()->options.off);
  assert_string_equal(sg_options_given()->options.mem, "");
}

static void do_options_of_a_job_without_groups(void **state) {
  (void)state;
  put(job_env, "SLURM_SCHEDGPU_COMPONENT_0", "SCHEDGPU_WAIT=5m;");
  put(job_env, "SLURM_SPANK_SCHEDGPU_MEM", "1G");
  be_on_a_node("1");
  assert_int_equal(run_task(), 0);
  assert_string_equal(sg_options_given()->options.wait, "5m");
  assert_string_equal(sg_options_given()->options.mem, "1G");
}

static void do_schedule(void **state) {
  (void)state;
  be_on_a_node("1,5");
  assert_int_equal(give_option("schedgpu-mem", "2G"), 0);
  assert_int_equal(run_task(), 0);
  assert_string_equal(said, "");
  assert_string_equal(value_of(job_env, "CUDA_VISIBLE_DEVICES"), "0,1");
  assert_string_equal(value_of(job_env, "SCHEDGPU_DEVICES"), "GPU-a,GPU-b");
  assert_string_equal(value_of(job_env, "SCHEDGPU_JOB"), "slurm:42");
  assert_string_equal(value_of(job_env, "LD_PRELOAD"), in_folder("libours.so"));
}

static void do_lane(void **state) {
  (void)state;
  configure("PythonPath=/opt/schedgpu/python");
  be_on_a_node("1");
  put(job_env, "PYTHONPATH", "/users");
  put(job_env, "SLURM_JOB_START_TIME", "1700000000");
  put(job_env, "SLURM_JOB_END_TIME", "1700003600");
  assert_int_equal(give_option("schedgpu-mem", "2G"), 0);
  assert_int_equal(give_option("schedgpu-lane", ""), 0);
  assert_int_equal(run_task(), 0);
  assert_string_equal(said, "");
  assert_string_equal(value_of(job_env, "SCHEDGPU_LANE"), "fair");
  assert_string_equal(value_of(job_env, "PYTHONPATH"), "/opt/schedgpu/python:/users");
  struct schedgpu_job_spec spec;
  schedgpu_admin *admin;
  assert_int_equal(schedgpu_admin_open(in_folder("run"), &admin), 0);
  assert_int_equal(schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, 42, &spec), 0);
  schedgpu_admin_close(admin);
  assert_int_equal(spec.lane, SCHEDGPU_LANE_FAIR);
  assert_true(spec.length_ns == INT64_C(3600000000000));
}

static void do_lane_on_two_devices(void **state) {
  (void)state;
  be_on_a_node("1,5");
  assert_int_equal(give_option("schedgpu-mem", "2G"), 0);
  assert_int_equal(give_option("schedgpu-lane", "pack"), 0);
  assert_int_equal(run_task(), -1);
  expect_said("schedgpu: gpu1: the job cannot run: --schedgpu-lane=pack is for jobs with one "
              "device, and this one has 2");
}

static void do_lane_on_two_nodes(void **state) {
  (void)state;
  be_on_a_node("1");
  put(job_env, "SLURM_JOB_NUM_NODES", "2");
  assert_int_equal(give_option("schedgpu-mem", "2G"), 0);
  assert_int_equal(give_option("schedgpu-lane", "pack"), 0);
  assert_int_equal(run_task(), -1);
  expect_said("schedgpu: gpu1: the job cannot run: --schedgpu-lane=pack is for jobs on one node");
}

static void do_gate(void **state) {
  (void)state;
  job_uid = getuid();
  be_on_a_node("1,5");
  assert_int_equal(give_option("schedgpu-mem", "9G"), 0);
  assert_int_equal(give_option("schedgpu-mode", "gate"), 0);
  assert_int_equal(run_task(), 0);
  assert_string_equal(said, "");
  assert_string_equal(value_of(job_env, "CUDA_VISIBLE_DEVICES"), "0,1");
  assert_string_equal(value_of(job_env, "SCHEDGPU_DEVICES"), "GPU-a,GPU-b");
  assert_string_equal(value_of(job_env, "SCHEDGPU_JOB"), "slurm:42");
  assert_string_equal(value_of(job_env, "LD_PRELOAD"), "(not set)");
}

static void do_closed_gate(void **state) {
  (void)state;
  do_gate(state);
  job_id = 43;
  assert_int_equal(give_option("schedgpu-wait", "0"), 0);
  for (task_id = 1; task_id >= 0; task_id--) {
    said[0] = '\0';
    assert_int_equal(run_task(), -1);
    assert_int_equal(said[0] != '\0', task_id == 0);
  }
  expect_said("schedgpu: gpu1: the job cannot run: its GPU memory is not free now");
}

/* Numbers beyond the first GPU are those of the node; what is no number tells nothing. */
static void do_numbers_of_the_node(void **state) {
  (void)state;
  be_on_a_node("5");
  assert_int_equal(run_task(), 0);
  assert_string_equal(value_of(job_env, "CUDA_VISIBLE_DEVICES"), "1");
}

static void do_no_numbers(void **state) {
  (void)state;
  put(job_env, "SLURM_STEP_GPUS", "5");
  put(job_env, "CUDA_VISIBLE_DEVICES", "none");
  assert_int_equal(start(S_CTX_REMOTE), 0);
  assert_int_equal(run_task(), 0);
  assert_string_equal(value_of(job_env, "CUDA_VISIBLE_DEVICES"), "GPU-b");
}

static void do_batch(void **state) {
  (void)state;
  step_id = STEP_BATCH;
  put(job_env, "SLURM_JOB_GPUS", "5");
  be_on_a_node("1");
  assert_int_equal(run_task(), 0);
  assert_string_equal(value_of(job_env, "SCHEDGPU_DEVICES"), "GPU-b");
}

static void do_no_gpu(void **state) {
  (void)state;
  assert_int_equal(start(S_CTX_REMOTE), 0);
  put(job_env, "SCHEDGPU_MEM", "lots");
  assert_int_equal(run_task(), 0);
  assert_string_equal(said, "");
  assert_string_equal(value_of(job_env, "LD_PRELOAD"), "(not set)");
}

static void do_long_preload(void **state) {
  (void)state;
  preload_is_long = true;
  be_on_a_node("1");
  assert_int_equal(run_task(), 0);
  expect_said("schedgpu: gpu1: warning: the job runs without GPU memory scheduling: LD_PRELOAD has "
              "no room for one more library: make it shorter");
  assert_string_equal(value_of(job_env, "CUDA_VISIBLE_DEVICES"), "0");
  assert_string_equal(value_of(job_env, "SCHEDGPU_JOB"), "(not set)");
}

static void do_long_preload_refused(void **state) {
  (void)state;
  configure("OnFailure=refuse");
  preload_is_long = true;
  be_on_a_node("1");
  assert_int_equal(run_task(), -1);
  expect_said("schedgpu: gpu1: the job cannot run: LD_PRELOAD has no room for one more library");
}

static void do_long_preload_behind_a_gate(void **state) {
  (void)state;
  preload_is_long = true;
  job_uid = getuid();
  be_on_a_node("1");
  assert_int_equal(give_option("schedgpu-mem", "9G"), 0);
  assert_int_equal(give_option("schedgpu-mode", "gate"), 0);
  assert_int_equal(run_task(), 0);
  assert_string_equal(said, "");
}

static void have_no_gpu_but(const char *name, const char *gpus) {
  put(job_env, name, gpus);
  put(job_env, "CUDA_VISIBLE_DEVICES", gpus);
  assert_int_equal(start(S_CTX_REMOTE), 0);
  assert_int_equal(give_option("schedgpu-mem", "15G"), 0);
  assert_int_equal(run_task(), 0);
  assert_string_equal(value_of(job_env, "SCHEDGPU_JOB"), "(not set)");
}

/* `SLURM_JOB_GPUS=0,12 srun`: Slurm leaves the variable unchanged for a step. */
static void do_step_with_a_forged_variable(void **state) {
  (void)state;
  have_no_gpu_but("SLURM_JOB_GPUS", "1,5");
}

static void do_script_with_a_forged_variable(void **state) {
  (void)state;
  step_id = STEP_BATCH;
  have_no_gpu_but("SLURM_STEP_GPUS", "1,5");
}

static void do_interactive_step(void **state) {
  (void)state;
  step_id = STEP_INTERACTIVE;
  put(job_env, "SLURM_JOB_GPUS", "5");
  be_on_a_node("1");
  assert_int_equal(run_task(), 0);
  assert_string_equal(value_of(job_env, "SCHEDGPU_DEVICES"), "GPU-b");
}

static void do_forged_job_gpus_of_a_gpu_job(void **state) {
  (void)state;
  put(job_env, "SLURM_JOB_GPUS", "1,5");
  be_on_a_node("1");
  assert_int_equal(run_task(), 0);
  assert_string_equal(value_of(job_env, "CUDA_VISIBLE_DEVICES"), "0");
  assert_string_equal(value_of(job_env, "SCHEDGPU_DEVICES"), "GPU-a");
}

static void do_refuse(void **state) {
  (void)state;
  be_on_a_node("1");
  assert_int_equal(give_option("schedgpu-mem", "17G"), 0);
  assert_int_equal(run_task(), -1);
  expect_said("schedgpu: gpu1: the job cannot run: --schedgpu-mem=17G is more than device 0");
}

static void do_refuse_second_task(void **state) {
  (void)state;
  task_id = 1;
  be_on_a_node("1");
  assert_int_equal(give_option("schedgpu-mem", "17G"), 0);
  assert_int_equal(run_task(), -1);
  assert_string_equal(said, "");
}

static void do_wrong_on_node(void **state) {
  (void)state;
  be_on_a_node("1");
  assert_int_equal(give_option("schedgpu-mem", "lots"), 0);
  assert_int_equal(run_task(), -1);
  expect_said("the job cannot run: --schedgpu-mem=lots: must be");
}

static void do_warn(void **state) {
  (void)state;
  unlink(in_folder("devices.conf"));
  be_on_a_node("1");
  assert_int_equal(run_task(), 0);
  expect_said("schedgpu: gpu1: warning: the job runs without GPU memory scheduling: ");
  assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
  assert_string_equal(value_of(job_env, "CUDA_VISIBLE_DEVICES"), "1");
}

static void do_submits_choice(void **state) {
  (void)state;
  put(job_env, "SLURM_SPANK_SCHEDGPU_OFF", "1");
  put(job_env, "SCHEDGPU", "on");
  be_on_a_node("1");
  assert_int_equal(run_task(), 0);
  assert_string_equal(value_of(job_env, "CUDA_VISIBLE_DEVICES"), "0");
  assert_string_equal(value_of(job_env, "SCHEDGPU_JOB"), "(not set)");
}

/** Root could, when it made the plan. */
static int run_task_without_library(void) {
  be_on_a_node("1");
  assert_int_equal(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
  unlink(in_folder("libours.so"));
  return slurm_spank_task_init(NULL, 0, NULL);
}

static void do_no_library(void **state) {
  (void)state;
  assert_int_equal(run_task_without_library(), 0);
  expect_said("warning: the job runs without GPU memory scheduling: PreloadLibrary=");
  expect_said("libours.so: the job's user cannot read it: ");
  assert_string_equal(value_of(job_env, "LD_PRELOAD"), "(not set)");
}

static void do_no_library_refused(void **state) {
  (void)state;
  configure("OnFailure=refuse");
  assert_int_equal(run_task_without_library(), -1);
  expect_said("schedgpu: gpu1: the job cannot run: PreloadLibrary=");
}

SCENARIO(slurmd_and_job_scripts_are_left_alone, do_slurmd)
SCENARIO(all_options_are_registered_silently, do_register)
SCENARIO(a_wrong_argument_is_fatal, do_wrong_argument)
SCENARIO(options_go_to_the_prolog, do_submit)
SCENARIO(wrong_values_are_refused_at_submit, do_wrong_values)
SCENARIO(a_lane_is_fair_by_default, do_submit_with_a_lane)
SCENARIO(persistent_memory_without_a_lane_is_refused_at_submit, do_persistent_without_a_lane)
SCENARIO(overflow_beside_another_mode_is_refused_at_submit, do_overflow_beside_another_mode)
SCENARIO(a_wrong_variable_is_refused_at_submit, do_wrong_variable)
SCENARIO(a_nested_job_inherits_what_it_does_not_say, do_inherit)
SCENARIO(each_component_of_an_sbatch_has_its_own_options, do_components_of_sbatch)
SCENARIO(an_srun_leaves_the_options_of_each_component, do_components_of_srun)
SCENARIO(a_component_has_its_own_options, do_own_options)
SCENARIO(a_component_without_options_has_none_of_another, do_no_own_options)
SCENARIO(the_first_component_has_its_own_switch, do_other_groups_off)
SCENARIO(a_step_adds_its_options_to_those_of_its_job, do_options_of_a_job_without_groups)
SCENARIO(a_step_is_scheduled, do_schedule)
SCENARIO(a_lane_job_has_policy_module_and_limit, do_lane)
SCENARIO(a_lane_job_with_two_devices_is_refused, do_lane_on_two_devices)
SCENARIO(a_lane_job_on_two_nodes_is_refused, do_lane_on_two_nodes)
SCENARIO(a_task_behind_an_open_gate_has_no_preload, do_gate)
SCENARIO(a_task_at_a_closed_gate_fails_and_the_first_prints_why, do_closed_gate)
SCENARIO(numbers_that_can_only_be_the_nodes_are_numbered_anew, do_numbers_of_the_node)
SCENARIO(without_numbers_of_slurm_devices_are_uuids, do_no_numbers)
SCENARIO(a_script_has_the_jobs_gpus, do_batch)
SCENARIO(a_step_without_gpus_is_left_alone, do_no_gpu)
SCENARIO(a_step_without_gpus_gets_none_from_the_users_environment, do_step_with_a_forged_variable)
SCENARIO(a_script_gets_no_gpus_from_the_users_environment, do_script_with_a_forged_variable)
SCENARIO(an_interactive_step_has_the_jobs_gpus, do_interactive_step)
SCENARIO(a_step_gets_no_more_gpus_from_the_users_environment, do_forged_job_gpus_of_a_gpu_job)
SCENARIO(a_wrong_plan_fails_the_task_and_says_why, do_refuse)
SCENARIO(a_preload_that_is_too_long_leaves_the_job_unscheduled, do_long_preload)
SCENARIO(a_preload_that_is_too_long_is_refused_where_the_site_says_so, do_long_preload_refused)
SCENARIO(behind_a_gate_the_preload_may_be_long, do_long_preload_behind_a_gate)
SCENARIO(a_library_that_the_user_cannot_load_leaves_the_job_unscheduled, do_no_library)
SCENARIO(a_library_that_the_user_cannot_load_is_refused_where_the_site_says_so,
         do_no_library_refused)
SCENARIO(only_the_first_task_prints, do_refuse_second_task)
SCENARIO(a_wrong_option_that_saw_no_submit_fails_the_task, do_wrong_on_node)
SCENARIO(an_unscheduled_job_gets_one_warning, do_warn)
SCENARIO(options_at_submit_go_before_the_jobs_environment, do_submits_choice)

int main(void) {
  const struct CMUnitTest tests[] = {
      UNIT(slurmd_and_job_scripts_are_left_alone),
      UNIT(all_options_are_registered_silently),
      UNIT(a_wrong_argument_is_fatal),
      UNIT(options_go_to_the_prolog),
      UNIT(wrong_values_are_refused_at_submit),
      UNIT(a_lane_is_fair_by_default),
      UNIT(persistent_memory_without_a_lane_is_refused_at_submit),
      UNIT(overflow_beside_another_mode_is_refused_at_submit),
      UNIT(a_wrong_variable_is_refused_at_submit),
      UNIT(a_nested_job_inherits_what_it_does_not_say),
      UNIT(each_component_of_an_sbatch_has_its_own_options),
      UNIT(an_srun_leaves_the_options_of_each_component),
      UNIT(a_component_has_its_own_options),
      UNIT(a_component_without_options_has_none_of_another),
      UNIT(the_first_component_has_its_own_switch),
      UNIT(a_step_adds_its_options_to_those_of_its_job),
      UNIT(a_step_is_scheduled),
      UNIT(a_lane_job_has_policy_module_and_limit),
      UNIT(a_lane_job_with_two_devices_is_refused),
      UNIT(a_lane_job_on_two_nodes_is_refused),
      UNIT(a_task_behind_an_open_gate_has_no_preload),
      UNIT(a_task_at_a_closed_gate_fails_and_the_first_prints_why),
      UNIT(numbers_that_can_only_be_the_nodes_are_numbered_anew),
      UNIT(without_numbers_of_slurm_devices_are_uuids),
      UNIT(a_script_has_the_jobs_gpus),
      UNIT(a_step_without_gpus_is_left_alone),
      UNIT(a_step_without_gpus_gets_none_from_the_users_environment),
      UNIT(a_script_gets_no_gpus_from_the_users_environment),
      UNIT(an_interactive_step_has_the_jobs_gpus),
      UNIT(a_step_gets_no_more_gpus_from_the_users_environment),
      UNIT(a_wrong_plan_fails_the_task_and_says_why),
      UNIT(a_preload_that_is_too_long_leaves_the_job_unscheduled),
      UNIT(a_preload_that_is_too_long_is_refused_where_the_site_says_so),
      UNIT(behind_a_gate_the_preload_may_be_long),
      UNIT(a_library_that_the_user_cannot_load_leaves_the_job_unscheduled),
      UNIT(a_library_that_the_user_cannot_load_is_refused_where_the_site_says_so),
      UNIT(only_the_first_task_prints),
      UNIT(a_wrong_option_that_saw_no_submit_fails_the_task),
      UNIT(an_unscheduled_job_gets_one_warning),
      UNIT(options_at_submit_go_before_the_jobs_environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
