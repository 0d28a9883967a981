/*
 * Nanoseconds per cuMemAlloc + cuMemFree, without the library, with it outside a job, and in jobs
 * of both modes; on a driver that does nothing and on the emulated one. Not a test: no bound is
 * checked.
 *
 *   make -f Makefile.native preload-bench
 */
#include "fixture.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PEAK_JOB 1
#define ONDEMAND_JOB 2
#define ROUNDS 7
#define BYTES 65536

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Runs in the measured process. */
static int measure(int pairs) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
  int (*init)(unsigned) = dlsym(driver, "cuInit");
  int (*retain)(void **, int) = dlsym(driver, "cuDevicePrimaryCtxRetain");
  int (*use)(void *) = dlsym(driver, "cuCtxSetCurrent");
  int (*allocate)(unsigned long long *, size_t) = dlsym(driver, "cuMemAlloc_v2");
  int (*release)(unsigned long long) = dlsym(driver, "cuMemFree_v2");
  unsigned long long address;
  double ns[ROUNDS];
  if (init(0) || retain(&context, 0) || use(context) || allocate(&address, BYTES))
    return 1;
  for (int round = 0; round < ROUNDS; round++) {
    double start = now_ns();
    for (int i = 0; i < pairs; i++)
      if (allocate(&address, BYTES) || release(address))
        return 1;
    ns[round] = (now_ns() - start) / pairs;
  }
  qsort(ns, ROUNDS, sizeof *ns, by_value);
  printf("%.0f %.0f\n", ns[ROUNDS / 2], ns[0]);
  return 0;
}

static void report(struct node *node, const char *driver, const char *text, struct start how) {
  struct child child;
  how.program = PROGRAMS_DIR "/../bench_alloc";
  how.arguments[0] = how.libraries ? "1000000" : "20000";
  child_start(&child, node, &how);
  child_answer(&child);
  printf("%-10s %-28s %6llu ns (best %llu)\n", driver, text, child_number(&child, 0),
         child_number(&child, 1));
  child_end(&child);
}

static void report_all(void **state) {
  struct node *node = *state;
  static const char *const folders[] = {"null", NULL};
  node_job(node, PEAK_JOB, 8 * GIB, SCHEDGPU_FOREVER);
  node_job(node, ONDEMAND_JOB, 0, SCHEDGPU_FOREVER);
  for (int i = 0; i < 2; i++) {
    const char *folder = folders[i], *driver = folder ? folder : "emulated";
    report(node, driver, "without the library",
           (struct start){.libraries = folder, .without_preload = true});
    report(node, driver, "outside a job", (struct start){.libraries = folder});
    report(node, driver, "in a job, mode peak",
           (struct start){.libraries = folder, .job = PEAK_JOB});
    report(node, driver, "in a job, mode ondemand",
           (struct start){.libraries = folder, .job = ONDEMAND_JOB});
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest all[] = {NODE_TEST(report_all)};
  return argc > 1 ? measure(atoi(argv[1])) : cmocka_run_group_tests_name("bench", all, NULL, NULL);
}
