/* container_test.c - tasks of `srun --container`, as Slurm 22.05 calls the plugin. */
#include "fake_slurm.h"

#define WARNING "schedgpu: gpu1: warning: the programs in this container run unscheduled: oci.conf "

static const char *left(const char *name) {
  const char *value = getenv(name);
  return value ? value : "(not set)";
}

/** A task with these options; oci.conf is beside slurm.conf. */
static void be_a_container(const char *option_name, const char *value, const char *run_time_run) {
  setenv("SLURM_CONF", in_folder("slurm.conf"), 1);
  if (run_time_run)
    write_file("oci.conf", "RunTimeKill=\"crun kill\"\nRunTimeRun=\"%s\"\n", run_time_run);
  put(job_env, "SLURM_CONTAINER", "/bundle");
  job_uid = getuid();
  be_on_a_node("1");
  assert_int_equal(give_option(option_name, value), 0);
  assert_int_equal(run_task(), 0);
}

static void do_leave(void **state) {
  (void)state;
  be_a_container("schedgpu-mem", "6G", "schedgpu-bundle %%b && exec crun run");
  assert_string_equal(left("SCHEDGPU_BUNDLE_SCHEDGPU_JOB"), "slurm:42");
  assert_string_equal(left("SCHEDGPU_BUNDLE_LD_PRELOAD"), in_folder("libours.so"));
  assert_string_equal(left("SCHEDGPU_BUNDLE_CUDA_VISIBLE_DEVICES"),
                      value_of(job_env, "CUDA_VISIBLE_DEVICES"));
  assert_string_equal(left("LD_PRELOAD"), "(not set)");
  assert_null(strstr(said, "unscheduled"));
}

static void do_warn(void **state) {
  (void)state;
  be_a_container("schedgpu-mem", "6G", "exec crun run\"\n # RunTimeRun=\"schedgpu-bundle %%b");
  expect_said(WARNING "does not start schedgpu-bundle: ask the administrator, or take "
                      "--schedgpu-mode=gate\n");
}

static void do_not_know(void **state) {
  (void)state;
  be_a_container("schedgpu-mem", "6G", NULL);
  assert_null(strstr(said, "unscheduled"));
}

static void do_off(void **state) {
  (void)state;
  put(job_env, "SCHEDGPU_JOB", "slurm:42"); /* of the script around the step */
  be_a_container("schedgpu", "off", "exec crun run");
  assert_string_equal(left("SCHEDGPU_BUNDLE_SCHEDGPU_JOB"), "");
  assert_null(strstr(said, "container"));
}

static void do_plain(void **state) {
  (void)state;
  job_uid = getuid();
  be_on_a_node("1");
  assert_int_equal(give_option("schedgpu-mem", "6G"), 0);
  assert_int_equal(run_task(), 0);
  assert_string_equal(left("SCHEDGPU_BUNDLE_SCHEDGPU_JOB"), "(not set)");
}

SCENARIO(its_variables_are_left_to_the_program_before_the_runtime, do_leave)
SCENARIO(without_that_program_its_user_is_told_at_the_start, do_warn)
SCENARIO(what_cannot_be_read_is_not_complained_about, do_not_know)
SCENARIO(a_job_that_is_not_scheduled_is_told_nothing, do_off)
SCENARIO(other_tasks_leave_nothing, do_plain)

int main(void) {
  const struct CMUnitTest tests[] = {
      UNIT(its_variables_are_left_to_the_program_before_the_runtime),
      UNIT(without_that_program_its_user_is_told_at_the_start),
      UNIT(what_cannot_be_read_is_not_complained_about),
      UNIT(a_job_that_is_not_scheduled_is_told_nothing),
      UNIT(other_tasks_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
