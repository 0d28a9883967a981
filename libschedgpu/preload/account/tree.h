/*
 * tree.h - an ordered map of records by a number. Any range of keys can be removed at once, in
 * logarithmic time. Records provide their own memory. The caller locks.
 */
#ifndef SGP_TREE_H
#define SGP_TREE_H

#include <stdint.h>

/** The first member of a record. A tree is a pointer to one, NULL when it is empty. */
struct sgp_node {
  uint64_t key;
  struct sgp_node *left, *right;
};

void sgp_tree_put(struct sgp_node **tree, struct sgp_node *node);

/** The record of `key`, or NULL. */
struct sgp_node *sgp_tree_find(struct sgp_node *tree, uint64_t key);
/** The record with the largest key that is not above `key`, or NULL. */
struct sgp_node *sgp_tree_at_or_before(struct sgp_node *tree, uint64_t key);

/** Removes the records with keys from `first` to before `end`, as a separate tree. */
struct sgp_node *sgp_tree_take(struct sgp_node **tree, uint64_t first, uint64_t end);
/** Removes any one record; NULL if the tree is empty. */
struct sgp_node *sgp_tree_pop(struct sgp_node **tree);

#endif
