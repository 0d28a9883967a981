/*
 * Every way in which a program finds the driver's functions leads to ours, as the charges of its
 * job show.
 */
#include "fixture.h"
#include <string.h>
#include <unistd.h>

#define JOB 12

static void expect_charged(struct node *node, struct child *child) {
  expect_charged_to(node, JOB, child);
}

static void expect_found(struct node *node, const char *program, const char *how) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node, &(struct start){.program = program, .arguments = {how}, .job = JOB});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  expect_charged(node, &child);
  assert_int_equal(child_end(&child), 0);
}

static void driver_linked(void **state) {
  expect_found(*state, "driver_linked", "linked");
}
static void driver_by_handle(void **state) {
  expect_found(*state, "driver_looked_up", "handle");
}
static void driver_by_rtld_default(void **state) {
  expect_found(*state, "driver_looked_up", "default");
}
static void driver_by_rtld_next(void **state) {
  expect_found(*state, "driver_looked_up", "next");
}
static void driver_by_get_proc_address(void **state) {
  expect_found(*state, "driver_looked_up", "get1");
}
static void driver_by_get_proc_address_v2(void **state) {
  expect_found(*state, "driver_looked_up", "get2");
}
static void driver_per_thread(void **state) {
  expect_found(*state, "driver_looked_up", "per-thread");
}
static void driver_by_a_looked_up_get_proc_address(void **state) {
  expect_found(*state, "driver_looked_up", "get-itself");
}

/* Programs that were linked before glibc 2.34 use an older version of dlsym. */
static void driver_by_an_older_dlsym(void **state) {
  expect_found(*state, "driver_older_dlsym", "handle");
}

/* The caller gets our function in the variant of its default stream and its version. */
static void get_proc_address_honours_flags_and_version(void **state) {
  struct node *node = *state;
  struct child legacy, per_thread;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&legacy, node,
              &(struct start){.program = "driver_looked_up", .arguments = {"get2"}, .job = JOB});
  child_start(
      &per_thread, node,
      &(struct start){.program = "driver_looked_up", .arguments = {"per-thread"}, .job = JOB});
  child_ask(&legacy, "where AllocAsync");
  assert_string_equal(legacy.line, "0 cuMemAllocAsync libschedgpu-preload.so");
  child_ask(&per_thread, "where AllocAsync");
  assert_string_equal(per_thread.line, "0 cuMemAllocAsync_ptsz libschedgpu-preload.so");
  child_ask(&per_thread, "where FreeAsync");
  assert_string_equal(per_thread.line, "0 cuMemFreeAsync_ptsz libschedgpu-preload.so");
  child_ask(&per_thread, "where Alloc");
  assert_string_equal(per_thread.line, "0 cuMemAlloc_v2 libschedgpu-preload.so");
  child_ask(&legacy, "where OldRelease");
  assert_string_equal(legacy.line, "0 cuDevicePrimaryCtxRelease libschedgpu-preload.so");
  child_ask(&legacy, "where Release");
  assert_string_equal(legacy.line, "0 cuDevicePrimaryCtxRelease_v2 libschedgpu-preload.so");
  child_ask(&legacy, "where Create2");
  assert_string_equal(legacy.line, "0 cuCtxCreate_v2 libschedgpu-preload.so");
  child_ask(&legacy, "where Create4");
  assert_string_equal(legacy.line, "0 cuCtxCreate_v4 libschedgpu-preload.so");
  child_ask(&legacy, "where SetCurrent");
  assert_string_equal(legacy.line, "0 cuCtxSetCurrent libcuda.so.1");
}

static void expect_runtime(struct node *node, const char *program) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node, &(struct start){.program = program, .job = JOB});
  expect_charged(node, &child);
  assert_int_equal(child_ask(&child, "managed 1 %llu", (unsigned long long)MIB), 0);
  assert_int_equal(child_ask(&child, "async 2 %llu", (unsigned long long)MIB), 0);
  assert_int_equal(child_ask(&child, "pitch 3 1000 1024"), 0);
  /* A pool grows by 32 MiB. */
  assert_int_equal(node_in_use(node, JOB, 0), 33 * MIB + child_number(&child, 1) * 1024);
  assert_int_equal(node_contexts(node, JOB, 0), CONTEXT_BYTES);
  assert_int_equal(child_ask(&child, "free-async 2"), 0);
  assert_int_equal(child_ask(&child, "free 1"), 0);
  assert_int_equal(child_ask(&child, "free 3"), 0);
  assert_int_equal(child_ask(&child, "sync"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_end(&child), 0);
}

static void shared_runtime_11(void **state) {
  expect_runtime(*state, "runtime_shared_11.0");
}
static void shared_runtime_12(void **state) {
  expect_runtime(*state, "runtime_shared_12");
}
static void shared_runtime_13(void **state) {
  expect_runtime(*state, "runtime_shared_13");
}
static void runtime_inside_the_executable(void **state) {
  expect_runtime(*state, "runtime_static");
}
/* nvcc --default-stream per-thread. */
static void runtime_with_per_thread_streams(void **state) {
  expect_runtime(*state, "runtime_per_thread");
}

static void library_loaded_late(void **state) {
  struct node *node = *state;
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, node, JOB);
  assert_int_equal(child_ask(&child, "plugin plugin_by_handle"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), MIB);
  assert_int_equal(child_ask(&child, "plugin plugin_by_default"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 2 * MIB);
}

/* A library with the driver's functions in variables of the same names keeps them. */
static void driver_in_variables_of_a_library(void **state) {
  struct node *node = *state;
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, node, JOB);
  assert_int_equal(child_ask(&child, "plugin plugin_by_variables"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), MIB);
  assert_int_equal(child_ask(&child, "plugin plugin_free_by_variables"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(node_in_use(node, JOB, 0), 4096);
}

/* Runtimes close the driver and open it again: our cached addresses must stay valid. */
static void driver_closed_and_opened_again(void **state) {
  struct node *node = *state;
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&child, node, JOB);
  expect_charged(node, &child);
  assert_int_equal(child_ask(&child, "reopen"), 0);
  expect_charged(node, &child);
}

/* --- other interposers --- */
static void expect_chain(struct node *node, const char *before, const char *after,
                         const char *counter) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){.program = "driver_linked",
                              .arguments = {"linked"},
                              .job = JOB,
                              .preload_before = before,
                              .preload_after = after});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  expect_charged(node, &child);
  assert_int_equal(child_ask(&child, "count %s", counter), 1);
}

static void interposer_before_us(void **state) {
  expect_chain(*state, "libbefore.so", NULL, "calls_before");
}
static void interposer_behind_us(void **state) {
  expect_chain(*state, NULL, "libafter.so", "calls_after");
}
static void interposers_on_both_sides(void **state) {
  expect_chain(*state, "libbefore.so", "libafter.so", "calls_after");
}

/* Another library's dlsym, before or behind ours: both are called. */
static void expect_dlsym_chain(struct node *node, const char *before, const char *after,
                               const char *counter) {
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .job = JOB,
                              .preload_before = before,
                              .preload_after = after});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  expect_charged(node, &child);
  assert_true(child_ask(&child, "count %s", counter) > 0);
  assert_int_equal(child_end(&child), 0);
}

static void dlsym_interposer_before_us(void **state) {
  expect_dlsym_chain(*state, "libdlsym_before.so", NULL, "looked_up_before");
}
static void dlsym_interposer_behind_us(void **state) {
  expect_dlsym_chain(*state, NULL, "libdlsym_after.so", "looked_up_after");
}

/* A driver that looks its own functions up with dlsym, as on WSL2, must not get ours. */
static void driver_that_forwards_to_another(void **state) {
  struct node *node = *state;
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"handle"},
                              .job = JOB,
                              .libraries = "forwarding"});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  expect_charged(node, &child);
}

/* The program's calls go to that driver, so only the start of the library can say so. */
static void driver_named_before_us_is_told(void **state) {
  static const char *const before[] = {"forwarding/libcuda.so.1", "libbefore.so"};
  for (int i = 0; i < 2; i++) {
    struct child child;
    child_start(
        &child, *state,
        &(struct start){.program = "plain_program", .job = JOB, .preload_before = before[i]});
    child_end(&child);
    assert_int_equal(child_said(&child, "forwarding/libcuda.so.1 before libschedgpu-preload.so"),
                     i == 0);
  }
}

/* Its cuGetProcAddress returns addresses that it does not export, so the request
 * identifies them. */
static void driver_whose_addresses_are_not_those_it_exports(void **state) {
  struct node *node = *state;
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"get2"},
                              .job = JOB,
                              .libraries = "forwarding"});
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  expect_charged(node, &child);
}

/* The parameters of a variant that the table lacks are unknown, so it is not hooked. */
static void variant_of_a_newer_driver_is_left_alone(void **state) {
  struct node *node = *state;
  struct child child;
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  child_start(&child, node,
              &(struct start){.program = "driver_looked_up",
                              .arguments = {"get2"},
                              .job = JOB,
                              .libraries = "forwarding"});
  assert_int_equal(child_ask(&child, "ask cuCtxCreate 14000"), 0);
  assert_string_equal(child.line, "0 cuCtxCreate_v5 libcuda.so.1");
}

/* --- programs that have nothing to do with CUDA --- */
static void say_plain(struct node *node, bool without_preload, char line[512]) {
  struct child child;
  child_start(&child, node,
              &(struct start){.program = "plain_program",
                              .arguments = {node->dir},
                              .job = JOB,
                              .without_preload = without_preload});
  child_answer(&child);
  strcpy(line, child.line);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(access(child.errors, F_OK), 0);
  assert_int_equal(child_said(&child, ""), 0);
}

/* The library opens, maps and starts nothing, and does not pretend that there is a driver. */
static void plain_program_notices_nothing(void **state) {
  struct node *node = *state;
  char with[512], without[512];
  node_job(node, JOB, 8 * GIB, SCHEDGPU_FOREVER);
  say_plain(node, true, without);
  say_plain(node, false, with);
  assert_non_null(strstr(with, " preload 1 "));
  *strchr(strstr(with, "preload"), '1') = '0';
  assert_string_equal(with, without);
  assert_non_null(strstr(with, "threads 1 libcuda 0 region 0 preload 0 cu 0/0 dlerror 1"));
  assert_non_null(strstr(with, "nvml 0 short 0"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(driver_linked),
      NODE_TEST(driver_in_variables_of_a_library),
      NODE_TEST(driver_by_handle),
      NODE_TEST(driver_by_rtld_default),
      NODE_TEST(driver_by_rtld_next),
      NODE_TEST(driver_by_get_proc_address),
      NODE_TEST(driver_by_get_proc_address_v2),
      NODE_TEST(driver_per_thread),
      NODE_TEST(driver_by_a_looked_up_get_proc_address),
      NODE_TEST(driver_by_an_older_dlsym),
      NODE_TEST(get_proc_address_honours_flags_and_version),
      NODE_TEST(shared_runtime_11),
      NODE_TEST(shared_runtime_12),
      NODE_TEST(shared_runtime_13),
      NODE_TEST(runtime_inside_the_executable),
      NODE_TEST(runtime_with_per_thread_streams),
      NODE_TEST(library_loaded_late),
      NODE_TEST(driver_closed_and_opened_again),
      NODE_TEST(interposer_before_us),
      NODE_TEST(interposer_behind_us),
      NODE_TEST(interposers_on_both_sides),
      NODE_TEST(dlsym_interposer_before_us),
      NODE_TEST(dlsym_interposer_behind_us),
      NODE_TEST(driver_that_forwards_to_another),
      NODE_TEST(driver_named_before_us_is_told),
      NODE_TEST(driver_whose_addresses_are_not_those_it_exports),
      NODE_TEST(variant_of_a_newer_driver_is_left_alone),
      NODE_TEST(plain_program_notices_nothing),
  };
  return cmocka_run_group_tests_name("look-up", tests, NULL, NULL);
}
