/* driver_gpus_test.c - devices.conf against the GPUs of the driver, in a made folder. */
#include "../conf/conf_testing.h"
#include "../../node/driver_gpus.h"
#include <sys/stat.h>

static struct sg_conf_devices devices;
static char folder[64], error[512];

static void gpu(const char *place, const char *uuid, const char *minor) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, place);
  assert_int_equal(mkdir(path, 0700), 0);
  strcat(path, "/information");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  /* As the driver writes it. */
  fprintf(file, "Model: \t\t NVIDIA A100\nIRQ:   \t\t 134\nGPU UUID: \t %s\n", uuid);
  fprintf(file, "Bus Location: \t %s\nDevice Minor: \t %s\nGPU Excluded:\t No\n", place, minor);
  fclose(file);
}

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/schedgpu-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  devices.count = 0;
  add_device(&devices, 0, 16 * GIB, 0, 1);
  add_device(&devices, 1, 16 * GIB, 1, 1);
  error[0] = '\0';
  return 0;
}

static int remove_folder(void **state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static int compare(uint64_t mask) {
  return sg_driver_compare(folder, &devices, mask, error, sizeof error);
}

static void the_same_gpus_are_well(void **state) {
  (void)state;
  gpu("0000:01:00.0", "GPU-0", "0");
  gpu("0000:02:00.0", "GPU-1", "1");
  assert_int_equal(compare(3), SCHEDGPU_OK);
  assert_string_equal(error, "");
}

static void a_replaced_gpu_is_named(void **state) {
  (void)state;
  gpu("0000:01:00.0", "GPU-0", "0");
  gpu("0000:02:00.0", "GPU-new", "1");
  assert_int_equal(compare(3), SCHEDGPU_EDEVICE);
  assert_non_null(strstr(error, "device 1 is GPU-1, but /dev/nvidia1 is GPU-new: a GPU was "));
  assert_non_null(strstr(error, "schedgpu gres facts on this node, then plan and apply again"));
  assert_int_equal(compare(1), SCHEDGPU_OK); /* a job of another device */
}

static void gpus_that_moved_are_found(void **state) {
  (void)state;
  gpu("0000:01:00.0", "GPU-0", "1");
  gpu("0000:02:00.0", "GPU-1", "0");
  assert_int_equal(compare(1), SCHEDGPU_EDEVICE);
}

static void a_gpu_that_is_gone_is_found(void **state) {
  (void)state;
  gpu("0000:01:00.0", "GPU-0", "0");
  assert_int_equal(compare(3), SCHEDGPU_EDEVICE);
  assert_non_null(strstr(error, "/dev/nvidia1 is no GPU"));
}

static void a_driver_that_does_not_say_is_no_proof(void **state) {
  (void)state;
  assert_int_equal(compare(3), SCHEDGPU_OK);
  gpu("0000:01:00.0", "GPU-\?\?\?\?", "0");
  gpu("0000:02:00.0", "GPU-new", "1");
  assert_int_equal(compare(3), SCHEDGPU_OK);
  assert_int_equal(sg_driver_compare("/nonexistent", &devices, 3, error, sizeof error),
                   SCHEDGPU_OK);
}

/* For example, a GPU that is kept for the screen. */
static void a_gpu_that_no_device_names_is_another(void **state) {
  (void)state;
  assert_false(sg_driver_has_others(folder, &devices));
  gpu("0000:02:00.0", "GPU-0", "0");
  gpu("0000:03:00.0", "GPU-1", "1");
  assert_false(sg_driver_has_others(folder, &devices));
  gpu("0000:01:00.0", "GPU-screen", "2");
  assert_true(sg_driver_has_others(folder, &devices));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_same_gpus_are_well, set_up, remove_folder),
      cmocka_unit_test_setup_teardown(a_replaced_gpu_is_named, set_up, remove_folder),
      cmocka_unit_test_setup_teardown(gpus_that_moved_are_found, set_up, remove_folder),
      cmocka_unit_test_setup_teardown(a_gpu_that_is_gone_is_found, set_up, remove_folder),
      cmocka_unit_test_setup_teardown(a_gpu_that_no_device_names_is_another, set_up, remove_folder),
      cmocka_unit_test_setup_teardown(a_driver_that_does_not_say_is_no_proof, set_up,
                                      remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
