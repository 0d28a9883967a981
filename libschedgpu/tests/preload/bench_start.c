/*
 * Milliseconds that the library adds to the start of a program: of one that never touches CUDA, of
 * one that looks the driver's functions up as NVIDIA's runtime does, and of one that allocates too.
 * With and without the library by turns, so that other load of the machine meets both. Not a test:
 * no bound is checked.
 *
 *   make -f Makefile.native preload-bench
 */
#include "fixture.h"
#include <stdio.h>
#include <time.h>

#define JOB 1
#define ROUNDS 300

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double once(struct node *node, const struct start *how) {
  struct child child;
  double start = now_ms();
  child_start(&child, node, how);
  assert_int_equal(child_end(&child), 0);
  return now_ms() - start;
}

static void report(struct node *node, const char *how_far, const char *text, uint64_t job) {
  static double with[ROUNDS], without[ROUNDS];
  struct start how = {.program = "start_program", .arguments = {how_far}, .job = job};
  for (int i = 0; i < ROUNDS; i++) {
    how.without_preload = true;
    without[i] = once(node, &how);
    how.without_preload = false;
    with[i] = once(node, &how);
  }
  qsort(with, ROUNDS, sizeof *with, by_value);
  qsort(without, ROUNDS, sizeof *without, by_value);
  double a = without[ROUNDS / 2], b = with[ROUNDS / 2];
  printf("start, %-30s %6.3f ms without, %6.3f with the library: %+.3f ms (best %+.3f), x %.2f\n",
         text, a, b, b - a, with[0] - without[0], b / a);
}

static void report_all(void **state) {
  struct node *node = *state;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  report(node, "nothing", "never touches CUDA, in a job", JOB);
  report(node, "names", "looks names up, outside a job", 0);
  report(node, "names", "looks names up, in a job", JOB);
  report(node, "memory", "allocates, outside a job", 0);
  report(node, "memory", "allocates, in a job", JOB);
}

int main(void) {
  const struct CMUnitTest all[] = {NODE_TEST(report_all)};
  return cmocka_run_group_tests_name("bench", all, NULL, NULL);
}
