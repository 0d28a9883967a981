/* program_test.c - the arithmetic of the programs gives the numbers of the paper. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "near.h"

static const struct program *const programs[] = {&program_ara, &program_mummergpu,
                                                 &program_gpu_blast};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Percent of the device's memory that NVML would show on average, computed from the parts of the
 * run. */
static double average_percent(const struct program *p) {
  double with_context = p->alone_seconds - program_cpu_part_seconds(p);
  double device = (double)program_device_mib(), context = (double)program_context_mib();
  double mib_seconds =
      context * with_context + (p->peak_percent / 100 * device - context) * program_held_seconds(p);
  return 100 * mib_seconds / p->alone_seconds / device;
}

static void average_memory_is_that_of_table_1(void **state) {
  (void)state;
  for (int i = 0; i < PROGRAMS; i++)
    assert_near(average_percent(programs[i]), programs[i]->average_percent, 1e-9);
}

static void allocation_and_context_are_the_peak(void **state) {
  (void)state;
  assert_int_equal(program_allocation_mib(&program_ara), 703);
  assert_int_equal(program_allocation_mib(&program_mummergpu), 655);
  assert_int_equal(program_allocation_mib(&program_gpu_blast), 1663);
}

static void another_device_changes_the_sizes_and_keeps_the_shares(void **state) {
  (void)state;
  setenv("DEMO_DEVICE_MIB", "143771", 1);
  setenv("DEMO_CONTEXT_MIB", "600", 1);
  uint64_t allocation_mib = program_allocation_mib(&program_gpu_blast);
  double average = average_percent(&program_gpu_blast);
  unsetenv("DEMO_DEVICE_MIB");
  unsetenv("DEMO_CONTEXT_MIB");
  assert_int_equal(allocation_mib, 51157);
  assert_near(average, program_gpu_blast.average_percent, 1e-9);
}

/* A device that is 9.24 % busy: Table 3, without schedGPU. */
static void busy_time_of_the_workload_is_that_of_table_3(void **state) {
  (void)state;
  double busy = 0, alone = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    busy += 4 * program_busy_seconds(programs[i]);
    alone += 4 * programs[i]->alone_seconds;
  }
  assert_near(busy, 228.56, 0.01);
  assert_near(alone, 2475.16, 0.01);
  assert_near(100 * busy / alone, 9.24, 0.01);
}

static void kernels_run_only_while_memory_is_held(void **state) {
  (void)state;
  for (int i = 0; i < PROGRAMS; i++)
    assert_true(program_busy_seconds(programs[i]) < program_held_seconds(programs[i]));
}

static void parts_add_up_to_the_run(void **state) {
  (void)state;
  for (int i = 0; i < PROGRAMS; i++) {
    const struct program *p = programs[i];
    assert_near(p->cycles * program_cpu_part_seconds(p) + program_held_seconds(p), p->alone_seconds,
                1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(average_memory_is_that_of_table_1),
      cmocka_unit_test(allocation_and_context_are_the_peak),
      cmocka_unit_test(another_device_changes_the_sizes_and_keeps_the_shares),
      cmocka_unit_test(busy_time_of_the_workload_is_that_of_table_3),
      cmocka_unit_test(kernels_run_only_while_memory_is_held),
      cmocka_unit_test(parts_add_up_to_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
