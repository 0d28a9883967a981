/*
 * Which Slurm job a text of /proc/self/cgroup names, and what an ld.so.preload names.
 */
#include "../../shell/sys/cgroup_job.h"
#include "system_wide.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define NONE UINT64_MAX

static void expect(const char *text, uint64_t wanted) {
  struct sg_group_job job = {.job_id = NONE};
  bool found = sg_cgroup_job(text, &job);
  assert_int_equal(found, wanted != NONE);
  assert_int_equal(job.job_id, wanted);
  assert_string_equal(job.sluid, "");
}

static void expect_sluid(const char *text, const char *wanted) {
  struct sg_group_job job = {0};
  assert_true(sg_cgroup_job(text, &job));
  assert_string_equal(job.sluid, wanted);
}

static void cgroup_v1_names_the_job(void **state) {
  (void)state;
  expect("11:freezer:/slurm/uid_1000/job_12/step_0\n"
         "4:cpuset,cpu:/slurm/uid_1000/job_12/step_0/task_0\n1:name=systemd:/init.scope\n",
         12);
  expect("9:memory:/user.slice\n8:devices:/slurm_node7/uid_0/job_34/step_batch\n", 34);
  expect("2:cpuset:/docker/abc/slurm/uid_1000/job_5/step_extern", 5);
}

/* As created by Slurm 22.05 with proctrack/cgroup and task/cgroup. */
static void cgroup_v1_of_a_real_task_names_the_job(void **state) {
  (void)state;
  expect("9:name=systemd:/\n8:pids:/\n7:blkio:/\n6:freezer:/slurm_mini1/uid_0/job_1/step_0\n"
         "5:devices:/slurm_mini1/uid_0/job_1/step_0/task_0\n4:memory:/service/e0102e77\n"
         "3:cpuset:/\n2:cpuacct:/\n1:cpu:/\n0::/\n",
         1);
}

static void cgroup_v2_names_the_job(void **state) {
  (void)state;
  expect("0::/system.slice/slurmstepd.scope/job_56/step_batch/user/task_special\n", 56);
  expect("0::/system.slice/node7_slurmstepd.scope/job_57/step_3/user/task_0\n", 57);
  expect("0::/system.slice/slurmstepd.scope/job_58", 58);
}

/* As created by Slurm 26.05. */
static void cgroup_v2_of_newer_slurm_names_the_sluid(void **state) {
  (void)state;
  expect_sluid("0::/system.slice/slurmstepd.scope/s7HC1W9R9G3Y00/step_0/user/task_0\n",
               "s7HC1W9R9G3Y00");
  expect_sluid("0::/system.slice/n1_slurmstepd.scope/s7HC1W9R9G3Y00\n", "s7HC1W9R9G3Y00");
}

/* A name that cannot be a SLUID, or that a later Slurm may use: it must not count as no job. */
static void other_folders_in_slurms_scope_are_unknown_jobs(void **state) {
  (void)state;
  expect_sluid("0::/slurmstepd.scope/a-b/step_0\n", "?");
  expect_sluid("0::/slurmstepd.scope/0123456789012345678901234567890\n",
               "0123456789012345678901234567890");
  expect_sluid("0::/slurmstepd.scope/01234567890123456789012345678901\n", "?");
  expect_sluid("0::/slurmstepd.scope/job_/step_0\n", "?");
  expect_sluid("0::/slurmstepd.scope/job_12a/step_0\n", "?");
  expect_sluid("0::/slurmstepd.scope/job_-1/step_0\n", "?");
  expect_sluid("0::/slurmstepd.scope/job_18446744073709551616\n", "?");
}

/* The user created one inside his own. */
static void outermost_sluid_counts(void **state) {
  (void)state;
  expect_sluid("0::/slurmstepd.scope/s1/step_0/slurmstepd.scope/job_13\n", "s1");
  expect("0::/slurmstepd.scope/job_12/step_0/slurmstepd.scope/s1\n", 12);
}

static void a_recorded_sluid_is_its_jobs(void **state) {
  (void)state;
  char run_dir[] = "/tmp/schedgpu-test-XXXXXX", command[64];
  struct sg_group_job job = {.sluid = "s7HC1W9R9G3Y00"};
  uint64_t id = 0;
  assert_non_null(mkdtemp(run_dir));
  assert_false(sg_group_job_id(run_dir, &job, &id));
  assert_int_equal(sg_sluid_record(run_dir, job.sluid, 42), 0);
  assert_true(sg_group_job_id(run_dir, &job, &id));
  assert_int_equal(id, 42);
  assert_int_equal(sg_sluid_record(run_dir, job.sluid, 43), 0); /* a record that was left */
  assert_true(sg_group_job_id(run_dir, &job, &id));
  assert_int_equal(id, 43);
  sg_sluid_forget(run_dir, job.sluid);
  assert_false(sg_group_job_id(run_dir, &job, &id));
  assert_int_equal(sg_sluid_record(run_dir, job.sluid, 44), 0);
  sg_sluid_forget_all(run_dir);
  snprintf(command, sizeof command, "rmdir %s", run_dir); /* nothing is left in it */
  assert_int_equal(system(command), 0);
}

static void an_invalid_sluid_is_not_recorded(void **state) {
  (void)state;
  assert_int_not_equal(sg_sluid_record("/tmp", "../x", 42), 0);
  assert_int_not_equal(sg_sluid_record("/tmp", "", 42), 0);
  struct sg_group_job job = {.sluid = "?"};
  uint64_t id;
  assert_false(sg_group_job_id("/tmp", &job, &id));
}

static void processes_of_no_job_name_none(void **state) {
  (void)state;
  expect("", NONE);
  expect("0::/\n", NONE);
  expect("0::/system.slice/slurmstepd.scope/system\n", NONE);
  expect("1:name=systemd:/user.slice/user-1000.slice/session-2.scope\n", NONE);
  expect("nonsense\n:::\n0:\n", NONE);
}

/* A folder with that name that Slurm did not create. */
static void scope_of_another_path_is_not_a_job(void **state) {
  (void)state;
  expect("0::/job_12\n", NONE);
  expect("0::/user.slice/job_12/step_0\n", NONE);
  expect("0::/user.slice/uid_1000/job_12\n", NONE);
  expect("0::/user.slice/slurmstepd.scope.d/job_12\n", NONE);
  expect("0::/user.slice/notslurmstepd.scope/job_12\n", NONE);
}

static void outermost_job_counts(void **state) {
  (void)state;
  expect("0::/slurmstepd.scope/job_12/step_0/slurmstepd.scope/job_13\n", 12);
  expect("3:devices:/slurm/uid_1/job_12/slurm/uid_1/job_13\n", 12);
}

static void number_is_all_of_the_rest(void **state) {
  (void)state;
  expect("1:freezer:/slurm/uid_1/job_12a/step_0\n", NONE);
  expect("0::/slurmstepd.scope/job_4294967296\n", UINT64_C(4294967296));
}

static void expect_named(bool wanted, const char *text) {
  assert_int_equal(sgp_names_library(text, "libschedgpu-preload.so"), wanted);
}

static void list_names_the_library_in_any_folder(void **state) {
  (void)state;
  expect_named(true, "/usr/local/lib/libschedgpu-preload.so\n");
  expect_named(true, "libschedgpu-preload.so");
  expect_named(true, "/a/b.so:/usr/$LIB/libschedgpu-preload.so /c.so");
  expect_named(true, "# ours\n\t/x/libschedgpu-preload.so # here\n");
}

static void list_without_the_library(void **state) {
  (void)state;
  expect_named(false, "");
  expect_named(false, "/usr/lib/other.so\n");
  expect_named(false, "# /usr/lib/libschedgpu-preload.so\n");
  expect_named(false, "/usr/lib/notlibschedgpu-preload.so");
  expect_named(false, "/usr/lib/libschedgpu-preload.so.bak");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cgroup_v1_names_the_job),
      cmocka_unit_test(cgroup_v1_of_a_real_task_names_the_job),
      cmocka_unit_test(cgroup_v2_names_the_job),
      cmocka_unit_test(cgroup_v2_of_newer_slurm_names_the_sluid),
      cmocka_unit_test(other_folders_in_slurms_scope_are_unknown_jobs),
      cmocka_unit_test(outermost_sluid_counts),
      cmocka_unit_test(a_recorded_sluid_is_its_jobs),
      cmocka_unit_test(an_invalid_sluid_is_not_recorded),
      cmocka_unit_test(processes_of_no_job_name_none),
      cmocka_unit_test(scope_of_another_path_is_not_a_job),
      cmocka_unit_test(outermost_job_counts),
      cmocka_unit_test(number_is_all_of_the_rest),
      cmocka_unit_test(list_names_the_library_in_any_folder),
      cmocka_unit_test(list_without_the_library),
  };
  return cmocka_run_group_tests_name("control groups", tests, NULL, NULL);
}
