/* Arrays of the emulated driver. */
#include "driver_support.h"

enum { PAGE = 64 << 10, GRAIN = 2 << 20 };

static const CUDA_ARRAY3D_DESCRIPTOR flat = {
    .Width = 1000, .Height = 500, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};

static CUDA_ARRAY3D_DESCRIPTOR shaped(size_t width, size_t height, size_t depth, unsigned flags) {
  return (CUDA_ARRAY3D_DESCRIPTOR){.Width = width,
                                   .Height = height,
                                   .Depth = depth,
                                   .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                   .NumChannels = 4,
                                   .Flags = flags};
}

/* Rows of 4000 bytes take 4032, 500 rows take 504; whole pages. */
static void array_is_charged_in_blocks_and_pages(void) {
  use_device(0);
  CUarray array;
  OK(cuArray3DCreate_v2(&array, &flat));
  size_t bytes = (4032 * 504 + PAGE - 1) / PAGE * PAGE;
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - bytes);
  OK(cuArrayDestroy(array));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  REQUIRE_EQUAL(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
}

static void expect_bytes(CUDA_ARRAY3D_DESCRIPTOR descriptor, size_t bytes) {
  CUarray array;
  size_t before = free_bytes();
  OK(cuArray3DCreate_v2(&array, &descriptor));
  REQUIRE_EQUAL(before - free_bytes(), bytes);
  OK(cuArrayDestroy(array));
}

static void shapes_have_their_sizes(void) {
  use_device(0);
  expect_bytes(shaped(16384, 0, 0, 0), PAGE);
  expect_bytes(shaped(128, 128, 0, 0), PAGE);
  expect_bytes(shaped(128, 128, 7, 0), 7 * PAGE);
  expect_bytes(shaped(128, 128, 7, CUDA_ARRAY3D_LAYERED), 7 * PAGE);
  expect_bytes(shaped(16384, 0, 7, CUDA_ARRAY3D_LAYERED), 7 * PAGE);
  expect_bytes(shaped(128, 128, 6, CUDA_ARRAY3D_CUBEMAP), 6 * PAGE);
  expect_bytes(shaped(128, 128, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED), 12 * PAGE);
}

static void expect_refused(CUDA_ARRAY3D_DESCRIPTOR descriptor, CUresult error) {
  CUarray array;
  REQUIRE_EQUAL(cuArray3DCreate_v2(&array, &descriptor), error);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void impossible_arrays_are_refused(void) {
  use_device(0);
  expect_refused(shaped(0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  expect_refused(shaped(16, 0, 7, 0), CUDA_ERROR_INVALID_VALUE);
  expect_refused(shaped(128, 64, 6, CUDA_ARRAY3D_CUBEMAP), CUDA_ERROR_INVALID_VALUE);
  expect_refused(shaped(128, 128, 7, CUDA_ARRAY3D_CUBEMAP), CUDA_ERROR_INVALID_VALUE);
  expect_refused(shaped(128, 128, 0, CUDA_ARRAY3D_LAYERED), CUDA_ERROR_INVALID_VALUE);
  expect_refused(shaped(1 << 20, 1 << 20, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  expect_refused(shaped(1 << 20, 1 << 20, 1 << 20, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

static void mipmaps_count_all_their_levels(void) {
  use_device(0);
  CUmipmappedArray mipmap;
  CUarray level;
  CUDA_ARRAY_DESCRIPTOR descriptor;
  CUDA_ARRAY3D_DESCRIPTOR wanted = shaped(1024, 1024, 0, 0);
  OK(cuMipmappedArrayCreate(&mipmap, &wanted, 3));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 4 * (MIB + MIB / 4 + MIB / 16));
  OK(cuMipmappedArrayGetLevel(&level, mipmap, 2));
  OK(cuArrayGetDescriptor_v2(&descriptor, level));
  REQUIRE(descriptor.Width == 256 && descriptor.Height == 256);
  REQUIRE_EQUAL(cuMipmappedArrayGetLevel(&level, mipmap, 3), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuArrayDestroy((CUarray)mipmap), CUDA_ERROR_INVALID_HANDLE);
  OK(cuMipmappedArrayDestroy(mipmap));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void arrays_end_with_their_context(void) {
  CUarray array;
  CUcontext own;
  use_device(0);
  OK(cuCtxCreate_v2(&own, 0, 0));
  OK(cuArray3DCreate_v2(&array, &flat));
  OK(cuCtxDestroy_v2(own));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  REQUIRE_EQUAL(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
}

static void deferred_arrays_report_their_needs(void) {
  use_device(0);
  CUarray plain, deferred;
  CUDA_ARRAY3D_DESCRIPTOR later = flat;
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
  later.Flags = CUDA_ARRAY3D_DEFERRED_MAPPING;
  OK(cuArray3DCreate_v2(&deferred, &later));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuArrayGetMemoryRequirements(&needs, deferred, 0));
  OK(cuArray3DCreate_v2(&plain, &flat));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - needs.size);
  REQUIRE_EQUAL(cuArrayGetMemoryRequirements(&needs, plain, 0), CUDA_ERROR_INVALID_VALUE);
}

static void rectangles_are_copied_to_arrays_and_back(void) {
  use_device(0);
  CUDA_ARRAY_DESCRIPTOR small = {8, 3, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  char from[3][8] = {"abcdefg", "hijklmn", "opqrstu"}, to[2][4] = {{0}};
  CUarray array;
  OK(cuArrayCreate_v2(&array, &small));
  CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                      .srcHost = from,
                      .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                      .dstArray = array,
                      .WidthInBytes = 8,
                      .Height = 3};
  OK(cuMemcpy2D_v2(&up));
  CUDA_MEMCPY2D down = {.srcXInBytes = 2,
                        .srcY = 1,
                        .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = array,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = to,
                        .WidthInBytes = 4,
                        .Height = 2};
  OK(cuMemcpy2D_v2(&down));
  REQUIRE(!memcmp(to, "jklmqrst", 8));
  down.srcY = 2;
  REQUIRE_EQUAL(cuMemcpy2D_v2(&down), CUDA_ERROR_INVALID_VALUE);
}

static CUmemGenericAllocationHandle physical(size_t bytes) {
  CUmemAllocationProp on_device_0 = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  CUmemGenericAllocationHandle handle;
  OK(cuMemCreate(&handle, bytes, &on_device_0, 0));
  return handle;
}

static void map_tile(CUarray array, unsigned x, CUmemGenericAllocationHandle handle) {
  CUarrayMapInfo info = {.resource.array = array,
                         .subresource.sparseLevel = {.offsetX = x, .extentWidth = 128},
                         .memOperationType =
                             handle ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP,
                         .memHandle.memHandle = handle,
                         .deviceBitMask = 1};
  OK(cuMemMapArrayAsync(&info, 1, NULL));
}

static void sparse_array_keeps_what_it_is_mapped_to(void) {
  use_device(0);
  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR sparse = shaped(4096, 4096, 0, CUDA_ARRAY3D_SPARSE);
  OK(cuArray3DCreate_v2(&array, &sparse));
  CUmemGenericAllocationHandle a = physical(GRAIN), b = physical(GRAIN);
  map_tile(array, 0, a);
  map_tile(array, 128, b);
  OK(cuMemRelease(a));
  OK(cuMemRelease(b));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 2 * GRAIN);
  map_tile(array, 0, 0);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - GRAIN);
  OK(cuArrayDestroy(array));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void descriptors_of_32_bits_are_taken(void) {
  use_device(0);
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR_v1 small = {128, 128, CU_AD_FORMAT_UNSIGNED_INT8, 4}, back = {0};
  CUDA_ARRAY3D_DESCRIPTOR_v1 deep = {128, 128, 7, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0};
  OK(cuArrayCreate(&array, &small));
  OK(cuArrayGetDescriptor(&back, array));
  REQUIRE(!memcmp(&back, &small, sizeof back));
  OK(cuArray3DCreate(&array, &deep));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - 8 * PAGE);
}

#define TEST(name)                                                                                 \
  static void test_##name(void **unused) {                                                         \
    (void)unused;                                                                                  \
    assert_in_child(name);                                                                         \
  }
#define ALL(X)                                                                                     \
  X(array_is_charged_in_blocks_and_pages)                                                          \
  X(shapes_have_their_sizes)                                                                       \
  X(impossible_arrays_are_refused)                                                                 \
  X(mipmaps_count_all_their_levels)                                                                \
  X(arrays_end_with_their_context)                                                                 \
  X(deferred_arrays_report_their_needs)                                                            \
  X(rectangles_are_copied_to_arrays_and_back)                                                      \
  X(sparse_array_keeps_what_it_is_mapped_to)                                                       \
  X(descriptors_of_32_bits_are_taken)
ALL(TEST)

#define ENTER(name) cmocka_unit_test_setup_teardown(test_##name, setup_state, teardown_state),
int main(void) {
  const struct CMUnitTest tests[] = {ALL(ENTER)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
