/*
 * The library in /etc/ld.so.preload: harmless in every process, and impossible to bypass for a job.
 */
#include "fixture.h"
#include "namespace.h"
#include <string.h>
#include <unistd.h>

#define JOB 12
#define OTHER_JOB 13
#define OUT_OF_MEMORY 2
#define CGROUP_V2 "0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_0\n"
#define NO_JOB "0::/system.slice/ssh.service\n"

static void prepare(struct node *node, const char *cgroup) {
  if (!namespace_prepare(node, PRELOAD_LIBRARY "\n", cgroup))
    SKIP("no mount namespaces here (not root, or a container without them)");
}

static void begin(struct child *child, struct node *node, const struct start *how) {
  child_start(child, node, how);
  assert_int_equal(child_ask(child, "begin 0"), 0);
}

/** The variables of a user who tries to avoid the library. */
static const struct start without_variables = {.program = "driver_looked_up",
                                               .arguments = {"handle"},
                                               .run_dir = "",
                                               .devices = "",
                                               .without_preload = true,
                                               .before_exec = namespace_enter};

static void expect_off(struct node *node, const struct start *how) {
  struct child child;
  begin(&child, node, how);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
}

static void job_of_the_control_group_is_joined(void **state) {
  struct child child;
  prepare(*state, CGROUP_V2);
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  begin(&child, *state, &without_variables);
  expect_charged_to(*state, JOB, &child);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
}

static void environment_does_not_override_the_control_group(void **state) {
  struct child child;
  struct start liar = without_variables;
  liar.job = OTHER_JOB;
  liar.run_dir = "/nonexistent";
  liar.devices = "GPU-of-nobody";
  prepare(*state, CGROUP_V2);
  node_job(*state, JOB, 4 * GIB, SCHEDGPU_FOREVER);
  node_job(*state, OTHER_JOB, 4 * GIB, SCHEDGPU_FOREVER);
  begin(&child, *state, &liar);
  expect_charged_to(*state, JOB, &child);
}

static void program_outside_of_any_job_stays_off(void **state) {
  prepare(*state, NO_JOB);
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  expect_off(*state, &without_variables);
}

/* Started with --schedgpu=off, or without a GPU. */
static void job_that_no_region_knows_stays_off(void **state) {
  prepare(*state, "0::/system.slice/slurmstepd.scope/job_4711/step_0\n");
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  expect_off(*state, &without_variables);
}

/* As `schedgpu run` does. */
static void outside_of_slurm_the_environment_counts(void **state) {
  struct child child;
  struct start how = without_variables;
  how.job = JOB;
  prepare(*state, NO_JOB);
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  begin(&child, *state, &how);
  expect_charged_to(*state, JOB, &child);
}

static void begin_job(struct node *node, uint32_t uid, uint32_t mode) {
  struct schedgpu_job_spec spec = {.job_id = JOB,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = uid,
                                   .priority = 50,
                                   .mode = mode,
                                   .device_mask = 1,
                                   .budget_bytes = {GIB},
                                   .wait_ns = SCHEDGPU_FOREVER};
  assert_int_equal(schedgpu_admin_job_begin(node->admin, &spec), 0);
}

/* Mode gate preloads nothing and enforces nothing; but this library is loaded anyway. */
static void gate_job_is_held_to_its_budget(void **state) {
  struct node *node = *state;
  struct child child;
  prepare(node, CGROUP_V2);
  begin_job(node, (uint32_t)getuid(), SCHEDGPU_MODE_GATE);
  begin(&child, node, &without_variables);
  expect_charged_to(node, JOB, &child);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(2 * GIB)), OUT_OF_MEMORY);
}

/* A site with another run directory, to which the plugin's variables lead. */
static void job_that_no_region_knows_leaves_the_environment(void **state) {
  struct child child;
  struct start how = without_variables;
  how.job = JOB;
  prepare(*state, "0::/system.slice/slurmstepd.scope/job_4711/step_0\n");
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  begin(&child, *state, &how);
  expect_charged_to(*state, JOB, &child);
}

/* A library that is only in LD_PRELOAD can be unset as well. */
static void control_group_counts_only_system_wide(void **state) {
  struct start how = without_variables;
  if (!namespace_prepare(*state, "/lib/another.so\n", CGROUP_V2))
    SKIP("no mount namespaces here (not root, or a container without them)");
  how.without_preload = false;
  node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  struct child child;
  begin(&child, *state, &how);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 0);
}

/* LD_PRELOAD does not reach it (uncaught_test.c). */
static void start_setuid(struct child *child, struct node *node, const char *cgroup,
                         const struct start *how) {
  struct start setuid = *how;
  prepare(node, cgroup);
  namespace_setuid_program(node, "inside_program");
  begin_job(node, NAMESPACE_NOBODY, SCHEDGPU_MODE_PEAK);
  setuid.program = "/mnt/setuid_program";
  setuid.before_exec = namespace_enter_as_nobody;
  begin(child, node, &setuid);
}

static void setuid_program_is_charged(void **state) {
  struct child child;
  start_setuid(&child, *state, CGROUP_V2, &without_variables);
  expect_charged_to(*state, JOB, &child);
}

/* The caller could make it use, as root, a region that the caller created. */
static void setuid_program_does_not_trust_its_environment(void **state) {
  struct child child;
  struct start how = without_variables;
  how.job = JOB;
  start_setuid(&child, *state, NO_JOB, &how);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 0);
  assert_int_equal(child_said(&child, ""), 0);
}

static void say_plain(struct node *node, const struct start *how, char line[512]) {
  struct child child;
  child_start(&child, node, how);
  child_answer(&child);
  strcpy(line, child.line);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, ""), 0);
}

/* Compares with a run without the library. */
static void expect_nothing_noticed(struct node *node, struct start how) {
  char with[512], without[512];
  how.arguments[0] = node->dir;
  how.without_preload = true;
  say_plain(node, &how, with);
  say_plain(node,
            &(struct start){
                .program = "plain_program", .arguments = {node->dir}, .without_preload = true},
            without);
  assert_non_null(strstr(with, " preload 1 "));
  *strchr(strstr(with, "preload"), '1') = '0';
  assert_string_equal(with, without);
}

static void plain_program_notices_nothing(void **state) {
  prepare(*state, CGROUP_V2);
  expect_nothing_noticed(
      *state,
      (struct start){.program = "plain_program", .job = JOB, .before_exec = namespace_enter});
}

static void setuid_program_notices_nothing(void **state) {
  prepare(*state, CGROUP_V2);
  namespace_setuid_program(*state, "plain_program");
  expect_nothing_noticed(*state, (struct start){.program = "/mnt/setuid_program",
                                                .job = JOB,
                                                .before_exec = namespace_enter_as_nobody});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(job_of_the_control_group_is_joined),
      NODE_TEST(environment_does_not_override_the_control_group),
      NODE_TEST(program_outside_of_any_job_stays_off),
      NODE_TEST(job_that_no_region_knows_stays_off),
      NODE_TEST(job_that_no_region_knows_leaves_the_environment),
      NODE_TEST(gate_job_is_held_to_its_budget),
      NODE_TEST(outside_of_slurm_the_environment_counts),
      NODE_TEST(control_group_counts_only_system_wide),
      NODE_TEST(plain_program_notices_nothing),
      NODE_TEST(setuid_program_notices_nothing),
      NODE_TEST(setuid_program_is_charged),
      NODE_TEST(setuid_program_does_not_trust_its_environment),
  };
  return cmocka_run_group_tests_name("system-wide", tests, NULL, NULL);
}
