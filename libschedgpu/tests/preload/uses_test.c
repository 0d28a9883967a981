/*
 * uses_test.c - the records of cuMemCreate's memory alone, in orders of steps that only threads
 * produce.
 */
#include "physical.h"
#include "schedule.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { DEVICE = 1, HANDLE = 4711, OTHER_HANDLE = 4712, ADDRESS = 1 << 21 };

/* A stand-in for the account. */
static _Atomic uint64_t released;
void sgp_release(int device, uint64_t bytes) {
  assert_int_equal(device, DEVICE);
  released += bytes;
}

static int set_up(void **state) {
  (void)state;
  released = 0;
  sgp_physical_after_fork();
  return 0;
}

static void release_handle(uint64_t handle) {
  struct sgp_physical *memory = sgp_physical_take_handle(handle);
  assert_non_null(memory);
  sgp_physical_release(memory);
}

/* Between the driver's release and our record of it, another thread gets the same value. */
static void handle_value_that_comes_again_is_other_memory(void **state) {
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  struct sgp_physical *first = sgp_physical_take_handle(HANDLE);
  sgp_physical_made(HANDLE, DEVICE, 7);
  sgp_physical_release(first);
  assert_int_equal(released, 100);
  release_handle(HANDLE);
  assert_int_equal(released, 107);
  assert_null(sgp_physical_take_handle(HANDLE));
}

/* While a thread maps, another releases the last handle. */
static void mapping_that_begins_keeps_the_memory(void **state) {
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  struct sgp_physical *memory = sgp_physical_hold(HANDLE);
  release_handle(HANDLE);
  assert_int_equal(released, 0);
  sgp_physical_put_mapping(memory, ADDRESS, 100);
  sgp_physical_settle_mappings(sgp_physical_take_mappings(ADDRESS, 100), true);
  assert_int_equal(released, 100);
}

/* While a thread retains, another unmaps and releases. */
static void retain_that_begins_keeps_the_memory(void **state) {
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  sgp_physical_put_mapping(sgp_physical_hold(HANDLE), ADDRESS, 100);
  struct sgp_physical *memory = sgp_physical_hold_at(ADDRESS + 99);
  assert_null(sgp_physical_hold_at(ADDRESS + 100));
  release_handle(HANDLE);
  sgp_physical_settle_mappings(sgp_physical_take_mappings(ADDRESS, 100), true);
  assert_int_equal(released, 0);
  sgp_physical_put_handle(memory, HANDLE);
  release_handle(HANDLE);
  assert_int_equal(released, 100);
}

/* While a thread unmaps, another maps other memory at the same address. */
static void address_that_comes_again_is_another_mapping(void **state) {
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  sgp_physical_made(OTHER_HANDLE, DEVICE, 7);
  sgp_physical_put_mapping(sgp_physical_hold(HANDLE), ADDRESS, 100);
  release_handle(HANDLE);
  struct sgp_node *taken = sgp_physical_take_mappings(ADDRESS, 100);
  sgp_physical_put_mapping(sgp_physical_hold(OTHER_HANDLE), ADDRESS, 7);
  release_handle(OTHER_HANDLE);
  sgp_physical_settle_mappings(taken, true);
  assert_int_equal(released, 100);
  sgp_physical_settle_mappings(sgp_physical_take_mappings(ADDRESS, 100), true);
  assert_int_equal(released, 107);
}

static void retained_handle_may_have_another_value(void **state) {
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  sgp_physical_put_handle(sgp_physical_hold(HANDLE), OTHER_HANDLE);
  release_handle(HANDLE);
  assert_null(sgp_physical_take_handle(HANDLE));
  assert_int_equal(released, 0);
  release_handle(OTHER_HANDLE);
  assert_int_equal(released, 100);
}

static void refused_unmap_restores_mappings(void **state) {
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  sgp_physical_put_mapping(sgp_physical_hold(HANDLE), ADDRESS, 50);
  sgp_physical_put_mapping(sgp_physical_hold(HANDLE), ADDRESS + 50, 50);
  release_handle(HANDLE);
  sgp_physical_settle_mappings(sgp_physical_take_mappings(ADDRESS, 100), false);
  assert_int_equal(released, 0);
  sgp_physical_settle_mappings(sgp_physical_take_mappings(ADDRESS, 100), true);
  assert_int_equal(released, 100);
}

/* No hook saw the release of this memory: its handle comes again. */
static void stale_handle_releases_its_memory(void **state) {
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  sgp_physical_put_handle(sgp_physical_hold(HANDLE), HANDLE);
  sgp_physical_made(HANDLE, DEVICE, 7);
  assert_int_equal(released, 100);
}

static void stale_mapping_releases_its_memory(void **state) {
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  sgp_physical_made(OTHER_HANDLE, DEVICE, 7);
  sgp_physical_put_mapping(sgp_physical_hold(HANDLE), ADDRESS, 100);
  release_handle(HANDLE);
  sgp_physical_put_mapping(sgp_physical_hold(OTHER_HANDLE), ADDRESS, 100);
  assert_int_equal(released, 100);
}

static void forked_child_has_nothing(void **state) {
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  sgp_physical_put_mapping(sgp_physical_hold(HANDLE), ADDRESS, 100);
  sgp_physical_after_fork();
  assert_null(sgp_physical_hold(HANDLE));
  assert_null(sgp_physical_hold_at(ADDRESS));
  assert_null(sgp_physical_take_mappings(0, UINT64_MAX));
  assert_int_equal(released, 0);
}

static void *churn(void *number) {
  uint64_t own = 1000 + (uint64_t)(uintptr_t)number;
  for (int i = 0; i < 2000; i++) {
    sgp_physical_made(own, DEVICE, 1);
    sgp_physical_put_mapping(sgp_physical_hold(own), own << 21, 1 << 21);
    struct sgp_physical *shared = sgp_physical_hold(HANDLE);
    release_handle(own);
    sgp_physical_put_handle(shared, HANDLE);
    sgp_physical_settle_mappings(sgp_physical_take_mappings(own << 21, 1 << 21), true);
    release_handle(HANDLE);
  }
  return NULL;
}

static void threads_lose_nothing(void **state) {
  enum { THREADS = 8 };
  pthread_t thread[THREADS];
  (void)state;
  sgp_physical_made(HANDLE, DEVICE, 100);
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, churn, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  assert_int_equal(released, THREADS * 2000);
  release_handle(HANDLE);
  assert_int_equal(released, THREADS * 2000 + 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(handle_value_that_comes_again_is_other_memory, set_up),
      cmocka_unit_test_setup(mapping_that_begins_keeps_the_memory, set_up),
      cmocka_unit_test_setup(retain_that_begins_keeps_the_memory, set_up),
      cmocka_unit_test_setup(address_that_comes_again_is_another_mapping, set_up),
      cmocka_unit_test_setup(retained_handle_may_have_another_value, set_up),
      cmocka_unit_test_setup(refused_unmap_restores_mappings, set_up),
      cmocka_unit_test_setup(stale_handle_releases_its_memory, set_up),
      cmocka_unit_test_setup(stale_mapping_releases_its_memory, set_up),
      cmocka_unit_test_setup(forked_child_has_nothing, set_up),
      cmocka_unit_test_setup(threads_lose_nothing, set_up),
  };
  return cmocka_run_group_tests_name("uses", tests, NULL, NULL);
}
