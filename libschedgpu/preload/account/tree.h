/*
 * tree.h - an ordered map of records by a number, made for ranges: any part of the keys is taken
 * out in one go, in a time that grows with the logarithm of what stays. Records bring their own
 * memory; who uses a tree locks it.
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

/** Takes the records with keys from `first` to before `end` out, as a tree of their own. */
struct sgp_node *sgp_tree_take(struct sgp_node **tree, uint64_t first, uint64_t end);
/** Takes any one record out; NULL when there is none. */
struct sgp_node *sgp_tree_pop(struct sgp_node **tree);

#endif
