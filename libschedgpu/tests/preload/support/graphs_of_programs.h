/*
 * graphs_of_programs.h - graphs that a program makes for a test.
 */
#ifndef PRELOAD_TEST_GRAPHS_H
#define PRELOAD_TEST_GRAPHS_H

#include "device.h"

#define ULL(bytes) ((unsigned long long)(bytes))

/* Graph `n`: allocates a block (in slot n), and frees it if asked; instantiated as exec n. */
static inline void make_graph(struct child *child, int n, uint64_t bytes, bool freed) {
  EXPECT_OK(child, "graph %d", n);
  EXPECT_OK(child, "add-alloc %d %d %llu 0", n, n, ULL(bytes));
  if (freed)
    EXPECT_OK(child, "add-free %d %d", n, n);
  EXPECT_OK(child, "instantiate %d %d 3", n, n);
}

#endif
