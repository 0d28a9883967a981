/*
 * The account of a pool with overlapping calls, step by step. The scheduler and the driver are
 * replaced here.
 */
#include "pools.h"
#include "reserve.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* A forked child abandons its memory on purpose: it is no leak. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

#define MIB (UINT64_C(1) << 20)
#define POOL ((CUmemoryPool)0x1000)

static uint64_t room, charged; /* of the fake scheduler */
static uint64_t held, used;    /* of the fake driver */
static bool mute;              /* the driver does not answer */

bool sgp_reserve_now(int device, uint64_t bytes) {
  (void)device;
  if (bytes > room)
    return false;
  room -= bytes;
  charged += bytes;
  return true;
}

struct sgp_verdict sgp_reserve(int device, uint64_t bytes) {
  bool given = sgp_reserve_now(device, bytes);
  return (struct sgp_verdict){given, !given, CUDA_ERROR_OUT_OF_MEMORY};
}

void sgp_release(int device, uint64_t bytes) {
  (void)device;
  room += bytes;
  charged -= bytes;
}

struct sgp_charge sgp_charge_nothing(bool is_charged) {
  return (struct sgp_charge){.charged = is_charged};
}

static CUresult get_attribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  (void)pool;
  *(cuuint64_t *)value = attribute == CU_MEMPOOL_ATTR_USED_MEM_CURRENT ? used : held;
  return mute ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

void *sgp_call_address(enum sgp_call call) {
  return call == SGP_CALL_cuMemPoolGetAttribute ? (void *)get_attribute : NULL;
}
void *sgp_real(enum sgp_hook hook) {
  (void)hook;
  return NULL;
}

static int start(void **state) {
  (void)state;
  sgp_pools_after_fork();
  sgp_ledger_after_fork();
  room = 100 * MIB;
  charged = held = used = 0;
  mute = false;
  return 0;
}

/* A whole call, after which the driver holds `now` bytes. */
static void allocate(uint64_t bytes, uint64_t now, CUdeviceptr address) {
  struct sgp_pool_call call = sgp_pool_begin(POOL, 0, bytes);
  held = now;
  assert_true(sgp_pool_end(&call, CUDA_SUCCESS, address));
}

static void concurrent_calls_do_not_share_spare_memory(void **state) {
  (void)state;
  allocate(10 * MIB, 32 * MIB, 1);
  assert_int_equal(charged, 32 * MIB);
  sgp_pool_begin(POOL, 0, 20 * MIB);
  assert_int_equal(charged, 32 * MIB);
  sgp_pool_begin(POOL, 0, 10 * MIB);
  assert_int_equal(charged, 40 * MIB);
}

static void end_of_a_call_leaves_memory_for_other_calls(void **state) {
  (void)state;
  struct sgp_pool_call one = sgp_pool_begin(POOL, 0, 10 * MIB);
  struct sgp_pool_call two = sgp_pool_begin(POOL, 0, 20 * MIB);
  held = 10 * MIB;
  assert_true(sgp_pool_end(&one, CUDA_SUCCESS, 1));
  assert_int_equal(charged, 30 * MIB);
  held = 30 * MIB;
  assert_true(sgp_pool_end(&two, CUDA_SUCCESS, 2));
  assert_int_equal(charged, 30 * MIB);
}

static void failed_call_returns_all_that_it_claimed(void **state) {
  (void)state;
  struct sgp_pool_call call = sgp_pool_begin(POOL, 0, 10 * MIB);
  assert_true(sgp_pool_end(&call, CUDA_ERROR_OUT_OF_MEMORY, 0));
  assert_int_equal(charged, 0);
  struct sgp_pool_call refused = sgp_pool_begin(POOL, 0, 200 * MIB);
  assert_true(refused.charge.refused);
  assert_true(sgp_pool_end(&refused, CUDA_ERROR_OUT_OF_MEMORY, 0));
  allocate(10 * MIB, 10 * MIB, 1);
  assert_int_equal(charged, 10 * MIB);
}

/* The memory is given back three times. Then it stays uncharged, until there is room. */
static void memory_that_could_not_be_charged_is_charged_later(void **state) {
  (void)state;
  room = 10 * MIB;
  struct sgp_pool_call call = sgp_pool_begin(POOL, 0, 10 * MIB);
  held = 32 * MIB;
  for (int round = 0; round < 3; round++) {
    assert_false(sgp_pool_end(&call, CUDA_SUCCESS, 1));
    assert_int_equal(call.excess, 22 * MIB);
    call.claimed = 0;
  }
  assert_true(sgp_pool_end(&call, CUDA_SUCCESS, 1));
  room += 50 * MIB;
  sgp_pools_settle(SGP_ALL_DEVICES);
  assert_int_equal(charged, 32 * MIB);
}

static void again_asks_for_the_true_size(void **state) {
  (void)state;
  room = 10 * MIB;
  struct sgp_pool_call call = sgp_pool_begin(POOL, 0, 10 * MIB);
  held = 32 * MIB;
  assert_false(sgp_pool_end(&call, CUDA_SUCCESS, 1));
  held = 0; /* freed */
  room += 22 * MIB;
  sgp_pool_again(&call);
  assert_int_equal(charged, 32 * MIB);
  held = 32 * MIB;
  assert_true(sgp_pool_end(&call, CUDA_SUCCESS, 1));
  assert_int_equal(charged, 32 * MIB);
}

/* An allocation was freed in a way that no hook saw. */
static void driver_reports_frees_that_no_hook_saw(void **state) {
  (void)state;
  allocate(20 * MIB, 32 * MIB, 1);
  used = 0;
  sgp_pools_settle(SGP_ALL_DEVICES);
  sgp_pool_begin(POOL, 0, 30 * MIB); /* all of it is unused */
  assert_int_equal(charged, 32 * MIB);
}

static void pool_that_cannot_be_asked_stays_charged(void **state) {
  (void)state;
  allocate(10 * MIB, 32 * MIB, 1);
  mute = true;
  sgp_pools_settle(SGP_ALL_DEVICES);
  assert_int_equal(charged, 32 * MIB);
}

static void address_that_comes_again_counts_once(void **state) {
  (void)state;
  allocate(10 * MIB, 32 * MIB, 1);
  allocate(10 * MIB, 32 * MIB, 1);
  sgp_pool_begin(POOL, 0, 22 * MIB);
  assert_int_equal(charged, 32 * MIB);
}

static void forked_child_has_no_pools(void **state) {
  (void)state;
  allocate(10 * MIB, 32 * MIB, 1);
  assert_true(sgp_pools_have_slack());
  sgp_pools_after_fork();
  assert_false(sgp_pools_have_slack());
  held = 0;
  sgp_pools_settle(SGP_ALL_DEVICES);
  assert_int_equal(charged, 32 * MIB); /* the parent's */
}

static void no_pool_is_read_while_nothing_is_spare(void **state) {
  (void)state;
  assert_false(sgp_pools_have_slack());
  allocate(32 * MIB, 32 * MIB, 1);
  assert_false(sgp_pools_have_slack());
  struct sgp_entry entry;
  assert_true(sgp_ledger_take(SGP_POOLED, 1, &entry));
  sgp_pool_freed(&entry);
  assert_true(sgp_pools_have_slack());
  held = 0;
  sgp_pools_settle(SGP_ALL_DEVICES);
  assert_int_equal(charged, 0);
  assert_false(sgp_pools_have_slack());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(concurrent_calls_do_not_share_spare_memory, start),
      cmocka_unit_test_setup(end_of_a_call_leaves_memory_for_other_calls, start),
      cmocka_unit_test_setup(failed_call_returns_all_that_it_claimed, start),
      cmocka_unit_test_setup(memory_that_could_not_be_charged_is_charged_later, start),
      cmocka_unit_test_setup(again_asks_for_the_true_size, start),
      cmocka_unit_test_setup(driver_reports_frees_that_no_hook_saw, start),
      cmocka_unit_test_setup(pool_that_cannot_be_asked_stays_charged, start),
      cmocka_unit_test_setup(address_that_comes_again_counts_once, start),
      cmocka_unit_test_setup(forked_child_has_no_pools, start),
      cmocka_unit_test_setup(no_pool_is_read_while_nothing_is_spare, start),
  };
  return cmocka_run_group_tests_name("pool account", tests, NULL, NULL);
}
