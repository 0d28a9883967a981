/* health_test.c - faults and limits of devices, as NVML reports them. */
#include "test_support.h"
#include "nvml_abi.h"

static char faults[64];

static void say(const char *lines) {
  FILE *file = fopen(faults, "a");
  REQUIRE(file);
  fputs(lines, file);
  fclose(file);
}

static int use_faults(void **unused) {
  setup_state(unused);
  snprintf(faults, sizeof faults, "/dev/shm/faults-test-%d", getpid());
  setenv("EMULATED_GPU_FAULTS", faults, 1);
  return 0;
}

static int drop_faults(void **unused) {
  unlink(faults);
  return teardown_state(unused);
}

static nvmlDevice_t device_at(unsigned index) {
  nvmlDevice_t device;
  REQUIRE_EQUAL(nvmlInit_v2(), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlDeviceGetHandleByIndex_v2(index, &device), NVML_SUCCESS);
  return device;
}

static void read_events(void) {
  nvmlDevice_t second = device_at(1);
  nvmlEventSet_t set;
  nvmlEventData_t event;
  say("xid 1 13\n");
  REQUIRE_EQUAL(nvmlEventSetCreate(&set), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlDeviceRegisterEvents(second, nvmlEventTypeXidCriticalError, set), NVML_SUCCESS);
  /* the fault came before the registration */
  REQUIRE_EQUAL(nvmlEventSetWait_v2(set, &event, 0), NVML_ERROR_TIMEOUT);
  say("xid 0 31\nxid 1 79\n");
  REQUIRE_EQUAL(nvmlEventSetWait_v2(set, &event, 0), NVML_SUCCESS);
  REQUIRE(event.device == second);
  REQUIRE_EQUAL(event.eventType, nvmlEventTypeXidCriticalError);
  REQUIRE_EQUAL(event.eventData, 79);
  REQUIRE_EQUAL(nvmlEventSetWait_v2(set, &event, 20), NVML_ERROR_TIMEOUT);
  REQUIRE_EQUAL(nvmlEventSetFree(set), NVML_SUCCESS);
}

static void an_xid_is_reported_once_to_earlier_registrations(void **unused) {
  (void)unused;
  assert_in_child(read_events);
}

static void read_ecc(void) {
  unsigned long long count = 7;
  nvmlDevice_t first = device_at(0);
  REQUIRE_EQUAL(nvmlDeviceGetTotalEccErrors(first, NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
                                            NVML_VOLATILE_ECC, &count),
                NVML_ERROR_NOT_SUPPORTED);
  say("ecc 0 1\necc 1 9\necc 0 3\n");
  REQUIRE_EQUAL(nvmlDeviceGetTotalEccErrors(first, NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
                                            NVML_VOLATILE_ECC, &count),
                NVML_SUCCESS);
  REQUIRE_EQUAL(count, 3);
}

static void the_last_count_of_errors_holds(void **unused) {
  (void)unused;
  assert_in_child(read_ecc);
}

static void lose_a_device(void) {
  char uuid[96];
  nvmlDevice_t first = device_at(0), second = device_at(1);
  say("lost 1\n");
  REQUIRE_EQUAL(nvmlDeviceGetUUID(first, uuid, sizeof uuid), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlDeviceGetUUID(second, uuid, sizeof uuid), NVML_ERROR_GPU_IS_LOST);
}

static void calls_of_a_lost_device_fail(void **unused) {
  (void)unused;
  assert_in_child(lose_a_device);
}

static void set_limits(void) {
  nvmlDevice_t first = device_at(0);
  nvmlSetMemoryLimits_v1_t set = {"/dev/shm", 0, 1024};
  nvmlGetMemoryLimits_v1_t got = {.nameSpace = "/dev/shm"};
  REQUIRE_EQUAL(nvmlDeviceSetMemoryLimits_v1(first, &set), NVML_ERROR_NOT_SUPPORTED);
  setenv("EMULATED_GPU_LIMITS", faults, 1);
  REQUIRE_EQUAL(nvmlDeviceGetMemoryLimits_v1(first, &got), NVML_ERROR_NOT_FOUND);
  REQUIRE_EQUAL(nvmlDeviceSetMemoryLimits_v1(first, &set), NVML_SUCCESS);
  set.hardLimit = 2048;
  REQUIRE_EQUAL(nvmlDeviceSetMemoryLimits_v1(first, &set), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlDeviceGetMemoryLimits_v1(first, &got), NVML_SUCCESS);
  REQUIRE_EQUAL(got.hardLimit, 2048);
  REQUIRE_EQUAL(nvmlDeviceGetMemoryLimits_v1(device_at(1), &got), NVML_ERROR_NOT_FOUND);
  set.nameSpace = "/no/such/group";
  REQUIRE_EQUAL(nvmlDeviceSetMemoryLimits_v1(first, &set), NVML_ERROR_NOT_FOUND);
}

static void limits_are_kept_for_each_group_and_device(void **unused) {
  (void)unused;
  unsetenv("EMULATED_GPU_FAULTS");
  assert_in_child(set_limits);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, use_faults, drop_faults)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(an_xid_is_reported_once_to_earlier_registrations),
      TEST(the_last_count_of_errors_holds),
      TEST(calls_of_a_lost_device_fail),
      TEST(limits_are_kept_for_each_group_and_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
