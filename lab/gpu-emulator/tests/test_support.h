/*
 * test_support.h - each test has its own state file. It uses the emulator in child processes,
 * because a process opens the state once, and keeps it until it ends.
 */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define MIB (1024ull * 1024)

/* cmocka setup and teardown: EMULATED_GPU_STATE in a new folder, the other variables as in the
 * tests' common case: 2 devices of 1024 MiB, 64 MiB for a context. */
int setup_state(void **unused);
int teardown_state(void **unused);

/* Starts a child that calls the function and then ends. */
int start_child(void (*function)(void));

/* Waits for a child and expects that no REQUIRE in it failed. */
void assert_child_ends_well(int pid);
void assert_in_child(void (*function)(void));

/* In a child: ends it with a message if the condition is false. */
#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                      \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)
#define REQUIRE_EQUAL(value, wanted)                                                               \
  do {                                                                                             \
    long long value_ = (long long)(value), wanted_ = (long long)(wanted);                          \
    if (value_ != wanted_) {                                                                       \
      fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #value, value_,         \
              wanted_);                                                                            \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

/* Lets processes wait for each other; created before the fork. */
struct gate {
  int ends[2];
};
void gate_make(struct gate *gate);
void gate_open(struct gate *gate);
void gate_pass(struct gate *gate);

#endif
