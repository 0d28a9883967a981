/* tree_test.c - the ordered map alone: it removes whole ranges, and loses nothing. */
#include "tree.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { KEYS = 3000, STEPS = 60000 };
static struct sgp_node node[KEYS];

static struct sgp_node *tree_of_all(uint64_t step) {
  struct sgp_node *tree = NULL;
  for (int i = 0; i < KEYS; i++) {
    node[i].key = (uint64_t)i * step;
    sgp_tree_put(&tree, &node[i]);
  }
  return tree;
}

static void key_at_or_before_is_found(void **state) {
  struct sgp_node *tree = tree_of_all(10);
  (void)state;
  assert_ptr_equal(sgp_tree_at_or_before(tree, 1000), &node[100]);
  assert_ptr_equal(sgp_tree_at_or_before(tree, 1009), &node[100]);
  assert_ptr_equal(sgp_tree_at_or_before(tree, UINT64_MAX), &node[KEYS - 1]);
  assert_ptr_equal(sgp_tree_find(tree, 1000), &node[100]);
  assert_null(sgp_tree_find(tree, 1001));
  sgp_tree_take(&tree, 0, 1);
  assert_null(sgp_tree_at_or_before(tree, 9));
}

static void a_range_is_removed_completely(void **state) {
  struct sgp_node *tree = tree_of_all(10), *one;
  bool seen[KEYS] = {false};
  (void)state;
  struct sgp_node *taken = sgp_tree_take(&tree, 1001, 2001);
  while ((one = sgp_tree_pop(&taken)))
    seen[one - node] = true;
  for (int i = 0; i < KEYS; i++) {
    assert_int_equal(seen[i], i > 100 && i <= 200);
    assert_int_equal(sgp_tree_find(tree, node[i].key) == NULL, seen[i]);
  }
  assert_null(sgp_tree_take(&tree, 1001, 2001));
}

static int depth(const struct sgp_node *tree) {
  if (!tree)
    return 0;
  int left = depth(tree->left), right = depth(tree->right);
  return 1 + (left > right ? left : right);
}

/* Ascending keys, as an allocator maps them. */
static void order_does_not_make_it_deep(void **state) {
  (void)state;
  assert_true(depth(tree_of_all(2 << 20)) < 60);
}

/* Compares with a plain array. */
static void churn_loses_nothing(void **state) {
  static bool present[KEYS];
  struct sgp_node *tree = NULL, *one;
  uint64_t random = 88172645463325252u;
  (void)state;
  for (int step = 0; step < STEPS; step++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    uint64_t key = random % KEYS, end = key + random / KEYS % 20;
    assert_int_equal(sgp_tree_find(tree, key) != NULL, present[key]);
    if (!present[key]) {
      node[key].key = key;
      sgp_tree_put(&tree, &node[key]);
      present[key] = true;
      continue;
    }
    for (struct sgp_node *taken = sgp_tree_take(&tree, key, end); (one = sgp_tree_pop(&taken));) {
      assert_true(one->key >= key && one->key < end && present[one->key]);
      present[one->key] = false;
    }
    for (; key < end && key < KEYS; key++)
      assert_false(present[key]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(key_at_or_before_is_found),
      cmocka_unit_test(a_range_is_removed_completely),
      cmocka_unit_test(order_does_not_make_it_deep),
      cmocka_unit_test(churn_loses_nothing),
  };
  return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
