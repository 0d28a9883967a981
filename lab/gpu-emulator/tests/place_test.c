/* MIG mode and near CPUs, as the environment says. */
#include "test_support.h"
#include "nvml_abi.h"

enum { WORDS = 2 };

static nvmlDevice_t device_at(unsigned index) {
  nvmlDevice_t device;
  REQUIRE_EQUAL(nvmlInit_v2(), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlDeviceGetHandleByIndex_v2(index, &device), NVML_SUCCESS);
  return device;
}

static nvmlReturn_t mig_mode(unsigned index, unsigned *mode) {
  unsigned pending = 77;
  nvmlReturn_t result = nvmlDeviceGetMigMode(device_at(index), mode, &pending);
  if (!result)
    REQUIRE_EQUAL(pending, *mode);
  return result;
}

static nvmlReturn_t cpus_near(unsigned index, unsigned long cpus[WORDS]) {
  memset(cpus, 0xff, WORDS * sizeof *cpus);
  return nvmlDeviceGetCpuAffinity(device_at(index), WORDS, cpus);
}

static void find_no_mig(void) {
  unsigned mode;
  REQUIRE_EQUAL(mig_mode(0, &mode), NVML_ERROR_NOT_SUPPORTED);
}

static void without_a_list_no_device_has_a_mig_mode(void **unused) {
  (void)unused;
  assert_in_child(find_no_mig);
  setenv("EMULATED_GPU_MIG", "", 1);
  assert_in_child(find_no_mig);
}

static void find_mig_on_0_and_2(void) {
  unsigned mode;
  for (unsigned index = 0; index < 4; index++) {
    REQUIRE_EQUAL(mig_mode(index, &mode), NVML_SUCCESS);
    REQUIRE_EQUAL(mode, index % 2 ? NVML_FEATURE_DISABLED : NVML_FEATURE_ENABLED);
  }
}

static void listed_devices_are_in_mig_mode(void **unused) {
  (void)unused;
  setenv("EMULATED_GPU_COUNT", "4", 1);
  setenv("EMULATED_GPU_MIG", "0,2", 1);
  assert_in_child(find_mig_on_0_and_2);
}

static void find_all_cpus(void) {
  unsigned long cpus[WORDS];
  REQUIRE_EQUAL(cpus_near(0, cpus), NVML_SUCCESS);
  long count = sysconf(_SC_NPROCESSORS_CONF), seen = 0;
  for (unsigned i = 0; i < WORDS; i++)
    seen += __builtin_popcountl(cpus[i]);
  REQUIRE_EQUAL(seen, count < 64 * WORDS ? count : 64 * WORDS);
  REQUIRE(cpus[0] & 1);
}

static void without_a_list_all_cpus_are_near(void **unused) {
  (void)unused;
  assert_in_child(find_all_cpus);
}

static void find_the_listed_cpus(void) {
  unsigned long cpus[WORDS];
  REQUIRE_EQUAL(cpus_near(0, cpus), NVML_SUCCESS);
  REQUIRE(cpus[0] == 0x3000f && cpus[1] == 0);
  REQUIRE_EQUAL(cpus_near(1, cpus), NVML_SUCCESS);
  REQUIRE(cpus[0] == 1ul << 63 && cpus[1] == 1); /* the set has no bit for 200 */
  REQUIRE_EQUAL(cpus_near(2, cpus), NVML_ERROR_NOT_SUPPORTED);
  REQUIRE_EQUAL(cpus_near(3, cpus), NVML_ERROR_NOT_SUPPORTED);
}

static void each_device_has_its_part_of_the_list(void **unused) {
  (void)unused;
  setenv("EMULATED_GPU_COUNT", "4", 1);
  setenv("EMULATED_GPU_CPUS", "0-3,16-17/63-64,200/", 1);
  assert_in_child(find_the_listed_cpus);
}

static void find_errors(void) {
  unsigned mode;
  unsigned long cpus[WORDS];
  REQUIRE_EQUAL(mig_mode(0, &mode), NVML_ERROR_UNKNOWN);
  REQUIRE_EQUAL(cpus_near(0, cpus), NVML_ERROR_UNKNOWN);
}

static void an_invalid_list_is_an_error(void **unused) {
  (void)unused;
  static const char *const bad[] = {"x", "1,", "3-1", "-1", "1-", "0 1", "99999", ",1"};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    setenv("EMULATED_GPU_MIG", bad[i], 1);
    setenv("EMULATED_GPU_CPUS", bad[i], 1);
    assert_in_child(find_errors);
  }
}

static void find_no_nvlink(void) {
  nvmlIntNvLinkDeviceType_t type;
  nvmlPciInfo_t pci;
  nvmlDevice_t device = device_at(0);
  REQUIRE_EQUAL(nvmlDeviceGetNvLinkRemoteDeviceType(device, 0, &type), NVML_ERROR_NOT_SUPPORTED);
  REQUIRE_EQUAL(nvmlDeviceGetNvLinkRemotePciInfo_v2(device, 0, &pci), NVML_ERROR_NOT_SUPPORTED);
}

static void no_device_has_an_nvlink(void **unused) {
  (void)unused;
  assert_in_child(find_no_nvlink);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_state, teardown_state)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(without_a_list_no_device_has_a_mig_mode),
      TEST(listed_devices_are_in_mig_mode),
      TEST(without_a_list_all_cpus_are_near),
      TEST(each_device_has_its_part_of_the_list),
      TEST(an_invalid_list_is_an_error),
      TEST(no_device_has_an_nvlink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
