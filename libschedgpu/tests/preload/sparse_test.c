/*
 * Arrays without memory of their own: what they are mapped to stays charged with them.
 */
#include "device_account.h"

#define GRAIN (2 * MIB)
#define UNKNOWN 999
#define SPARSE 0x40
#define DEFERRED 0x80
#define MIPMAP 4 /* the first slot of mipmapped arrays */

/* An array in slot `slot`, and four pieces of memory in the slots 0 to 3. */
static struct child begin(struct node *node, int slot, int flags) {
  struct child child = begin_program(node, "physical_program", "get", NULL);
  assert_int_equal(child_ask(&child, "array %d %d", slot, flags), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  for (int i = 0; i < 4; i++)
    assert_int_equal(child_ask(&child, "create %d 1", i), 0);
  return child;
}

static void release_all(struct child *child) {
  for (int i = 0; i < 4; i++)
    assert_int_equal(child_ask(child, "release %d", i), 0);
}

static void expect(struct node *node, struct child *child, uint64_t grains) {
  expect_both(node, child, grains * GRAIN);
}

static void tiles_keep_their_memory_until_unmapped(void **state) {
  struct child child = begin(*state, 0, SPARSE);
  ask(&child, "tile 0 0 0");
  ask(&child, "tile 0 128 1");
  ask(&child, "tile 0 256 1");
  release_all(&child);
  expect(*state, &child, 2);
  ask(&child, "untile 0 0");
  expect(*state, &child, 1);
  ask(&child, "untile 0 256");
  expect(*state, &child, 1);
  ask(&child, "untile 0 128");
  expect(*state, &child, 0);
}

static void tile_is_mapped_to_something_else(void **state) {
  struct child child = begin(*state, 0, SPARSE);
  ask(&child, "tile 0 0 0");
  ask(&child, "tile 0 0 1");
  release_all(&child);
  expect(*state, &child, 1);
}

static void end_of_the_array_ends_its_tiles(void **state) {
  struct child child = begin(*state, 0, SPARSE);
  ask(&child, "tiles 0 0 1");
  release_all(&child);
  expect(*state, &child, 2);
  ask(&child, "end-array 0");
  expect(*state, &child, 0);
}

static void mipmapped_array_has_tiles_and_a_tail(void **state) {
  struct child child = begin(*state, MIPMAP, SPARSE);
  ask(&child, "tile 4 0 0");
  ask(&child, "tail 4 1");
  release_all(&child);
  expect(*state, &child, 2);
  ask(&child, "untail 4");
  expect(*state, &child, 1);
  ask(&child, "end-mipmap 4");
  expect(*state, &child, 0);
}

static void array_with_deferred_mapping_is_mapped_whole(void **state) {
  struct child child = begin(*state, 0, DEFERRED);
  ask(&child, "tile 0 0 0");
  ask(&child, "tile 0 128 1"); /* anywhere: it replaces the first one */
  release_all(&child);
  expect(*state, &child, 1);
  ask(&child, "untile 0 256");
  expect(*state, &child, 0);
}

static void end_of_the_context_ends_arrays_and_tiles(void **state) {
  struct node *node = *state;
  struct child child = begin_program(node, "physical_program", "get", NULL);
  ask(&child, "array 0 64");
  ask(&child, "context");
  ask(&child, "array 1 64");
  for (int i = 0; i < 4; i++)
    assert_int_equal(child_ask(&child, "create %d 1", i), 0);
  ask(&child, "tile 1 0 0");
  ask(&child, "tile 1 128 1");
  ask(&child, "tile 0 0 2");
  release_all(&child);
  assert_int_equal(node_in_use(node, JOB, 0), 3 * GRAIN);
  ask(&child, "end-context");
  assert_int_equal(node_in_use(node, JOB, 0), GRAIN);
  ask(&child, "use-primary");
  expect(node, &child, 1);
  ask(&child, "end-array 0");
  expect(node, &child, 0);
}

static void reset_ends_arrays_and_tiles(void **state) {
  struct node *node = *state;
  struct child child = begin(node, 0, SPARSE);
  ask(&child, "tile 0 0 0");
  release_all(&child);
  assert_int_equal(node_in_use(node, JOB, 0), GRAIN);
  ask(&child, "reset 0");
  assert_int_equal(node_in_use(node, JOB, 0), 0);
}

static void per_thread_stream_is_the_same(void **state) {
  struct child child = begin_program(*state, "physical_program", "per-thread", NULL);
  ask(&child, "array 0 64");
  ask(&child, "create 0 1");
  ask(&child, "tile 0 0 0");
  ask(&child, "release 0");
  expect(*state, &child, 1);
  ask(&child, "end-array 0");
  expect(*state, &child, 0);
}

static void failed_mapping_keeps_nothing(void **state) {
  struct child child = begin_program(*state, "physical_program", "get",
                                     "EMULATED_GPU_FAIL=cuMemMapArrayAsync:999:1");
  ask(&child, "array 0 64");
  ask(&child, "create 0 1");
  assert_int_equal(child_ask(&child, "tile 0 0 0"), UNKNOWN);
  ask(&child, "release 0");
  expect(*state, &child, 0);
}

static void failed_destroy_keeps_all(void **state) {
  struct child child =
      begin_program(*state, "physical_program", "get", "EMULATED_GPU_FAIL=cuArrayDestroy:999:1");
  ask(&child, "array 0 64");
  ask(&child, "create 0 1");
  ask(&child, "tile 0 0 0");
  ask(&child, "release 0");
  assert_int_equal(child_ask(&child, "end-array 0"), UNKNOWN);
  expect(*state, &child, 1);
  ask(&child, "end-array 0");
  expect(*state, &child, 0);
}

static void unknown_memory_is_mapped_uncharged(void **state) {
  struct node *node = *state;
  struct child child = begin_program(node, "physical_program", "get", NULL);
  ask(&child, "array 0 64");
  ask(&child, "hidden 0 1");
  ask(&child, "create 1 1");
  ask(&child, "tile 0 0 1");
  ask(&child, "release 1");
  ask(&child, "tile 0 0 0"); /* it replaces ours */
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  ask(&child, "end-array 0");
  ask(&child, "release 0");
  expect(node, &child, 0);
}

/* Threads that the child does not have may hold the locks of our records at the fork. */
static void forked_children_wait_for_no_thread_of_their_parent(void **state) {
  struct child child = begin_program(*state, "physical_program", "get", NULL);
  ask(&child, "array 0 64");
  ask(&child, "create 0 1");
  ask(&child, "fork-in-storm 100");
  expect(*state, &child, 1);
  ask(&child, "release 0");
  expect(*state, &child, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(tiles_keep_their_memory_until_unmapped),
      NODE_TEST(tile_is_mapped_to_something_else),
      NODE_TEST(end_of_the_array_ends_its_tiles),
      NODE_TEST(mipmapped_array_has_tiles_and_a_tail),
      NODE_TEST(array_with_deferred_mapping_is_mapped_whole),
      NODE_TEST(end_of_the_context_ends_arrays_and_tiles),
      NODE_TEST(reset_ends_arrays_and_tiles),
      NODE_TEST(per_thread_stream_is_the_same),
      NODE_TEST(failed_mapping_keeps_nothing),
      NODE_TEST(failed_destroy_keeps_all),
      NODE_TEST(unknown_memory_is_mapped_uncharged),
      NODE_TEST(forked_children_wait_for_no_thread_of_their_parent),
  };
  return cmocka_run_group_tests_name("sparse", tests, NULL, NULL);
}
