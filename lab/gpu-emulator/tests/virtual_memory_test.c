/* Virtual memory management of the emulated driver. */
#include "driver_support.h"

static const CUmemAllocationProp on_device_0 = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

static void virtual_memory_is_charged_until_its_last_use(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle, again;
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUdeviceptr address;
  size_t grain;
  OK(cuMemGetAllocationGranularity(&grain, &on_device_0, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  OK(cuMemCreate(&handle, 4 * grain, &on_device_0, 0));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 4 * grain);
  OK(cuMemAddressReserve(&address, 8 * grain, 0, 0, 0));
  REQUIRE_EQUAL(address % grain, 0);
  OK(cuMemMap(address, 4 * grain, 0, handle, 0));
  OK(cuMemMap(address + 4 * grain, 4 * grain, 0, handle, 0));
  OK(cuMemSetAccess(address, 8 * grain, &access, 1));
  OK(cuMemsetD8_v2(address, 7, 10));
  REQUIRE_EQUAL(*(char *)(address + 4 * grain), 7); /* the same memory in both places */
  OK(cuMemRelease(handle));
  OK(cuMemRetainAllocationHandle(&again, (void *)(address + 1)));
  REQUIRE(again == handle);
  OK(cuMemUnmap(address, 8 * grain));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 4 * grain);
  OK(cuMemRelease(again));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuMemAddressFree(address, 8 * grain));
}

enum { GRAIN = 2 << 20 };

static CUmemGenericAllocationHandle create(size_t bytes) {
  CUmemGenericAllocationHandle handle;
  OK(cuMemCreate(&handle, bytes, &on_device_0, 0));
  return handle;
}

static CUdeviceptr reserve(size_t bytes) {
  CUdeviceptr address;
  OK(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  return address;
}

static void unknown_handle_is_refused(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle = create(GRAIN);
  CUdeviceptr address = reserve(GRAIN);
  OK(cuMemMap(address, GRAIN, 0, handle, 0));
  OK(cuMemRelease(handle));
  REQUIRE_EQUAL(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemRelease(0), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - GRAIN);
  OK(cuMemUnmap(address, GRAIN));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  REQUIRE_EQUAL(cuMemMap(address, GRAIN, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
}

static void mappings_are_unmapped_whole(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle = create(2 * GRAIN);
  CUdeviceptr address = reserve(4 * GRAIN);
  OK(cuMemMap(address, 2 * GRAIN, 0, handle, 0));
  OK(cuMemMap(address + 2 * GRAIN, GRAIN, GRAIN, handle, 0));
  REQUIRE_EQUAL(cuMemMap(address + GRAIN, GRAIN, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemMap(address + 3 * GRAIN, GRAIN, 2 * GRAIN, handle, 0),
                CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemUnmap(address, GRAIN), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemUnmap(address + GRAIN, 2 * GRAIN), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 2 * GRAIN);
  OK(cuMemUnmap(address, 3 * GRAIN));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  REQUIRE_EQUAL(cuMemUnmap(address, 3 * GRAIN), CUDA_ERROR_INVALID_VALUE);
}

static void offsets_show_other_parts(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle = create(2 * GRAIN);
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUdeviceptr address = reserve(3 * GRAIN);
  OK(cuMemMap(address, 2 * GRAIN, 0, handle, 0));
  OK(cuMemMap(address + 2 * GRAIN, GRAIN, GRAIN, handle, 0));
  OK(cuMemSetAccess(address, 3 * GRAIN, &access, 1));
  OK(cuMemsetD8_v2(address + GRAIN + 5, 42, 1));
  REQUIRE_EQUAL(*(char *)(address + 2 * GRAIN + 5), 42);
}

/* More than a process may have open files. */
static void thousands_of_handles_are_possible(void) {
  use_device(0);
  enum { HANDLES = 400, ROUNDS = 5 };
  for (int round = 0; round < ROUNDS; round++) {
    CUmemGenericAllocationHandle handles[HANDLES];
    for (int i = 0; i < HANDLES; i++)
      handles[i] = create(GRAIN);
    for (int i = 0; i < HANDLES; i++)
      OK(cuMemRelease(handles[i]));
  }
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void virtual_memory_has_limits(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle;
  REQUIRE_EQUAL(cuMemCreate(&handle, 1000, &on_device_0, 0), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemCreate(&handle, 962 * MIB, &on_device_0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void multicast_is_looked_up_and_refused(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle = 0;
  CUmulticastObjectProp prop = {.numDevices = 1, .size = MIB};
  size_t bytes;
  REQUIRE_EQUAL(cuMulticastGetGranularity(&bytes, &prop, CU_MULTICAST_GRANULARITY_MINIMUM),
                CUDA_ERROR_NOT_SUPPORTED);
  REQUIRE_EQUAL(cuMulticastCreate(&handle, &prop), CUDA_ERROR_NOT_SUPPORTED);
  REQUIRE_EQUAL(cuMulticastAddDevice(handle, 0), CUDA_ERROR_NOT_SUPPORTED);
  REQUIRE_EQUAL(cuMulticastBindMem(handle, 0, 0, 0, MIB, 0), CUDA_ERROR_NOT_SUPPORTED);
  REQUIRE_EQUAL(cuMulticastBindAddr(handle, 0, 0, MIB, 0), CUDA_ERROR_NOT_SUPPORTED);
  REQUIRE_EQUAL(cuMulticastUnbind(handle, 0, 0, MIB), CUDA_ERROR_NOT_SUPPORTED);
}

#define TEST(name)                                                                                 \
  static void test_##name(void **unused) {                                                         \
    (void)unused;                                                                                  \
    assert_in_child(name);                                                                         \
  }
#define ALL(X)                                                                                     \
  X(virtual_memory_is_charged_until_its_last_use)                                                  \
  X(unknown_handle_is_refused)                                                                     \
  X(mappings_are_unmapped_whole)                                                                   \
  X(offsets_show_other_parts)                                                                      \
  X(thousands_of_handles_are_possible)                                                             \
  X(multicast_is_looked_up_and_refused)                                                            \
  X(virtual_memory_has_limits)
ALL(TEST)

#define ENTER(name) cmocka_unit_test_setup_teardown(test_##name, setup_state, teardown_state),
int main(void) {
  const struct CMUnitTest tests[] = {ALL(ENTER)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
