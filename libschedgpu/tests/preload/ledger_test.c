/* The ledger alone: entries are added and removed without end, and none is lost. */
#include "ledger.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct sgp_entry entry(uint64_t key, uint32_t context) {
  return (struct sgp_entry){
      .key = key, .bytes = key * 3, .context = context, .device = 2, .kind = SGP_ADDRESS};
}

static void put(uint64_t key, uint32_t context) {
  struct sgp_entry e = entry(key, context), stale;
  assert_false(sgp_ledger_put(&e, &stale));
}

static int set_up(void **state) {
  (void)state;
  sgp_ledger_after_fork();
  return 0;
}

static void entry_is_taken_once(void **state) {
  struct sgp_entry found;
  (void)state;
  put(512, 0);
  assert_true(sgp_ledger_take(SGP_ADDRESS, 512, &found));
  assert_int_equal(found.bytes, 3 * 512);
  assert_int_equal(found.device, 2);
  assert_false(sgp_ledger_take(SGP_ADDRESS, 512, &found));
}

static void unknown_keys_are_not_found(void **state) {
  struct sgp_entry found;
  (void)state;
  assert_false(sgp_ledger_take(SGP_ADDRESS, 512, &found));
  assert_false(sgp_ledger_take(SGP_ADDRESS, 0, &found));
  put(512, 0);
  assert_false(sgp_ledger_take(SGP_ADDRESS, 0, &found));
  assert_false(sgp_ledger_take(SGP_ADDRESS, 1024, &found));
}

static void arrays_and_addresses_have_separate_keys(void **state) {
  struct sgp_entry found, stale;
  struct sgp_entry array = {.key = 512, .bytes = 7, .kind = SGP_ARRAY};
  (void)state;
  put(512, 0);
  assert_false(sgp_ledger_put(&array, &stale));
  assert_true(sgp_ledger_take(SGP_ADDRESS, 512, &found));
  assert_int_equal(found.bytes, 3 * 512);
  assert_true(sgp_ledger_take(SGP_ARRAY, 512, &found));
  assert_int_equal(found.bytes, 7);
}

static void stale_entry_is_handed_out(void **state) {
  struct sgp_entry newer = entry(512, 9), stale, found;
  (void)state;
  put(512, 0);
  newer.bytes = 11;
  assert_true(sgp_ledger_put(&newer, &stale));
  assert_int_equal(stale.bytes, 3 * 512);
  assert_true(sgp_ledger_take(SGP_ADDRESS, 512, &found));
  assert_int_equal(found.bytes, 11);
}

/* Compares with a plain array, with neighbouring keys that collide, through growth and churn. */
static void churn_loses_nothing(void **state) {
  enum { KEYS = 20000, STEPS = 400000 };
  static bool present[KEYS + 1];
  uint64_t random = 88172645463325252u;
  (void)state;
  for (int i = 0; i < STEPS; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    uint64_t key = 1 + random % KEYS;
    struct sgp_entry found;
    if (present[key])
      assert_true(sgp_ledger_take(SGP_ADDRESS, key * 512, &found) && found.key == key * 512);
    else
      put(key * 512, 0);
    present[key] = !present[key];
  }
  for (uint64_t key = 1; key <= KEYS; key++) {
    struct sgp_entry found;
    assert_int_equal(sgp_ledger_take(SGP_ADDRESS, key * 512, &found), present[key]);
  }
}

static void context_takes_only_its_own(void **state) {
  enum { KEYS = 5000 };
  struct sgp_entry found;
  struct sgp_cursor cursor = {0, 0};
  uint64_t taken = 0;
  (void)state;
  for (uint64_t key = 1; key <= KEYS; key++)
    put(key * 512, (uint32_t)(key % 2 + 1));
  while (sgp_ledger_take_of_context(2, &cursor, &found)) {
    assert_int_equal(found.context, 2);
    taken++;
  }
  assert_int_equal(taken, KEYS / 2);
  for (uint64_t key = 1; key <= KEYS; key++)
    assert_int_equal(sgp_ledger_take(SGP_ADDRESS, key * 512, &found), key % 2 == 0);
}

static void forked_child_has_nothing(void **state) {
  struct sgp_entry found;
  (void)state;
  put(512, 0);
  sgp_ledger_after_fork();
  assert_false(sgp_ledger_take(SGP_ADDRESS, 512, &found));
  put(512, 0);
  assert_true(sgp_ledger_take(SGP_ADDRESS, 512, &found));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(entry_is_taken_once, set_up),
      cmocka_unit_test_setup(unknown_keys_are_not_found, set_up),
      cmocka_unit_test_setup(arrays_and_addresses_have_separate_keys, set_up),
      cmocka_unit_test_setup(stale_entry_is_handed_out, set_up),
      cmocka_unit_test_setup(churn_loses_nothing, set_up),
      cmocka_unit_test_setup(context_takes_only_its_own, set_up),
      cmocka_unit_test_setup(forked_child_has_nothing, set_up),
  };
  return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
