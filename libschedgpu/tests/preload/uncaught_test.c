/*
 * uncaught_test.c - what the preload library cannot intercept, as the documentation says. The
 * memory is unreserved, and NVML shows it.
 */
#include "fixture.h"
#include "namespace.h"
#include <string.h>
#include <unistd.h>

#define JOB 12
#define BYTES (64 * MIB)

/* MiB that NVML shows for a process, from the emulator's command; -1: none. */
static long long nvml_mib(const struct node *node, pid_t pid) {
  char command[512], line[256], wanted[32];
  long long mib = -1;
  snprintf(command, sizeof command, "EMULATED_GPU_STATE=%s/gpu %s/emulated-gpu-smi", node->dir,
           EMULATOR_DIR);
  snprintf(wanted, sizeof wanted, "pid %d ", pid);
  FILE *output = popen(command, "r");
  assert_non_null(output);
  while (fgets(line, sizeof line, output)) {
    const char *at = strstr(line, wanted);
    if (at)
      mib = strtoll(at + strlen(wanted), NULL, 10);
  }
  pclose(output);
  return mib;
}

static void expect_nvml(const struct node *node, const struct child *child) {
  assert_int_equal(nvml_mib(node, child->pid), (CONTEXT_BYTES + BYTES) / MIB);
}

static void allocate(struct node *node, struct child *child, const struct start *how) {
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(child, node, how);
  assert_int_equal(child_ask(child, "begin"), 0);
  assert_int_equal(child_ask(child, "alloc 0 %llu", (unsigned long long)BYTES), 0);
}

static void expect_uncaught(struct node *node, const struct start *how) {
  struct child child;
  allocate(node, &child, how);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(node_contexts(node, JOB, 0), 0);
  expect_nvml(node, &child);
}

static void plugin_loaded_as_usual_is_caught(void **state) {
  struct child child;
  allocate(*state, &child,
           &(struct start){.program = "loading_program", .arguments = {"local"}, .job = JOB});
  assert_int_equal(node_in_use(*state, JOB, 0), BYTES);
  assert_int_equal(node_contexts(*state, JOB, 0), CONTEXT_BYTES);
  expect_nvml(*state, &child);
}

static void plugin_with_deepbind_is_not_caught(void **state) {
  expect_uncaught(
      *state, &(struct start){.program = "loading_program", .arguments = {"deepbind"}, .job = JOB});
}

static void namespace_of_dlmopen_is_not_caught(void **state) {
  expect_uncaught(
      *state, &(struct start){.program = "loading_program", .arguments = {"dlmopen"}, .job = JOB});
}

static void static_program_is_not_caught(void **state) {
  if (access(PROGRAMS_DIR "/static_program", X_OK) != 0)
    SKIP("no static C library here");
  expect_uncaught(*state, &(struct start){.program = "static_program", .job = JOB});
}

static void setuid_program_is_not_caught(void **state) {
  if (!namespace_prepare(*state, "", ""))
    SKIP("no mount namespaces here (not root, or a container without them)");
  namespace_setuid_program(*state, "inside_program");
  expect_uncaught(*state, &(struct start){.program = "/mnt/setuid_program",
                                          .job = JOB,
                                          .before_exec = namespace_enter_as_nobody});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(plugin_loaded_as_usual_is_caught),   NODE_TEST(plugin_with_deepbind_is_not_caught),
      NODE_TEST(namespace_of_dlmopen_is_not_caught), NODE_TEST(static_program_is_not_caught),
      NODE_TEST(setuid_program_is_not_caught),
  };
  return cmocka_run_group_tests_name("uncaught", tests, NULL, NULL);
}
