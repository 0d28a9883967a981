/*
 * workload_test.c - the programs on the emulated device, which measures exactly how long it is
 * busy. The first argument is the folder of the programs.
 */
#include "emulated_gpu.h"
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "near.h"

#define SCALE 200
#define SCALE_TEXT "200"

static const struct program *const programs[] = {&program_ara, &program_mummergpu,
                                                 &program_gpu_blast};
static const char *folder;
static nvmlDevice_t device;

/* Returns the exit status; -1 if a signal ended it. */
static int run_program(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  pid_t child = fork();
  if (child == 0) {
    execl(path, name, (char *)NULL);
    _exit(127);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint64_t device_busy_ns(void) {
  uint64_t busy_ns;
  assert_int_equal(emulatedGpuBusyNs(device, &busy_ns), NVML_SUCCESS);
  return busy_ns;
}

static uint64_t device_used_bytes(void) {
  uint64_t used_bytes;
  assert_int_equal(emulatedGpuMemoryUsed(device, &used_bytes), NVML_SUCCESS);
  return used_bytes;
}

/* Alone, a kernel has the whole device: its time on the device is its duration. */
static void device_is_busy_as_in_table_1(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    uint64_t before_ns = device_busy_ns();
    assert_int_equal(run_program(programs[i]->name), 0);
    double expected_ns = program_busy_seconds(programs[i]) * 1e9 / SCALE;
    assert_near((double)(device_busy_ns() - before_ns), expected_ns, expected_ns / 1000);
    assert_int_equal(device_used_bytes(), 0);
  }
}

static void out_of_memory_is_exit_status_2(void **state) {
  (void)state;
  setenv("EMULATED_GPU_STATE", getenv("SMALL_GPU_STATE"), 1);
  setenv("EMULATED_GPU_MEM", "600M", 1);
  for (int i = 0; i < 3; i++)
    assert_int_equal(run_program(programs[i]->name), 2);
}

int main(int count, char **arguments) {
  char states[] = "/dev/shm/demo-test-XXXXXX", large[64], small[64];
  if (count != 2 || !mkdtemp(states))
    return 1;
  folder = arguments[1];
  snprintf(large, sizeof large, "%s/large", states);
  snprintf(small, sizeof small, "%s/small", states);
  setenv("EMULATED_GPU_STATE", large, 1);
  setenv("SMALL_GPU_STATE", small, 1);
  setenv("EMULATED_GPU_MEM", "4799M", 1);
  setenv("EMULATED_GPU_CONTEXT", "64M", 1);
  setenv("DEMO_SCALE", SCALE_TEXT, 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(device_is_busy_as_in_table_1),
      cmocka_unit_test(out_of_memory_is_exit_status_2),
  };
  int failed = nvmlInit_v2() || nvmlDeviceGetHandleByIndex_v2(0, &device);
  failed = failed || cmocka_run_group_tests(tests, NULL, NULL);
  unlink(large);
  unlink(small);
  rmdir(states);
  return failed;
}
