/*
 * crash_testing.h - shared by the tests that kill at every store: a script for a child that dies at
 * its k-th store, neighbours that wait for it, and the checks after its death.
 */
#ifndef SG_TEST_CRASH_TESTING_H
#define SG_TEST_CRASH_TESTING_H

#include "../../shell/admin/admin_handle.h"
#include "../support/node.h"
#include "../support/crash.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define GATE SCHEDGPU_MODE_GATE

/** For a wait that must end in a grant: what is lost is noticed after this, and no machine stands
 * still for so long. */
#define LONG_WAIT_NS INT64_C(120000000000)

/** Runs `script` as job 1 and dies at store `k`; true if it got through alive. */
bool run_until(void (*script)(void), long k);

/** After a death only an ordinary neighbour comes: it must get the whole device. */
void neighbour_gets_everything(struct node *n);

/** Runs the script as job 1, of this mode, killed at its first store, at its second, and so on. */
void at_every_store(uint32_t mode, void (*script)(void));

/*
 * As node_used() and await_waiting(), but in the region itself: the snapshot that those take, of
 * megabytes, took most of the time of thousands of deaths.
 */
uint64_t region_used(struct node *n);
void await_waiters(struct node *n, uint32_t count);

/** In a child: holds 9 GiB ('h') until it receives a letter. */
void hold_nine(int write_fd, int read_fd);

/** In a child: waits for 5 GiB ('g'), and holds them until it receives a letter. */
void wait_for_five(int write_fd, int read_fd);
void wait_for_three(int write_fd, int read_fd);

/** The tests of all files. kill_at_every_store_test runs each in its own process. */
struct crash_tests {
  const struct CMUnitTest *test[64];
  size_t count;
};
extern struct crash_tests crash_tests;
void crash_tests_add(const struct CMUnitTest *tests, size_t count);

/** At the end of a file: registers its tests. */
#define RUN_AT_ONCE(tests)                                                                         \
  __attribute__((constructor)) static void add_##tests(void) {                                     \
    crash_tests_add(tests, sizeof tests / sizeof *tests);                                          \
  }

#endif
