/*
 * Which Slurm job a text of /proc/self/cgroup names, and what an ld.so.preload names.
 */
#include "cgroup_job.h"
#include "system_wide.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define NONE UINT64_MAX

static void expect(const char *text, uint64_t wanted) {
  uint64_t id = NONE;
  bool found = sgp_cgroup_job(text, &id);
  assert_int_equal(found, wanted != NONE);
  assert_int_equal(id, wanted);
}

static void cgroup_v1_names_the_job(void **state) {
  (void)state;
  expect("11:freezer:/slurm/uid_1000/job_12/step_0\n"
         "4:cpuset,cpu:/slurm/uid_1000/job_12/step_0/task_0\n1:name=systemd:/init.scope\n",
         12);
  expect("9:memory:/user.slice\n8:devices:/slurm_node7/uid_0/job_34/step_batch\n", 34);
  expect("2:cpuset:/docker/abc/slurm/uid_1000/job_5/step_extern", 5);
}

/* As Slurm 22.05 with proctrack/cgroup and task/cgroup made it. */
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

static void processes_of_no_job_name_none(void **state) {
  (void)state;
  expect("", NONE);
  expect("0::/\n", NONE);
  expect("0::/system.slice/slurmstepd.scope/system\n", NONE);
  expect("1:name=systemd:/user.slice/user-1000.slice/session-2.scope\n", NONE);
  expect("nonsense\n:::\n0:\n", NONE);
}

/* A folder of that name which Slurm did not make. */
static void job_elsewhere_is_no_job(void **state) {
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
  expect("0::/slurmstepd.scope/job_/step_0\n", NONE);
  expect("0::/slurmstepd.scope/job_12a/step_0\n", NONE);
  expect("0::/slurmstepd.scope/job_-1/step_0\n", NONE);
  expect("0::/slurmstepd.scope/job_18446744073709551616\n", NONE);
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
      cmocka_unit_test(processes_of_no_job_name_none),
      cmocka_unit_test(job_elsewhere_is_no_job),
      cmocka_unit_test(outermost_job_counts),
      cmocka_unit_test(number_is_all_of_the_rest),
      cmocka_unit_test(list_names_the_library_in_any_folder),
      cmocka_unit_test(list_without_the_library),
  };
  return cmocka_run_group_tests_name("control groups", tests, NULL, NULL);
}
