/* job_end_test.c - the plugin as Slurm calls it when a task ends: the hint of a job. */
#include "fake_slurm.h"
#include "schedgpu/schedgpu.h"
#include <sys/stat.h>

/** A task that allocates, and ends. */
static void use_memory(uint64_t bytes) {
  setenv("SCHEDGPU_JOB", "slurm:42", 1);
  setenv("SCHEDGPU_RUN_DIR", in_folder("run"), 1);
  assert_int_equal(schedgpu_attach(), 0);
  assert_int_equal(schedgpu_reserve(0, bytes, 0), 0);
  assert_int_equal(schedgpu_release(0, bytes), 0);
  assert_int_equal(schedgpu_detach(), 0);
}

static void be_a_job_of(const char *mem) {
  job_uid = getuid();
  be_on_a_node("1");
  if (mem)
    assert_int_equal(give_option("schedgpu-mem", mem), 0);
  assert_int_equal(run_task(), 0);
  use_memory(2 * GIB);
  said[0] = '\0';
}

static void do_end_of_too_much(void **state) {
  (void)state;
  tasks = 2;
  be_a_job_of("6G");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  expect_said("schedgpu: gpu1: slurm:42 used at most ");
  expect_said(" of 6.0 GiB asked on device 0; --schedgpu-mem=");
}

static void do_end_of_enough(void **state) {
  (void)state;
  be_a_job_of("2G");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
}

/** Although its peak would suggest a smaller budget. */
static void do_end_after_refusals(void **state) {
  (void)state;
  be_a_job_of("2G");
  assert_int_equal(schedgpu_reserve(0, 3 * GIB, 0), SCHEDGPU_EBUDGET);
  assert_int_equal(schedgpu_detach(), 0);
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  expect_said(" of 2.0 GiB asked on device 0, and 1 allocation was refused, of 3.0 GiB; "
              "--schedgpu-mem=5632M or more would do");
}

static void do_silent_end(void **state) {
  (void)state;
  configure("EndHint=no");
  be_a_job_of("6G");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
}

static void do_end_of_a_step(void **state) {
  (void)state;
  put(job_env, "SLURM_JOB_GPUS", "1"); /* there is a script, which ends later */
  be_a_job_of("6G");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
}

static void do_end_with_a_learned_budget(void **state) {
  (void)state;
  configure("DefaultMem=learned");
  mkdir(in_folder("run"), 0755);
  write_file("run/learned", "schedgpu-learned 1\n%u 9663676416 train it\n", getuid());
  put(job_env, "SLURM_JOB_NAME", "train it");
  job_uid = getuid();
  be_on_a_node("1");
  assert_int_equal(run_task(), 0);
  expect_said("schedgpu: gpu1: no --schedgpu-mem: 9.0 GiB, as earlier runs of train it needed");
  use_memory(2 * GIB);
  said[0] = '\0';
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
}

static void be_an_untouched_job_of(const char *option_name, const char *value) {
  job_uid = getuid();
  be_on_a_node("1");
  assert_int_equal(give_option(option_name, value), 0);
  assert_int_equal(give_option("schedgpu-mem", "6G"), 0);
  assert_int_equal(run_task(), 0);
  said[0] = '\0';
}

/** A program without the library; no agent runs. */
static void do_end_of_silence(void **state) {
  (void)state;
  be_an_untouched_job_of("schedgpu-mode", "peak");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(
      said, "schedgpu: gpu1: slurm:42 had 6.0 GiB of device 0, and none of its programs asked for "
            "any: one that used the GPU ran unscheduled: leave LD_PRELOAD as it is, in a container "
            "bind the library, or take --schedgpu-mode=gate\n");
}

/** It fits, so it had a context and no memory beside it. */
static void do_end_with_a_context(void **state) {
  (void)state;
  be_an_untouched_job_of("schedgpu-mode", "peak");
  setenv("SCHEDGPU_JOB", "slurm:42", 1);
  setenv("SCHEDGPU_RUN_DIR", in_folder("run"), 1);
  assert_int_equal(schedgpu_attach(), 0);
  assert_int_equal(schedgpu_context_enter(0, 0), 0);
  assert_int_equal(schedgpu_context_leave(0), 0);
  assert_int_equal(schedgpu_detach(), 0);
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
}

/** Another process has removed it. */
static void do_end_without_a_region(void **state) {
  (void)state;
  be_a_job_of("6G");
  assert_int_equal(schedgpu_admin_remove(in_folder("run"), 1), 0);
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
}

static void write_down(const char *step, const char *told) {
  char file[64];
  mkdir(in_folder("run/unscheduled"), 0755);
  snprintf(file, sizeof file, "run/unscheduled/slurm-42%s", step);
  write_file(file, "%s\n9 0 1 5 STATIC train\n", told);
}

static void do_end_of_unscheduled(void **state) {
  (void)state;
  configure("EndHint=no");
  tasks = 2;
  be_a_job_of("6G");
  write_down(".0", "slurm:42: train (pid 9) ran \33[31munscheduled");
  write_down(".1", "of another step");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "schedgpu: gpu1: slurm:42: train (pid 9) ran ?[31munscheduled\n");
}

/** No control group tells the step of its programs. */
static void do_end_of_unknown_step(void **state) {
  (void)state;
  configure("EndHint=no");
  be_a_job_of("6G");
  write_down("", "slurm:42: train (pid 9) ran unscheduled");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "schedgpu: gpu1: slurm:42: train (pid 9) ran unscheduled\n");
}

static void do_end_of_unknown_step_within_the_job(void **state) {
  (void)state;
  configure("EndHint=no");
  put(job_env, "SLURM_JOB_GPUS", "1"); /* there is a script, which ends later */
  be_a_job_of("6G");
  write_down("", "slurm:42: train (pid 9) ran unscheduled");
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
}

/** The agent keeps its file for no step but those of this job. */
static void do_end_of_a_job_with_schedgpu_off(void **state) {
  (void)state;
  job_uid = getuid();
  be_on_a_node("1");
  assert_int_equal(give_option("schedgpu", "off"), 0);
  assert_int_equal(run_task(), 0);
  mkdir(in_folder("run"), 0755);
  write_down(".0", "slurm:42: of a job with this number before");
  said[0] = '\0';
  assert_int_equal(slurm_spank_task_exit(NULL, 0, NULL), 0);
  assert_string_equal(said, "");
}

SCENARIO(after_the_last_task_what_ran_unscheduled_is_told, do_end_of_unscheduled)
SCENARIO(programs_of_an_unknown_step_are_told_at_the_end_of_the_job, do_end_of_unknown_step)
SCENARIO(and_not_before, do_end_of_unknown_step_within_the_job)
SCENARIO(a_job_that_is_not_scheduled_is_told_nothing, do_end_of_a_job_with_schedgpu_off)
SCENARIO(a_budget_that_nobody_asked_for_is_reported, do_end_of_silence)
SCENARIO(a_context_alone_was_asked_for, do_end_with_a_context)
SCENARIO(after_the_last_task_too_large_a_budget_is_reported, do_end_of_too_much)
SCENARIO(a_suitable_budget_gets_no_hint, do_end_of_enough)
SCENARIO(refused_memory_is_reported, do_end_after_refusals)
SCENARIO(a_site_may_want_silence, do_silent_end)
SCENARIO(the_end_of_a_step_is_not_the_end_of_the_job, do_end_of_a_step)
SCENARIO(a_learned_budget_gets_no_hint, do_end_with_a_learned_budget)
SCENARIO(without_a_region_there_is_no_hint, do_end_without_a_region)

int main(void) {
  const struct CMUnitTest tests[] = {
      UNIT(after_the_last_task_what_ran_unscheduled_is_told),
      UNIT(programs_of_an_unknown_step_are_told_at_the_end_of_the_job),
      UNIT(and_not_before),
      UNIT(a_job_that_is_not_scheduled_is_told_nothing),
      UNIT(a_budget_that_nobody_asked_for_is_reported),
      UNIT(a_context_alone_was_asked_for),
      UNIT(after_the_last_task_too_large_a_budget_is_reported),
      UNIT(a_suitable_budget_gets_no_hint),
      UNIT(refused_memory_is_reported),
      UNIT(a_site_may_want_silence),
      UNIT(the_end_of_a_step_is_not_the_end_of_the_job),
      UNIT(a_learned_budget_gets_no_hint),
      UNIT(without_a_region_there_is_no_hint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
