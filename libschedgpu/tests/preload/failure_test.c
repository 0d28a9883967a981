/*
 * A program that cannot be scheduled runs unscheduled or is refused, as the site chose; nothing
 * else changes for it.
 */
#include "fixture.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include <unistd.h>

#define JOB 12
#define NOT_PERMITTED 800
#define RUN "SCHEDGPU_ON_FAILURE=run"
#define REFUSE "SCHEDGPU_ON_FAILURE=refuse"

static void start(struct child *child, struct node *node, uint64_t job, const char *run_dir,
                  const char *choice) {
  child_start(child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .job = job,
                              .run_dir = run_dir,
                              .environment = choice});
  assert_int_equal(child_ask(child, "begin 0"), 0);
}

static void expect_runs(struct child *child) {
  assert_int_equal(child_ask(child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(child, "managed 1 4096"), 0);
  assert_int_equal(child_ask(child, "async 2 4096"), 0);
  assert_int_equal(child_ask(child, "info"), 0);
  assert_int_equal(child_number(child, 2), DEVICE_BYTES);
  assert_int_equal(child_ask(child, "free 0"), 0);
  assert_int_equal(child_ask(child, "free 1"), 0);
  assert_int_equal(child_ask(child, "free-async 2"), 0);
  assert_int_equal(child_end(child), 0);
}

static void expect_refused(struct child *child) {
  assert_int_equal(child_ask(child, "alloc 0 4096"), NOT_PERMITTED);
  assert_int_equal(child_ask(child, "managed 0 4096"), NOT_PERMITTED);
  assert_int_equal(child_ask(child, "pitch 0 4096 10"), NOT_PERMITTED);
  assert_int_equal(child_ask(child, "async 0 4096"), NOT_PERMITTED);
  assert_int_equal(child_ask(child, "physical 0 2097152 1 0"), NOT_PERMITTED);
  assert_int_equal(child_said(child, "schedgpu:"), 1);
  assert_int_equal(child_said(child, "refusing device memory"), 1);
}

static void process_of_no_job_passes_silently(void **state) {
  struct child child;
  start(&child, *state, 0, NULL, NULL);
  expect_runs(&child);
  assert_int_equal(child_said(&child, ""), 0);
}

static void process_of_no_job_is_never_refused(void **state) {
  struct child child;
  start(&child, *state, 0, "/nonexistent", REFUSE);
  expect_runs(&child);
  assert_int_equal(child_said(&child, ""), 0);
}

static void without_a_region_it_runs_with_one_warning(void **state) {
  struct child child;
  start(&child, *state, JOB, "/nonexistent", RUN);
  expect_runs(&child);
  assert_int_equal(child_said(&child, "schedgpu:"), 1);
  assert_int_equal(child_said(&child, "ENOREGION: /nonexistent/region is not here: in a container "
                                      "bind /nonexistent (schedgpu container-options)"),
                   1);
  assert_int_equal(child_said(&child, "running without scheduling"), 1);
}

/** As in a container of Podman or Docker: the files are bound, and System V memory is its own. */
static void in_another_ipc_namespace_it_says_so(void **state) {
  struct child child;
  if (!machine_has("unshare -i true"))
    SKIP("no IPC namespaces");
  child_start(&child, *state,
              &(struct start){.program = "/usr/bin/unshare",
                              .arguments = {"-i", PROGRAMS_DIR "/driver_looked_up", "handle"},
                              .job = JOB,
                              .environment = RUN});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  expect_runs(&child);
  assert_int_equal(child_said(&child, "/region is here, its memory is not: in a container share"),
                   1);
}

static void run_is_the_default(void **state) {
  struct child child;
  start(&child, *state, JOB, "/nonexistent", NULL);
  expect_runs(&child);
}

static void without_a_region_it_is_refused(void **state) {
  struct child child;
  start(&child, *state, JOB, "/nonexistent", REFUSE);
  expect_refused(&child);
  assert_int_equal(child_said(&child, "ENOREGION"), 1);
}

static void unknown_job_runs_with_one_warning(void **state) {
  struct child child;
  start(&child, *state, 4711, NULL, RUN);
  expect_runs(&child);
  assert_int_equal(child_said(&child, "ENOJOB"), 1);
}

static void unknown_job_is_refused(void **state) {
  struct child child;
  start(&child, *state, 4711, NULL, REFUSE);
  expect_refused(&child);
}

static void write_at(const struct node *node, const char *name, uint32_t value) {
  struct schedgpu_region_info info;
  int64_t offset = schedgpu_layout_find(name);
  assert_true(offset >= 0);
  assert_int_equal(schedgpu_admin_region_info(node->admin, &info), 0);
  char *region = shmat(info.shmid, NULL, 0);
  assert_true(region != (void *)-1);
  memcpy(region + offset, &value, sizeof value);
  shmdt(region);
}

static void other_version(const struct node *node) {
  char path[128];
  snprintf(path, sizeof path, "%s/region", node->dir);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("schedgpu region 4711\n", f);
  fclose(f);
}

static void region_of_another_version_is_never_used(void **state) {
  struct child child;
  node_job(*state, JOB, GIB, SCHEDGPU_FOREVER);
  other_version(*state);
  start(&child, *state, JOB, NULL, RUN);
  expect_runs(&child);
  assert_int_equal(child_said(&child, "EVERSION"), 1);
}

static void corrupt_region_is_never_used(void **state) {
  struct child child;
  node_job(*state, JOB, GIB, SCHEDGPU_FOREVER);
  write_at(*state, "region.magic", 4711);
  start(&child, *state, JOB, NULL, REFUSE);
  expect_refused(&child);
}

/* The job ends while its process lives: the process goes on unscheduled, or is refused. */
static void job_that_ended_runs_on(void **state) {
  struct node *node = *state;
  struct child child;
  node_job_ondemand(node, JOB, GIB, SCHEDGPU_FOREVER, 1);
  start(&child, node, JOB, NULL, RUN);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(schedgpu_admin_job_end(node->admin, SCHEDGPU_JOB_SLURM, JOB), 0);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_ask(&child, "free 0"), 0);
  node_check(node);
}

static void job_that_ended_is_refused(void **state) {
  struct node *node = *state;
  struct child child;
  node_job_ondemand(node, JOB, GIB, SCHEDGPU_FOREVER, 1);
  start(&child, node, JOB, NULL, REFUSE);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(schedgpu_admin_job_end(node->admin, SCHEDGPU_JOB_SLURM, JOB), 0);
  assert_int_equal(child_ask(&child, "alloc 1 4096"), NOT_PERMITTED);
  assert_int_equal(child_ask(&child, "free 0"), 0);
}

/* stderr is a closed pipe: our line must not kill the program. */
static void broken_stderr_does_not_kill(void **state) {
  struct node *node = *state;
  struct child child;
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .job = JOB,
                              .run_dir = "/nonexistent",
                              .broken_stderr = true});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(process_of_no_job_passes_silently),
      NODE_TEST(process_of_no_job_is_never_refused),
      NODE_TEST(without_a_region_it_runs_with_one_warning),
      NODE_TEST(in_another_ipc_namespace_it_says_so),
      NODE_TEST(run_is_the_default),
      NODE_TEST(without_a_region_it_is_refused),
      NODE_TEST(unknown_job_runs_with_one_warning),
      NODE_TEST(unknown_job_is_refused),
      NODE_TEST(region_of_another_version_is_never_used),
      NODE_TEST(corrupt_region_is_never_used),
      NODE_TEST(job_that_ended_runs_on),
      NODE_TEST(job_that_ended_is_refused),
      NODE_TEST(broken_stderr_does_not_kill),
  };
  return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
