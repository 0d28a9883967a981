/*
 * Python programs: ctypes, and processes of multiprocessing.
 */
#include "fixture.h"

#define JOB 12
#define NOT_INITIALIZED 3

static void start_with(struct child *child, struct node *node, const char *script,
                       const char *argument) {
  char path[512];
  if (!machine_has("python3 -c 'import ctypes, multiprocessing'"))
    SKIP("no python3");
  snprintf(path, sizeof path, "%s/%s", PROGRAMS_DIR, script);
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(child, node,
              &(struct start){
                  .program = "/usr/bin/env", .arguments = {"python3", path, argument}, .job = JOB});
}

static void start(struct child *child, struct node *node, const char *script) {
  start_with(child, node, script, NULL);
}

static void expect_driver(struct node *node, const char *file) {
  struct child child;
  start_with(&child, node, "ctypes_program.py", file);
  assert_int_equal(child_ask(&child, "begin"), 0);
  expect_charged_to(node, JOB, &child);
  assert_int_equal(child_end(&child), 0);
}

static void python_ctypes(void **state) {
  expect_driver(*state, "libcuda.so.1");
}
static void driver_by_the_link_for_developers(void **state) {
  expect_driver(*state, "libcuda.so");
}
static void driver_by_its_path(void **state) {
  expect_driver(*state, EMULATOR_DIR "/libcuda.so.1");
}

static void end_process(struct node *node, struct child *child) {
  assert_int_equal(child_ask(child, "end"), 0);
  assert_int_equal(schedgpu_admin_reap(node->admin, NULL), 0);
  assert_int_equal(node_in_use(node, JOB, 0), MIB);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_said(child, ""), 0);
}

static void multiprocessing_spawn_has_its_own_account(void **state) {
  struct node *node = *state;
  struct child child;
  start(&child, node, "multiprocessing_program.py");
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)MIB), 0);
  assert_int_equal(child_ask(&child, "start spawn %llu", (unsigned long long)(2 * MIB)), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 3 * MIB);
  assert_int_equal(node_contexts(node, JOB, 0), 2 * CONTEXT_BYTES);
  end_process(node, &child);
}

/* CUDA does not survive a fork: the driver reports that, and the parent's account is unchanged. */
static void multiprocessing_fork_gets_the_drivers_error(void **state) {
  struct node *node = *state;
  struct child child;
  start(&child, node, "multiprocessing_program.py");
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)MIB), 0);
  assert_int_equal(child_ask(&child, "start fork %llu", (unsigned long long)(2 * MIB)),
                   NOT_INITIALIZED);
  assert_int_equal(node_in_use(node, JOB, 0), MIB);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  end_process(node, &child);
}

/* A parent that has not used CUDA yet can fork. */
static void multiprocessing_fork_before_cuda_has_its_own_account(void **state) {
  struct node *node = *state;
  struct child child;
  start(&child, node, "multiprocessing_program.py");
  assert_int_equal(child_ask(&child, "start fork %llu", (unsigned long long)(2 * MIB)), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 2 * MIB);
  assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)MIB), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 3 * MIB);
  end_process(node, &child);
}

/** A fake of PyTorch in a lane job, with this PYTHONPATH. Returns how often it named the module. */
static int said_of_module(struct node *node, const char *python_path, bool imports) {
  struct child child;
  char program[512];
  snprintf(program, sizeof program, "%s/fake_pytorch", PROGRAMS_DIR);
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){.program = "/usr/bin/env",
                              .arguments = {"SCHEDGPU_LANE=fair", python_path, program},
                              .job = JOB});
  if (imports)
    assert_int_equal(child_ask(&child, "import"), 0);
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  int said = child_said(&child, "schedgpu: /nowhere has no Python module schedgpu: unless this "
                                "PyTorch program has it from elsewhere, or marks its iterations");
  assert_int_equal(child_said(&child, ""), said);
  child_end(&child);
  assert_int_equal(schedgpu_admin_job_end(node->admin, SCHEDGPU_JOB_SLURM, JOB), 0);
  return said;
}

/** It would be told at its end only that it kept the turn. */
static void pytorch_in_a_lane_without_the_module_is_told_so(void **state) {
  assert_int_equal(said_of_module(*state, "PYTHONPATH=/nowhere:/usr", true), 1);
  assert_int_equal(said_of_module(*state, "PYTHONPATH=/nowhere:/usr", false), 0);
  assert_int_equal(said_of_module(*state, "PYTHONPATH=", true), 0);
  assert_int_equal(
      said_of_module(*state, "PYTHONPATH=/nowhere:" PROGRAMS_DIR "/../../../../../../python/src",
                     true),
      0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(python_ctypes),
      NODE_TEST(driver_by_the_link_for_developers),
      NODE_TEST(driver_by_its_path),
      NODE_TEST(multiprocessing_spawn_has_its_own_account),
      NODE_TEST(multiprocessing_fork_gets_the_drivers_error),
      NODE_TEST(multiprocessing_fork_before_cuda_has_its_own_account),
      NODE_TEST(pytorch_in_a_lane_without_the_module_is_told_so),
  };
  return cmocka_run_group_tests_name("python", tests, NULL, NULL);
}
