/* Memory of the emulated driver: allocation, copies. */
#include "driver_support.h"

static void allocation_counts_and_free_gives_back(void) {
  use_device(0);
  CUdeviceptr block = allocate(100 * MIB), tiny = allocate(1);
  REQUIRE_EQUAL(free_bytes(), 860 * MIB - 512);
  OK(cuMemFree_v2(block));
  OK(cuMemFree_v2(tiny));
  OK(cuMemFree_v2(0));
  REQUIRE_EQUAL(cuMemFree_v2(block), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void more_than_there_is_fails(void) {
  use_device(0);
  CUdeviceptr block;
  REQUIRE_EQUAL(cuMemAlloc_v2(&block, 960 * MIB + 1), CUDA_ERROR_OUT_OF_MEMORY);
  REQUIRE_EQUAL(cuMemAlloc_v2(&block, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
  REQUIRE_EQUAL(cuMemAlloc_v2(&block, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAlloc_v2(&block, 960 * MIB));
  REQUIRE_EQUAL(free_bytes(), 0);
}

static void pitch_is_rounded_up(void) {
  use_device(0);
  CUdeviceptr block;
  size_t pitch;
  OK(cuMemAllocPitch_v2(&block, &pitch, 1000, 100, 4));
  REQUIRE_EQUAL(pitch, 1024);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 1024 * 100);
  REQUIRE_EQUAL(cuMemAllocPitch_v2(&block, &pitch, 1000, 100, 3), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemAllocPitch_v2(&block, &pitch, 1ull << 40, 1ull << 40, 4),
                CUDA_ERROR_OUT_OF_MEMORY);
}

static void managed_memory_is_used_from_both_sides(void) {
  use_device(0);
  CUdeviceptr block;
  OK(cuMemAllocManaged(&block, MIB, 1));
  REQUIRE_EQUAL(free_bytes(), 959 * MIB);
  ((char *)block)[5] = 42;
  char value;
  OK(cuMemcpyDtoH_v2(&value, block + 5, 1));
  REQUIRE_EQUAL(value, 42);
  OK(cuMemFree_v2(block));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void host_memory_is_not_device_memory(void) {
  use_device(0);
  void *pinned, *own = malloc(4096);
  unsigned flags;
  CUdeviceptr there;
  OK(cuMemHostAlloc(&pinned, 100 * MIB, 2));
  OK(cuMemHostGetFlags(&flags, pinned));
  REQUIRE_EQUAL(flags, 2);
  OK(cuMemHostGetDevicePointer_v2(&there, pinned, 0));
  OK(cuMemHostRegister_v2(own, 4096, 0));
  REQUIRE_EQUAL(cuMemHostRegister_v2(own, 10, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  REQUIRE_EQUAL(cuMemFree_v2((CUdeviceptr)pinned), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeHost(pinned));
  OK(cuMemHostUnregister(own));
  REQUIRE_EQUAL(cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  free(own);
}

static void addresses_are_known(void) {
  CUcontext context = use_device(1), of;
  CUdeviceptr block = allocate(1000), base;
  size_t bytes;
  unsigned type;
  int ordinal, on_stack;
  OK(cuMemGetAddressRange_v2(&base, &bytes, block + 999));
  REQUIRE(base == block && bytes == 1000);
  REQUIRE_EQUAL(cuMemGetAddressRange_v2(&base, &bytes, block + 1000), CUDA_ERROR_NOT_FOUND);
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, block + 7));
  REQUIRE_EQUAL(type, CU_MEMORYTYPE_DEVICE);
  OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, block));
  REQUIRE(of == context);
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *values[] = {&ordinal};
  OK(cuPointerGetAttributes(1, wanted, values, block));
  REQUIRE_EQUAL(ordinal, 1);
  OK(cuPointerGetAttributes(1, wanted, values, (CUdeviceptr)&on_stack));
  REQUIRE_EQUAL(ordinal, -2);
}

static void data_is_really_copied(void) {
  use_device(0);
  char from[256], to[256] = {0};
  for (int i = 0; i < 256; i++)
    from[i] = (char)i;
  CUdeviceptr a = allocate(256), b = allocate(256);
  OK(cuMemcpyHtoD_v2(a, from, 256));
  OK(cuMemcpyDtoDAsync_v2(b, a, 256, NULL));
  OK(cuMemcpyDtoHAsync_v2(to, b, 256, CU_STREAM_PER_THREAD));
  REQUIRE(!memcmp(from, to, 256));
  OK(cuMemcpyHtoD_v2_ptds(a, to + 1, 255));
  OK(cuMemcpy_ptds((CUdeviceptr)to, a, 255));
  REQUIRE_EQUAL(to[0], 1);
  OK(cuMemcpy(b, a, 0));
}

static void copies_stay_inside_their_blocks(void) {
  use_device(0);
  char host[64];
  CUdeviceptr block = allocate(32);
  REQUIRE_EQUAL(cuMemcpyHtoD_v2(block, host, 33), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemcpyDtoH_v2(host, block + 1, 32), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemcpyHtoD_v2(0, host, 1), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemsetD32_v2(block, 0, 9), CUDA_ERROR_INVALID_VALUE);
}

static void rectangles_are_copied_by_rows(void) {
  use_device(0);
  char from[3][8] = {"abcdefg", "hijklmn", "opqrstu"}, to[2][4] = {{0}};
  size_t pitch;
  CUdeviceptr block;
  OK(cuMemAllocPitch_v2(&block, &pitch, 8, 3, 4));
  CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                      .srcHost = from,
                      .srcPitch = 8,
                      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                      .dstDevice = block,
                      .dstPitch = pitch,
                      .WidthInBytes = 8,
                      .Height = 3};
  OK(cuMemcpy2D_v2(&up));
  CUDA_MEMCPY2D down = {.srcXInBytes = 2,
                        .srcY = 1,
                        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = block,
                        .srcPitch = pitch,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = to,
                        .dstPitch = 4,
                        .WidthInBytes = 4,
                        .Height = 2};
  OK(cuMemcpy2DAsync_v2(&down, NULL));
  REQUIRE(!memcmp(to, "jklmqrst", 8));
}

static void fills_have_three_widths(void) {
  use_device(0);
  CUdeviceptr block = allocate(16);
  unsigned char host[16];
  OK(cuMemsetD8_v2(block, 1, 16));
  OK(cuMemsetD16_v2(block, 0x0302, 4));
  OK(cuMemsetD32Async(block, 0x07060504, 1, NULL));
  OK(cuMemcpyDtoH_v2(host, block, 16));
  static const unsigned char wanted[16] = {4, 5, 6, 7, 2, 3, 2, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  REQUIRE(!memcmp(host, wanted, 16));
}

static void addresses_of_32_bits_are_given_out(void) {
  use_device(0);
  CUdeviceptr_v1 block, rows;
  unsigned pitch;
  OK(cuMemAlloc(&block, 1000));
  OK(cuMemsetD8_v2(block, 1, 1000));
  OK(cuMemAllocPitch(&rows, &pitch, 1000, 100, 4));
  REQUIRE_EQUAL(pitch, 1024);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 1024 - 1024 * 100);
  OK(cuMemFree(block));
  OK(cuMemFree_v2(rows));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void calls_fail_as_configured(void) {
  setenv("EMULATED_GPU_FAIL", "cuMemAllocManaged:999,cuMemAlloc_v2:2:1", 1);
  use_device(0);
  CUdeviceptr block;
  REQUIRE_EQUAL(cuMemAlloc_v2(&block, 512), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemAlloc_v2(&block, 512));
  REQUIRE_EQUAL(cuMemAllocManaged(&block, 512, 1), CUDA_ERROR_UNKNOWN);
  REQUIRE_EQUAL(cuMemAllocManaged(&block, 512, 1), CUDA_ERROR_UNKNOWN);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 512);
}

#define TEST(name)                                                                                 \
  static void test_##name(void **unused) {                                                         \
    (void)unused;                                                                                  \
    assert_in_child(name);                                                                         \
  }
#define ALL(X)                                                                                     \
  X(allocation_counts_and_free_gives_back)                                                         \
  X(more_than_there_is_fails)                                                                      \
  X(pitch_is_rounded_up)                                                                           \
  X(managed_memory_is_used_from_both_sides)                                                        \
  X(host_memory_is_not_device_memory)                                                              \
  X(addresses_are_known)                                                                           \
  X(data_is_really_copied)                                                                         \
  X(copies_stay_inside_their_blocks)                                                               \
  X(rectangles_are_copied_by_rows)                                                                 \
  X(fills_have_three_widths)                                                                       \
  X(addresses_of_32_bits_are_given_out)                                                            \
  X(calls_fail_as_configured)
ALL(TEST)

#define ENTER(name) cmocka_unit_test_setup_teardown(test_##name, setup_state, teardown_state),
int main(void) {
  const struct CMUnitTest tests[] = {ALL(ENTER)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
