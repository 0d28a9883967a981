/* engine_test.c - the engine on a fake device: its requests, and what it does after an error. */
#include "device.h"
#include "engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "near.h"

#define SCALE 1e6
#define MIB (1u << 20)

static struct {
  int open, allocations, frees, kernels;
  int allocation_that_fails; /* number of the allocation that fails, from 1; 0: none */
  int corrupt;
  size_t now_bytes, most_bytes;
  uint64_t busy_ns;
  struct {
    unsigned char *memory;
    size_t bytes;
  } live[4];
} device;

enum device_result device_open(void) {
  device.open++;
  return DEVICE_OK;
}

void device_close(void) {}

enum device_result device_allocate(void **memory, size_t bytes) {
  assert_true(device.open > 0);
  if (++device.allocations == device.allocation_that_fails)
    return DEVICE_OUT_OF_MEMORY;
  int i = device.live[0].memory ? 1 : 0;
  *memory = device.live[i].memory = calloc(1, bytes);
  device.live[i].bytes = bytes;
  device.now_bytes += bytes;
  if (device.now_bytes > device.most_bytes)
    device.most_bytes = device.now_bytes;
  return DEVICE_OK;
}

enum device_result device_free(void *memory) {
  int i = device.live[0].memory == memory ? 0 : 1;
  assert_ptr_equal(device.live[i].memory, memory);
  device.now_bytes -= device.live[i].bytes;
  device.live[i].memory = NULL;
  device.frees++;
  free(memory);
  return DEVICE_OK;
}

enum device_result device_write(void *memory, const void *host, size_t bytes) {
  memcpy(memory, host, bytes);
  return DEVICE_OK;
}

enum device_result device_read(void *host, const void *memory, size_t bytes) {
  memcpy(host, memory, bytes);
  if (device.corrupt)
    ((unsigned char *)host)[bytes - 1] ^= 1;
  return DEVICE_OK;
}

enum device_result device_run(uint64_t busy_ns) {
  assert_true(device.now_bytes > 0);
  device.kernels++;
  device.busy_ns += busy_ns;
  return DEVICE_OK;
}

const char *device_error(void) {
  return "told by the test";
}

static int fresh_device(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++)
    free(device.live[i].memory);
  memset(&device, 0, sizeof device);
  return 0;
}

static void memory_is_held_in_the_gpu_parts_only(void **state) {
  (void)state;
  struct report report;
  assert_int_equal(engine_run(&program_mummergpu, SCALE, &report), OUTCOME_COMPLETED);
  assert_int_equal(device.most_bytes, program_allocation_mib(&program_mummergpu) * MIB);
  assert_int_equal(device.now_bytes, 0);
  assert_int_equal(device.allocations, 2 * program_mummergpu.cycles);
  assert_int_equal(device.frees, device.allocations);
  assert_int_equal(report.asked, program_mummergpu.cycles);
  assert_int_equal(report.held, program_mummergpu.cycles);
}

/* Dividing the time into kernels loses less than 1 ns for each. */
static void kernels_add_up_to_the_busy_time(void **state) {
  (void)state;
  struct report report;
  engine_run(&program_gpu_blast, 1000, &report);
  double expected_ns = program_busy_seconds(&program_gpu_blast) * 1e9 / 1000;
  assert_near((double)device.busy_ns, expected_ns, device.kernels);
  assert_int_equal(report.busy_ns, device.busy_ns);
  assert_int_equal(device.kernels, 6);
}

static void out_of_memory_ends_the_program(void **state) {
  (void)state;
  struct report report;
  device.allocation_that_fails = 2;
  assert_int_equal(engine_run(&program_ara, SCALE, &report), OUTCOME_OUT_OF_MEMORY);
  assert_int_equal(device.kernels, 0);
  assert_int_equal(report.asked, 1);
  assert_int_equal(report.held, 0);
}

static void changed_data_is_noticed(void **state) {
  (void)state;
  struct report report;
  device.corrupt = 1;
  assert_int_equal(engine_run(&program_ara, SCALE, &report), OUTCOME_FAILED);
}

static void report_is_one_line_of_json(void **state) {
  (void)state;
  const struct report report = {.outcome = OUTCOME_OUT_OF_MEMORY,
                                .run = {10, 90},
                                .busy_ns = 5,
                                .kernel_ns = 6,
                                .asked = 2,
                                .held = 1,
                                .asking = {{20, 30}, {60, 70}},
                                .holding = {{30, 50}}};
  char text[400] = "";
  FILE *out = fmemopen(text, sizeof text, "w");
  engine_print_report(out, &program_ara, 20, &report);
  fclose(out);
  assert_string_equal(text, "{\"program\":\"ara\",\"scale\":20,\"outcome\":\"out of memory\","
                            "\"fromNs\":10,\"toNs\":90,\"busyNs\":5,\"kernelNs\":6,"
                            "\"asking\":[[20,30],[60,70]],\"holding\":[[30,50]]}\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(memory_is_held_in_the_gpu_parts_only, fresh_device),
      cmocka_unit_test_setup(kernels_add_up_to_the_busy_time, fresh_device),
      cmocka_unit_test_setup(out_of_memory_ends_the_program, fresh_device),
      cmocka_unit_test_setup(changed_data_is_noticed, fresh_device),
      cmocka_unit_test_setup(report_is_one_line_of_json, fresh_device),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fresh_device(NULL);
  return failed;
}
