/*
 * Fail first, wait on the retry: a FAKE of PyTorch's caching allocator frees its cache before it
 * waits; other programs just wait.
 */
#include "fixture.h"
#include <string.h>
#include <unistd.h>

#define JOB 12
#define NEIGHBOUR 13
#define OUT_OF_MEMORY 2

static void ask_alloc(struct child *child, const char *how, int slot, uint64_t bytes,
                      int expected) {
  assert_int_equal(child_ask(child, "%s %d %llu", how, slot, (unsigned long long)bytes), expected);
}

static void start_fake(struct child *child, struct node *node, const char *setting) {
  child_start(child, node,
              &(struct start){.program = "fake_pytorch", .job = JOB, .environment = setting});
  assert_int_equal(child_ask(child, "begin 0"), 0);
}

static void start_importing(struct child *child, struct node *node, const char *setting) {
  start_fake(child, node, setting);
  assert_int_equal(child_ask(child, "import"), 0);
}

/* A neighbour with 8 of the device's 15.5 GiB, and a job without a budget. */
static void occupy(struct node *node, struct child *neighbour) {
  node_job(node, JOB, 0, SCHEDGPU_FOREVER);
  node_job(node, NEIGHBOUR, 8 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(neighbour, node, NEIGHBOUR);
  ask_alloc(neighbour, "alloc", 0, 8 * GIB, 0);
}

/* `live` in use, `kept` in the cache. */
static void fill(struct child *child, uint64_t live, uint64_t kept) {
  ask_alloc(child, "alloc", 0, live, 0);
  ask_alloc(child, "alloc", 1, kept, 0);
  assert_int_equal(child_ask(child, "free 1"), 0);
  assert_int_equal(child_number(child, 2), kept);
}

static void expect_asked_and_kept(struct child *child, unsigned asked, uint64_t kept) {
  assert_int_equal(child_number(child, 1), asked);
  assert_int_equal(child_number(child, 2), kept);
}

static void cache_is_freed_before_a_request_waits(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  start_importing(&child, *state, NULL);
  fill(&child, GIB, 5 * GIB);
  ask_alloc(&child, "alloc", 2, 4 * GIB, 0);
  expect_asked_and_kept(&child, 2, 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 5 * GIB);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
  assert_int_equal(node_refusals(*state, JOB, NULL), 0); /* the request failed on purpose */
  node_check(*state);
}

static void retry_waits(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  start_importing(&child, *state, NULL);
  fill(&child, 3 * GIB, GIB);
  child_tell(&child, "alloc 2 %llu", (unsigned long long)(6 * GIB));
  node_await_waiting(*state, 0, 1);
  assert_int_equal(node_in_use(*state, JOB, 0), 3 * GIB);
  assert_int_equal(child_ask(&neighbour, "free 0"), 0);
  assert_int_equal(child_answer(&child), 0);
  expect_asked_and_kept(&child, 2, 0);
  assert_int_equal(child_said(&child, "schedgpu: waiting"), 1);
  assert_int_equal(child_said(&child, "schedgpu:"), 2); /* the start and the end of the wait */
}

/* The request waits with the cache kept, until the neighbour frees. */
static void expect_waits_at_once(struct node *node, struct child *child, struct child *neighbour) {
  fill(child, GIB, 5 * GIB);
  child_tell(child, "alloc 2 %llu", (unsigned long long)(4 * GIB));
  node_await_waiting(node, 0, 1);
  assert_int_equal(node_in_use(node, JOB, 0), 6 * GIB);
  assert_int_equal(child_ask(neighbour, "free 0"), 0);
  assert_int_equal(child_answer(child), 0);
  expect_asked_and_kept(child, 1, 5 * GIB);
}

static void programs_without_pytorch_wait_at_once(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  start_fake(&child, *state, NULL);
  expect_waits_at_once(*state, &child, &neighbour);
}

/* Python may import it at any time, also after a wait. */
static void pytorch_that_is_loaded_late_is_noticed(void **state) {
  struct child child, neighbour, another;
  occupy(*state, &neighbour);
  start_fake(&child, *state, NULL);
  expect_waits_at_once(*state, &child, &neighbour);
  assert_int_equal(child_ask(&child, "import"), 0);
  node_job(*state, 14, 3 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&another, *state, 14);
  ask_alloc(&another, "alloc", 0, GIB, 0);
  ask_alloc(&child, "alloc", 3, 3 * GIB, 0);
  expect_asked_and_kept(&child, 2, 0);
}

static void setting_wait_waits_at_once(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  start_importing(&child, *state, "SCHEDGPU_FIRST_TRY=wait");
  expect_waits_at_once(*state, &child, &neighbour);
}

static void setting_fail_needs_no_pytorch(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  start_fake(&child, *state, "SCHEDGPU_FIRST_TRY=fail");
  fill(&child, GIB, 5 * GIB);
  ask_alloc(&child, "alloc", 2, 4 * GIB, 0);
  expect_asked_and_kept(&child, 2, 0);
}

static void unknown_setting_says_so_once_and_means_auto(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  start_fake(&child, *state, "SCHEDGPU_FIRST_TRY=never");
  expect_waits_at_once(*state, &child, &neighbour);
  assert_int_equal(child_said(&child, "schedgpu: SCHEDGPU_FIRST_TRY=never: must be auto, wait or "
                                      "fail: taken as auto\n"),
                   1);
  assert_int_equal(child_said(&child, "FIRST_TRY"), 1);
}

/* --- what a retry is --- */
static void start_blocked(struct node *node, struct child *child, struct child *neighbour) {
  occupy(node, neighbour);
  start_importing(child, node, NULL);
  ask_alloc(child, "alloc", 0, 4 * GIB, 0);
}

static void larger_request_is_no_retry(void **state) {
  struct child child, neighbour;
  start_blocked(*state, &child, &neighbour);
  ask_alloc(&child, "raw", 1, 5 * GIB, OUT_OF_MEMORY);
  ask_alloc(&child, "raw", 1, 5 * GIB + 1, OUT_OF_MEMORY);
  child_tell(&child, "raw 1 %llu", (unsigned long long)(5 * GIB));
  node_await_waiting(*state, 0, 1);
}

static void request_of_another_thread_is_no_retry(void **state) {
  struct child child, neighbour;
  start_blocked(*state, &child, &neighbour);
  ask_alloc(&child, "raw", 1, 5 * GIB, OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "raw-in-thread %llu", (unsigned long long)(5 * GIB)),
                   OUT_OF_MEMORY);
  child_tell(&child, "raw 1 %llu", (unsigned long long)(5 * GIB));
  node_await_waiting(*state, 0, 1);
}

static void request_after_a_success_is_no_retry(void **state) {
  struct child child, neighbour;
  start_blocked(*state, &child, &neighbour);
  ask_alloc(&child, "raw", 1, 5 * GIB, OUT_OF_MEMORY);
  ask_alloc(&child, "raw", 1, GIB, 0);
  ask_alloc(&child, "raw", 2, 5 * GIB, OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
}

static void request_on_another_device_is_no_retry(void **state) {
  static struct node node;
  struct child child, neighbour;
  node_up(&node, 2);
  *state = &node;
  node_job(&node, JOB, 0, SCHEDGPU_FOREVER);
  node_job(&node, NEIGHBOUR, 10 * GIB, SCHEDGPU_FOREVER);
  start_driver_program(&neighbour, &node, NEIGHBOUR);
  ask_alloc(&neighbour, "alloc", 0, GIB, 0); /* now it holds 10 GiB of both */
  start_importing(&child, &node, NULL);
  ask_alloc(&child, "raw", 0, GIB, 0);
  assert_int_equal(child_ask(&child, "begin 1"), 0);
  ask_alloc(&child, "raw", 2, GIB, 0);
  assert_int_equal(child_ask(&child, "begin 0"), 0);
  ask_alloc(&child, "raw", 1, 5 * GIB, OUT_OF_MEMORY);
  assert_int_equal(child_ask(&child, "begin 1"), 0);
  ask_alloc(&child, "raw", 3, 5 * GIB, OUT_OF_MEMORY);
  child_tell(&child, "raw 3 %llu", (unsigned long long)(5 * GIB));
  node_await_waiting(&node, 1, 1);
}

/* --- programs that have nothing to free --- */
static void a_process_without_memory_waits_at_once(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  start_importing(&child, *state, "SCHEDGPU_FIRST_TRY=fail");
  child_tell(&child, "raw 0 %llu", (unsigned long long)(9 * GIB));
  node_await_waiting(*state, 0, 1);
}

static void first_allocation_of_a_budget_waits_at_once(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  node_job(*state, JOB, 9 * GIB, SCHEDGPU_FOREVER);
  start_importing(&child, *state, NULL);
  child_tell(&child, "raw 0 %llu", (unsigned long long)GIB);
  node_await_waiting(*state, 0, 1);
  assert_int_equal(child_ask(&neighbour, "free 0"), 0);
  assert_int_equal(child_answer(&child), 0);
}

/* --- beyond the budget --- */
static void start_with_budget(struct node *node, struct child *child, const char *setting) {
  node_job(node, JOB, 4 * GIB, SCHEDGPU_FOREVER);
  start_importing(child, node, setting);
}

static void what_freeing_the_cache_answers_is_no_refusal(void **state) {
  struct child child;
  start_with_budget(*state, &child, NULL);
  fill(&child, GIB, 2 * GIB);
  ask_alloc(&child, "alloc", 2, 3 * GIB, 0);
  expect_asked_and_kept(&child, 2, 0);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(node_refusals(*state, JOB, NULL), 0);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
}

static void what_the_retry_is_refused_is_told_and_counts_once(void **state) {
  struct child child;
  uint64_t bytes;
  start_with_budget(*state, &child, NULL);
  fill(&child, 2 * GIB, GIB);
  ask_alloc(&child, "alloc", 2, 3 * GIB, OUT_OF_MEMORY);
  expect_asked_and_kept(&child, 2, 0);
  assert_int_equal(child_said(&child, "2.0 of its 4.0 GiB budget are in use"), 1);
  assert_int_equal(node_refusals(*state, JOB, &bytes), 1);
  assert_int_equal(bytes, 3 * GIB);
}

/* As an allocation of a library beside PyTorch's allocator. */
static void a_refusal_without_a_retry_is_told_with_the_next_request(void **state) {
  struct child child;
  uint64_t bytes;
  start_with_budget(*state, &child, NULL);
  ask_alloc(&child, "raw", 0, GIB, 0);
  ask_alloc(&child, "raw", 1, 4 * GIB, OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
  ask_alloc(&child, "raw", 1, 5 * GIB, OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "asked for 4.0 GiB on device 0 beyond its budget of 4.0 GiB, "
                                      "and not again: ask for more with --schedgpu-mem"),
                   1);
  assert_int_equal(node_refusals(*state, JOB, &bytes), 1);
  assert_int_equal(bytes, 4 * GIB);
}

static void a_refusal_without_a_retry_is_told_at_the_end(void **state) {
  struct child child;
  start_with_budget(*state, &child, NULL);
  ask_alloc(&child, "raw", 0, GIB, 0);
  ask_alloc(&child, "raw", 1, 4 * GIB, OUT_OF_MEMORY);
  assert_int_equal(child_end(&child), 0);
  assert_int_equal(child_said(&child, "and not again"), 1);
  assert_int_equal(node_refusals(*state, JOB, NULL), 1);
}

/* The setting promises a retry of what must wait, and of nothing else. */
static void setting_fail_tells_over_budget_at_once(void **state) {
  struct child child;
  node_job(*state, JOB, 4 * GIB, SCHEDGPU_FOREVER);
  start_fake(&child, *state, "SCHEDGPU_FIRST_TRY=fail");
  ask_alloc(&child, "raw", 0, GIB, 0);
  ask_alloc(&child, "raw", 1, 4 * GIB, OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "budget are in use"), 1);
  assert_int_equal(node_refusals(*state, JOB, NULL), 1);
}

static void grow_job(struct node *node) {
  struct schedgpu_job_spec spec = {.job_id = JOB,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = (uint32_t)getuid(),
                                   .mode = SCHEDGPU_MODE_PEAK,
                                   .device_mask = 1,
                                   .flags = SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS,
                                   .wait_ns = SCHEDGPU_FOREVER,
                                   .budget_bytes = {4 * GIB}};
  schedgpu_admin_job_end(node->admin, SCHEDGPU_JOB_SLURM, JOB);
  assert_int_equal(schedgpu_admin_job_begin(node->admin, &spec), 0);
}

/* The device has room. */
static void a_budget_grows_for_what_the_retry_asks(void **state) {
  struct child child;
  grow_job(*state);
  start_importing(&child, *state, NULL);
  fill(&child, 3 * GIB, GIB);
  ask_alloc(&child, "alloc", 2, 3 * GIB, 0);
  expect_asked_and_kept(&child, 2, 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 6 * GIB);
  assert_int_equal(child_ask(&child, "free 2"), 0);
  ask_alloc(&child, "alloc", 4, GIB, 0); /* 7 GiB: grows further */
  expect_asked_and_kept(&child, 2, 0);
  assert_int_equal(node_in_use(*state, JOB, 0), 4 * GIB);
  ask_alloc(&child, "alloc", 5, 2 * GIB, 0); /* no more than was needed before */
  expect_asked_and_kept(&child, 1, 0);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
}

/* A neighbour took what had grown and gave it back: no cache is freed for the same growth twice. */
static void a_budget_grows_at_once_to_what_was_needed_before(void **state) {
  struct child child, neighbour;
  grow_job(*state);
  node_job(*state, NEIGHBOUR, 10 * GIB, SCHEDGPU_FOREVER);
  start_importing(&child, *state, NULL);
  start_driver_program(&neighbour, *state, NEIGHBOUR);
  ask_alloc(&child, "raw", 0, 4 * GIB, 0);
  ask_alloc(&child, "raw", 1, 3 * GIB, OUT_OF_MEMORY);
  ask_alloc(&child, "raw", 1, 3 * GIB, 0); /* the retry lets the budget grow to 7 GiB */
  child_tell(&neighbour, "alloc 0 %llu", (unsigned long long)GIB);
  node_await_waiting(*state, 0, 1);
  assert_int_equal(child_ask(&child, "free 1"), 0);
  assert_int_equal(child_ask(&child, "empty"), 0);
  assert_int_equal(child_answer(&neighbour), 0);
  assert_int_equal(child_ask(&neighbour, "free 0"), 0);
  assert_int_equal(child_end(&neighbour), 0);
  ask_alloc(&child, "raw", 1, 3 * GIB, 0);
  ask_alloc(&child, "raw", 2, GIB, OUT_OF_MEMORY); /* 8 GiB: further than before */
  assert_int_equal(child_said(&child, "waiting"), 0);
}

static void a_budget_grows_at_once_without_pytorch(void **state) {
  struct child child;
  grow_job(*state);
  start_fake(&child, *state, NULL);
  fill(&child, 3 * GIB, GIB);
  ask_alloc(&child, "alloc", 2, 3 * GIB, 0);
  expect_asked_and_kept(&child, 1, GIB);
}

/* cuBLAS allocates by itself in PyTorch's process, and does not ask again. */
static void a_budget_grows_at_once_for_another_library(void **state) {
  struct child child;
  grow_job(*state);
  start_importing(&child, *state, NULL);
  fill(&child, 3 * GIB, GIB);
  ask_alloc(&child, "by-itself", 2, GIB, 0);
  expect_asked_and_kept(&child, 1, GIB);
  ask_alloc(&child, "raw", 3, GIB, OUT_OF_MEMORY); /* PyTorch itself is still asked to free */
}

static void another_library_waits_at_once(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  start_importing(&child, *state, NULL);
  fill(&child, GIB, 5 * GIB);
  child_tell(&child, "by-itself 2 %llu", (unsigned long long)(4 * GIB));
  node_await_waiting(*state, 0, 1);
  assert_int_equal(child_ask(&neighbour, "free 0"), 0);
  assert_int_equal(child_answer(&child), 0);
  expect_asked_and_kept(&child, 1, 5 * GIB);
}

/* Beyond a budget that may overflow, memory is waited for like any other: fail first. */
static void overflow_fails_first_and_waits_on_the_retry(void **state) {
  struct node *node = *state;
  struct child child, neighbour;
  occupy(node, &neighbour);
  grow_job(node);
  start_importing(&child, node, NULL);
  fill(&child, 3 * GIB, GIB);
  ask_alloc(&child, "alloc", 2, 3 * GIB, 0); /* more than the budget, and free */
  expect_asked_and_kept(&child, 2, 0);
  child_tell(&child, "alloc 3 %llu", (unsigned long long)(4 * GIB));
  node_await_waiting(node, 0, 1);
  assert_int_equal(node_in_use(node, JOB, 0), 6 * GIB);
  assert_int_equal(child_ask(&neighbour, "free 0"), 0);
  assert_int_equal(child_answer(&child), 0);
  expect_asked_and_kept(&child, 2, 0);
  assert_int_equal(child_said(&child, "budget"), 0);
  node_check(node);
}

static void job_that_does_not_wait_fails_at_the_retry(void **state) {
  struct child child, neighbour;
  occupy(*state, &neighbour);
  node_job(*state, JOB, 0, SCHEDGPU_NO_WAIT);
  start_importing(&child, *state, NULL);
  ask_alloc(&child, "raw", 0, 4 * GIB, 0);
  ask_alloc(&child, "raw", 1, 5 * GIB, OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "schedgpu"), 0);
  ask_alloc(&child, "raw", 1, 5 * GIB, OUT_OF_MEMORY);
  assert_int_equal(child_said(&child, "do not fit now and the job does not wait"), 1);
}

static int nothing_up(void **state) {
  *state = NULL;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(cache_is_freed_before_a_request_waits),
      NODE_TEST(retry_waits),
      NODE_TEST(programs_without_pytorch_wait_at_once),
      NODE_TEST(pytorch_that_is_loaded_late_is_noticed),
      NODE_TEST(setting_wait_waits_at_once),
      NODE_TEST(setting_fail_needs_no_pytorch),
      NODE_TEST(unknown_setting_says_so_once_and_means_auto),
      NODE_TEST(larger_request_is_no_retry),
      NODE_TEST(request_of_another_thread_is_no_retry),
      NODE_TEST(request_after_a_success_is_no_retry),
      NODE_TEST(a_process_without_memory_waits_at_once),
      NODE_TEST(first_allocation_of_a_budget_waits_at_once),
      NODE_TEST(what_freeing_the_cache_answers_is_no_refusal),
      NODE_TEST(what_the_retry_is_refused_is_told_and_counts_once),
      NODE_TEST(a_refusal_without_a_retry_is_told_with_the_next_request),
      NODE_TEST(a_refusal_without_a_retry_is_told_at_the_end),
      NODE_TEST(setting_fail_tells_over_budget_at_once),
      NODE_TEST(a_budget_grows_for_what_the_retry_asks),
      NODE_TEST(a_budget_grows_at_once_to_what_was_needed_before),
      NODE_TEST(a_budget_grows_at_once_without_pytorch),
      NODE_TEST(a_budget_grows_at_once_for_another_library),
      NODE_TEST(another_library_waits_at_once),
      NODE_TEST(overflow_fails_first_and_waits_on_the_retry),
      NODE_TEST(job_that_does_not_wait_fails_at_the_retry),
      cmocka_unit_test_setup_teardown(request_on_another_device_is_no_retry, nothing_up, tear_down),
  };
  return cmocka_run_group_tests_name("first try", tests, NULL, NULL);
}
