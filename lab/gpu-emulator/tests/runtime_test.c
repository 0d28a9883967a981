/*
 * runtime_test.c - runs runtime_program, which is built for each of the emulated runtimes, and the
 * commands.
 */
#include "test_support.h"

/* Expects this output of a program; the Makefile sets the folder of programs. */
static void assert_prints(const char *program, const char *wanted) {
  char command[512], line[128] = "";
  snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s %s/%s", LIBRARY_DIR, PROGRAM_DIR, program);
  FILE *output = popen(command, "r");
  assert_non_null(output);
  assert_non_null(fgets(line, sizeof line, output));
  assert_int_equal(pclose(output), 0);
  assert_string_equal(line, wanted);
}

static void runs_on_runtime_11(void **unused) {
  (void)unused;
  assert_prints("runtime_program_11", "runtime 11080\n");
}

static void runs_on_runtime_12(void **unused) {
  (void)unused;
  assert_prints("runtime_program_12", "runtime 12080\n");
}

static void runs_on_runtime_13(void **unused) {
  (void)unused;
  assert_prints("runtime_program_13", "runtime 13000\n");
}

static void runs_on_the_runtime_inside_the_executable(void **unused) {
  (void)unused;
  assert_prints("runtime_program_static", "runtime 12080\n");
}

static int succeeds(const char *command) {
  FILE *output = popen(command, "r");
  return output && pclose(output) == 0;
}

static void libraries_have_the_real_names(void **unused) {
  (void)unused;
  static const char *const names[] = {"libcuda.so.1", "libcudart.so.11.0", "libcudart.so.12",
                                      "libcudart.so.13", "libnvidia-ml.so.1"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    char command[512];
    snprintf(command, sizeof command, "readelf -d %s/%s | grep -qF 'soname: [%s]'", LIBRARY_DIR,
             names[i], names[i]);
    assert_true(succeeds(command));
  }
}

static void runtime_symbols_have_the_real_version(void **unused) {
  (void)unused;
  assert_true(succeeds("readelf -W --dyn-syms " LIBRARY_DIR
                       "/libcudart.so.11.0 | grep -q 'cudaMalloc@@libcudart.so.11.0'"));
  assert_true(succeeds("readelf -W --dyn-syms " LIBRARY_DIR
                       "/libcudart.so.12 | grep -q 'cudaMalloc@@libcudart.so.12'"));
  assert_true(succeeds("readelf -W --dyn-syms " LIBRARY_DIR
                       "/libcudart.so.13 | grep -q 'cudaMalloc@@libcudart.so.13'"));
}

/* Its older structure has the old name, and functions of CUDA 12 are missing. */
static void runtime_11_has_only_functions_of_11(void **unused) {
  (void)unused;
  assert_true(succeeds("readelf -W --dyn-syms " LIBRARY_DIR
                       "/libcudart.so.11.0 | grep -q ' cudaGetDeviceProperties@@'"));
  assert_false(succeeds("readelf -W --dyn-syms " LIBRARY_DIR
                        "/libcudart.so.11.0 | grep -qE 'cudaGetDeviceProperties_v2|cudaLibrary|"
                        "cudaInitDevice|cudaGetDriverEntryPointByVersion|__cudaLaunchKernel'"));
}

static void nothing_else_is_exported(void **unused) {
  (void)unused;
  assert_false(succeeds("readelf -W --dyn-syms " LIBRARY_DIR
                        "/libcuda.so.1 | awk '$5==\"GLOBAL\" && $7!=\"UND\" {print $8}' | "
                        "grep -qvE '^(cu[A-Z]|emulatedGpu)'"));
}

static void command_says_emulated_in_80_columns(void **unused) {
  (void)unused;
  assert_prints("../emulated-gpu-smi", "Emulated GPUs: 2 (no NVIDIA hardware or driver)\n");
  assert_false(succeeds(LIBRARY_DIR "/emulated-gpu-smi | grep -qE '.{81}'"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_state, teardown_state)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(runs_on_runtime_11),
      TEST(runs_on_runtime_12),
      TEST(runs_on_runtime_13),
      TEST(runs_on_the_runtime_inside_the_executable),
      TEST(libraries_have_the_real_names),
      TEST(runtime_symbols_have_the_real_version),
      TEST(runtime_11_has_only_functions_of_11),
      TEST(nothing_else_is_exported),
      TEST(command_says_emulated_in_80_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
