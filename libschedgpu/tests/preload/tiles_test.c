/*
 * tiles_test.c - the records of sparse arrays alone, in orders of calls that a correct program does
 * not produce.
 */
#include "physical.h"
#include "schedule.h"
#include "tiles.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { DEVICE = 1, HANDLE = 4711, ARRAY = 512, CONTEXT = 3, OTHER_CONTEXT = 4 };

/* A stand-in for the account. */
static uint64_t released;
void sgp_release(int device, uint64_t bytes) {
  assert_int_equal(device, DEVICE);
  released += bytes;
}

static int set_up(void **state) {
  (void)state;
  released = 0;
  sgp_physical_after_fork();
  sgp_tiles_after_fork();
  return 0;
}

/* Maps new memory, of which only the array has a use. */
static void map(uint64_t array, unsigned x, uint64_t bytes, uint32_t context) {
  CUarrayMapInfo info = {.resource.array = (CUarray)(uintptr_t)array,
                         .subresource.sparseLevel.offsetX = x,
                         .memOperationType = CU_MEM_OPERATION_TYPE_MAP,
                         .memHandle.memHandle = HANDLE};
  sgp_physical_made(HANDLE, DEVICE, bytes);
  sgp_tiles_settle(sgp_tiles_prepare(&info, 1), true, context);
  sgp_physical_release(sgp_physical_take_handle(HANDLE));
}

/* No hook saw the end of the array, and another array now has its address. */
static void stale_array_releases_its_memory(void **state) {
  (void)state;
  sgp_tiles_array(ARRAY, CONTEXT, false);
  map(ARRAY, 0, 100, CONTEXT);
  assert_int_equal(released, 0);
  sgp_tiles_array(ARRAY, CONTEXT, false);
  assert_int_equal(released, 100);
}

/* An array that no hook saw created. */
static void unknown_array_belongs_to_the_current_context(void **state) {
  (void)state;
  map(ARRAY, 0, 100, CONTEXT);
  map(ARRAY, 128, 7, OTHER_CONTEXT);
  sgp_tiles_context_ended(OTHER_CONTEXT);
  assert_int_equal(released, 0);
  sgp_tiles_context_ended(CONTEXT);
  assert_int_equal(released, 107);
  assert_null(sgp_tiles_take_array(ARRAY));
}

static void list_that_fails_releases_everything(void **state) {
  CUarrayMapInfo list[3] = {{.memOperationType = CU_MEM_OPERATION_TYPE_MAP},
                            {.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP},
                            {.memOperationType = CU_MEM_OPERATION_TYPE_MAP}};
  (void)state;
  list[0].memHandle.memHandle = list[2].memHandle.memHandle = HANDLE;
  sgp_physical_made(HANDLE, DEVICE, 100);
  struct sgp_tile *tiles = sgp_tiles_prepare(list, 3);
  sgp_physical_release(sgp_physical_take_handle(HANDLE));
  assert_int_equal(released, 0);
  sgp_tiles_settle(tiles, false, CONTEXT);
  assert_int_equal(released, 100);
  assert_null(sgp_tiles_prepare(NULL, 3));
}

static void forked_child_has_nothing(void **state) {
  (void)state;
  map(ARRAY, 0, 100, CONTEXT);
  sgp_tiles_after_fork();
  sgp_tiles_context_ended(CONTEXT);
  assert_null(sgp_tiles_take_array(ARRAY));
  assert_int_equal(released, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(stale_array_releases_its_memory, set_up),
      cmocka_unit_test_setup(unknown_array_belongs_to_the_current_context, set_up),
      cmocka_unit_test_setup(list_that_fails_releases_everything, set_up),
      cmocka_unit_test_setup(forked_child_has_nothing, set_up),
  };
  return cmocka_run_group_tests_name("tiles", tests, NULL, NULL);
}
