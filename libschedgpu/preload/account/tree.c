/*
 * tree.c - a treap. Parents have larger mixed keys than their children; mixed keys are nearly
 * random, so no order of calls makes the tree deep.
 */
#include "tree.h"
#include <stddef.h>

static uint64_t rank(const struct sgp_node *node) {
  uint64_t h = (node->key ^ node->key >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  h = (h ^ h >> 27) * UINT64_C(0x94D049BB133111EB);
  return h ^ h >> 31;
}

/* Splits the tree: keys below `key` into `*below`, the others into `*rest`. */
static void split(struct sgp_node *tree, uint64_t key, struct sgp_node **below,
                  struct sgp_node **rest) {
  while (tree) {
    if (tree->key < key) {
      *below = tree;
      below = &tree->right;
      tree = tree->right;
    } else {
      *rest = tree;
      rest = &tree->left;
      tree = tree->left;
    }
  }
  *below = *rest = NULL;
}

/* Joins two trees; all keys of `low` are below those of `high`. */
static struct sgp_node *join(struct sgp_node *low, struct sgp_node *high) {
  struct sgp_node *top = NULL, **at = &top;
  while (low && high) {
    if (rank(low) > rank(high)) {
      *at = low;
      at = &low->right;
      low = low->right;
    } else {
      *at = high;
      at = &high->left;
      high = high->left;
    }
  }
  *at = low ? low : high;
  return top;
}

void sgp_tree_put(struct sgp_node **tree, struct sgp_node *node) {
  uint64_t mixed = rank(node);
  while (*tree && rank(*tree) >= mixed)
    tree = (*tree)->key < node->key ? &(*tree)->right : &(*tree)->left;
  split(*tree, node->key, &node->left, &node->right);
  *tree = node;
}

struct sgp_node *sgp_tree_at_or_before(struct sgp_node *tree, uint64_t key) {
  struct sgp_node *best = NULL;
  while (tree) {
    if (tree->key <= key)
      best = tree;
    tree = tree->key <= key ? tree->right : tree->left;
  }
  return best;
}

struct sgp_node *sgp_tree_find(struct sgp_node *tree, uint64_t key) {
  struct sgp_node *found = sgp_tree_at_or_before(tree, key);
  return found && found->key == key ? found : NULL;
}

/* All other keys of the range are below the topmost one in the tree. */
struct sgp_node *sgp_tree_take(struct sgp_node **tree, uint64_t first, uint64_t end) {
  struct sgp_node *below, *rest, *taken, *above;
  while (*tree && ((*tree)->key < first || (*tree)->key >= end))
    tree = (*tree)->key < first ? &(*tree)->right : &(*tree)->left;
  split(*tree, first, &below, &rest);
  split(rest, end, &taken, &above);
  *tree = join(below, above);
  return taken;
}

struct sgp_node *sgp_tree_pop(struct sgp_node **tree) {
  struct sgp_node *top = *tree;
  if (top)
    *tree = join(top->left, top->right);
  return top;
}
