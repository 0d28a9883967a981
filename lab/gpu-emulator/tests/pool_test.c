/* pool_test.c - memory pools: stream-ordered memory, and what a pool takes, keeps and releases. */
#include "driver_support.h"

static cuuint64_t pool_value(CUmemoryPool pool, CUmemPool_attribute attribute) {
  cuuint64_t value;
  OK(cuMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

static CUmemoryPool default_pool(void) {
  CUmemoryPool pool;
  OK(cuDeviceGetDefaultMemPool(&pool, 0));
  return pool;
}

static CUdeviceptr allocate_async(size_t bytes) {
  CUdeviceptr block;
  OK(cuMemAllocAsync(&block, bytes, NULL));
  return block;
}

static void pool_takes_memory_in_chunks(void) {
  use_device(0);
  allocate_async(10 * MIB);
  REQUIRE_EQUAL(free_bytes(), 928 * MIB);
  allocate_async(22 * MIB);
  REQUIRE_EQUAL(free_bytes(), 928 * MIB);
  allocate_async(1);
  REQUIRE_EQUAL(free_bytes(), 896 * MIB);
  REQUIRE_EQUAL(pool_value(default_pool(), CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * MIB);
  REQUIRE_EQUAL(pool_value(default_pool(), CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 32 * MIB + 512);
}

static void last_memory_is_taken_without_a_chunk(void) {
  use_device(0);
  CUdeviceptr block;
  allocate(959 * MIB);
  OK(cuMemAllocAsync(&block, MIB, NULL));
  REQUIRE_EQUAL(free_bytes(), 0);
  REQUIRE_EQUAL(cuMemAllocAsync(&block, 1, NULL), CUDA_ERROR_OUT_OF_MEMORY);
}

static void freed_memory_stays_until_a_synchronization(void) {
  use_device(0);
  CUevent event;
  OK(cuEventCreate(&event, 0));
  OK(cuMemFreeAsync(allocate_async(10 * MIB), NULL));
  REQUIRE_EQUAL(free_bytes(), 928 * MIB);
  OK(cuStreamSynchronize(NULL));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuMemFree_v2(allocate_async(10 * MIB)));
  OK(cuEventSynchronize(event));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuMemFreeAsync_ptsz(allocate_async(10 * MIB), NULL));
  OK(cuCtxSynchronize());
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuMemFreeAsync(allocate(MIB), NULL)); /* memory of no pool */
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void pool_keeps_memory_up_to_its_threshold(void) {
  use_device(0);
  CUmemoryPool pool = default_pool(), current;
  CUdeviceptr b;
  cuuint64_t threshold = 64 * MIB;
  OK(cuDeviceGetMemPool(&current, 0));
  REQUIRE(pool == current);
  OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  allocate_async(20 * MIB);
  OK(cuMemAllocFromPoolAsync(&b, 140 * MIB, pool, NULL));
  REQUIRE_EQUAL(free_bytes(), 800 * MIB);
  OK(cuMemFreeAsync(b, NULL));
  OK(cuStreamSynchronize(NULL));
  REQUIRE_EQUAL(free_bytes(), 896 * MIB);
  REQUIRE_EQUAL(pool_value(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 20 * MIB);
  REQUIRE_EQUAL(pool_value(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 160 * MIB);
  REQUIRE_EQUAL(pool_value(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 160 * MIB);
  allocate_async(5 * MIB); /* from the memory that the pool keeps */
  REQUIRE_EQUAL(free_bytes(), 896 * MIB);
  OK(cuMemPoolTrimTo(pool, 0));
  REQUIRE_EQUAL(free_bytes(), 928 * MIB);
}

/* CUDA's documentation recommends the largest threshold for a pool that releases nothing. */
static void pool_with_the_largest_threshold_releases_nothing(void) {
  use_device(0);
  cuuint64_t threshold = UINT64_MAX;
  OK(cuMemPoolSetAttribute(default_pool(), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  allocate_async(10 * MIB);
  OK(cuStreamSynchronize(NULL));
  REQUIRE_EQUAL(free_bytes(), 928 * MIB);
  OK(cuMemPoolTrimTo(default_pool(), SIZE_MAX));
  REQUIRE_EQUAL(free_bytes(), 928 * MIB);
}

static const CUmemPoolProps on_device_1 = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                           .location = {CU_MEM_LOCATION_TYPE_DEVICE, 1},
                                           .maxSize = 50 * MIB};

static void own_pools_are_created_and_destroyed(void) {
  use_device(1);
  CUmemoryPool pool, current, standard;
  CUdeviceptr block, more;
  OK(cuMemPoolCreate(&pool, &on_device_1));
  OK(cuDeviceSetMemPool(1, pool));
  REQUIRE_EQUAL(cuDeviceSetMemPool(0, pool), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAllocAsync(&block, 50 * MIB, NULL));
  REQUIRE_EQUAL(pool_value(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 50 * MIB);
  REQUIRE_EQUAL(cuMemAllocAsync(&more, 512, NULL), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemPoolDestroy(pool)); /* its blocks stay valid */
  OK(cuDeviceGetMemPool(&current, 1));
  OK(cuDeviceGetDefaultMemPool(&standard, 1));
  REQUIRE(current == standard);
  REQUIRE_EQUAL(free_bytes(), 896 * MIB);
  OK(cuMemFreeAsync(block, NULL));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  REQUIRE_EQUAL(cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
}

static void pools_are_of_their_own_device(void) {
  use_device(0);
  CUmemoryPool pool, same;
  CUdeviceptr block;
  CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
  OK(cuMemPoolCreate(&pool, &on_device_1));
  OK(cuMemAllocFromPoolAsync(&block, MIB, pool, NULL));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
  OK(cuMemGetMemPool(&same, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
  REQUIRE(same == pool);
  OK(cuMemGetDefaultMemPool(&same, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
  REQUIRE(same != pool);
  use_device(1);
  REQUIRE_EQUAL(free_bytes(), 928 * MIB);
}

static void pools_of_the_host_take_no_device_memory(void) {
  use_device(0);
  CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                               .location = {CU_MEM_LOCATION_TYPE_HOST, 0}};
  CUmemoryPool pool;
  CUdeviceptr block;
  OK(cuMemPoolCreate(&pool, &properties));
  OK(cuMemAllocFromPoolAsync(&block, MIB, pool, NULL));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuMemFreeAsync(block, NULL));
}

static void memory_of_pools_outlives_the_context(void) {
  CUcontext context = use_device(0), second;
  OK(cuCtxCreate_v2(&second, 0, 0));
  CUdeviceptr block = allocate_async(10 * MIB);
  OK(cuCtxDestroy_v2(second));
  OK(cuCtxSetCurrent(context));
  REQUIRE_EQUAL(free_bytes(), 928 * MIB);
  OK(cuMemFree_v2(block));
  OK(cuCtxSynchronize());
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

#define TEST(name)                                                                                 \
  static void test_##name(void **unused) {                                                         \
    (void)unused;                                                                                  \
    assert_in_child(name);                                                                         \
  }
#define ALL(X)                                                                                     \
  X(pool_takes_memory_in_chunks)                                                                   \
  X(last_memory_is_taken_without_a_chunk)                                                          \
  X(freed_memory_stays_until_a_synchronization)                                                    \
  X(pool_keeps_memory_up_to_its_threshold)                                                         \
  X(pool_with_the_largest_threshold_releases_nothing)                                              \
  X(own_pools_are_created_and_destroyed)                                                           \
  X(pools_are_of_their_own_device)                                                                 \
  X(pools_of_the_host_take_no_device_memory)                                                       \
  X(memory_of_pools_outlives_the_context)
ALL(TEST)

#define ENTER(name) cmocka_unit_test_setup_teardown(test_##name, setup_state, teardown_state),
int main(void) {
  const struct CMUnitTest tests[] = {ALL(ENTER)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
