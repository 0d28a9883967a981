/*
 * turns_test.c - programs of jobs with a share launch in turns, whatever they launch and however
 * they find the function.
 */
#include "hooks.h"
#include "running.h"
#include "../support/stopped.h"
#include "../../core/lanes/lanes.h"
#include "../../shell/admin/admin_handle.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define FIRST 21
#define SECOND 22
#define ENDLESS 3600000000000ull /* of a kernel: only the death of its process ends it */
#define INVALID_VALUE 1
#define CAPTURE_UNMATCHED 903
#define OK(child, ...) assert_int_equal(child_ask((child), __VA_ARGS__), 0)

/** Seen from the folder of programs. */
#define LAUNCHES_LIBRARY "../../../libschedgpu-launches.so"

/** `how` "linked": the program is linked with the driver. */
static void start(struct child *child, struct node *node, uint64_t job, const char *how,
                  const char *share) {
  bool linked = strcmp(how, "linked") == 0;
  child_start(child, node,
              &(struct start){.program = linked ? "turns_linked" : "turns_program",
                              .arguments = {linked ? "handle" : how},
                              .job = job,
                              .preload_before = linked ? LAUNCHES_LIBRARY : NULL,
                              .environment = share});
}

/** A program of a job with a share, in a context, with memory. */
static void begin(struct child *child, struct node *node, uint64_t job, const char *how) {
  start(child, node, job, how, "SCHEDGPU_SHARE=1");
  OK(child, "begin");
}

static void begin_both(struct node *node, struct child *first, struct child *second,
                       const char *how) {
  node_share_job(node, FIRST, 1);
  node_share_job(node, SECOND, 1);
  begin(first, node, FIRST, how);
  begin(second, node, SECOND, how);
}

/* --- nothing is hooked without a share --- */

static const struct name {
  const char *name, *base;
  int since, per_thread;
} names[] = {
#define NAME(name, base, since, stream, ...) {#name, base, since, stream == SGP_PER_THREAD},
    SGP_TURN_HOOKS(NAME)
#undef NAME
};

static void expect_hooked(struct child *child, int hooked) {
  int found = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    child_tell(child, "name\n%s", names[i].name);
    assert_int_equal(child_answer(child), 0);
    if (child_number(child, 1) == 0)
      continue; /* the emulated driver does not have it */
    found++;
    assert_int_equal(child_ask(child, "hooked-by-handle"), hooked);
    assert_int_equal(child_ask(child, "hooked-globally"), hooked);
    child_tell(child, "name\n%s", names[i].base);
    assert_int_equal(child_answer(child), 0);
    assert_int_equal(child_ask(child, "hooked-by-base %d %d", names[i].since, names[i].per_thread),
                     hooked);
  }
  assert_true(found > 90);
}

static void without_a_share_no_launch_is_hooked(void **state) {
  struct child child;
  node_job(*state, FIRST, GIB, SCHEDGPU_FOREVER);
  start(&child, *state, FIRST, "handle", NULL);
  expect_hooked(&child, 0);
  assert_int_equal(child_end(&child), 0);
}

static void with_a_share_every_launch_is_hooked(void **state) {
  struct child child;
  node_share_job(*state, FIRST, 1);
  start(&child, *state, FIRST, "handle", "SCHEDGPU_SHARE=1");
  expect_hooked(&child, 1);
  assert_int_equal(child_end(&child), 0);
}

/** A variable that a user has set changes nothing for a program without a job. */
static void a_share_without_a_job_hooks_nothing(void **state) {
  struct child child;
  start(&child, *state, 0, "handle", "SCHEDGPU_SHARE=1");
  expect_hooked(&child, 0);
  assert_int_equal(child_end(&child), 0);
}

/** The job decides, and not the variable: this one has no share. */
static void a_job_without_a_share_takes_no_turns(void **state) {
  struct child first, second;
  node_job(*state, FIRST, GIB, SCHEDGPU_FOREVER);
  node_job(*state, SECOND, GIB, SCHEDGPU_FOREVER);
  begin(&first, *state, FIRST, "handle");
  begin(&second, *state, SECOND, "handle");
  OK(&first, "kernel %llu 1", ENDLESS);
  OK(&second, "kernel %llu 1", ENDLESS);
  assert_int_equal(child_said(&second, "schedgpu"), 0);
}

/* --- the turn --- */

static const char *const launches[] = {
    "kernel 1 1",
    "kernel 1 0",
    "kernel-ex 1 1",
    "cooperative 1 1",
    "cooperative-on-all 1 1",
    "launch",
    "grid",
    "grid-async",
    "graph 1",
    "set-8",
    "set-16",
    "set-32",
    "set-8-async",
    "set-16-async",
    "set-32-async",
    "set-2d-8",
    "set-2d-16",
    "set-2d-32",
    "set-2d-8-async",
    "set-2d-16-async",
    "set-2d-32-async",
    "copy",
    "copy-async",
    "copy-any",
    "copy-any-async",
    "copy-2d",
    "copy-2d-unaligned",
    "copy-2d-async",
    "copy-peer",
    "copy-peer-async",
    "copy-from-array",
    "copy-to-array",
    "copy-array",
    "copy-3d",
    "copy-3d-async",
    "copy-3d-peer",
    "copy-3d-peer-async",
    "old-batch",
    "batch",
    "old-boxes",
    "boxes",
    "copy-with",
    "box-with",
};

/** Every launch waits while another job computes, and passes the gate of its own turn. */
static void every_launch_waits(struct node *node, const char *how) {
  struct child first, second;
  node_share_job(node, SECOND, 1);
  begin(&second, node, SECOND, how);
  OK(&second, "begin-capture");
  OK(&second, "kernel 1 3");
  OK(&second, "end-capture");
  for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
    uint64_t job = 100 + i;
    node_share_job(node, job, 1);
    begin(&first, node, job, how);
    OK(&first, "kernel %llu 1", ENDLESS);
    child_tell(&second, "%s", launches[i]);
    node_await_turn_waiting(node, 1);
    child_kill(&first);
    assert_int_equal(child_answer(&second), 0);
    OK(&second, "%s", launches[i]);
    OK(&second, "synchronize");
    schedgpu_admin_job_end(node->admin, SCHEDGPU_JOB_SLURM, job);
  }
  assert_int_equal(child_end(&second), 0);
  node_check(node);
}

static void launches_found_by_handle_wait(void **state) {
  every_launch_waits(*state, "handle");
}

static void launches_of_a_linked_program_wait(void **state) {
  every_launch_waits(*state, "linked");
}

/** The names that are exported then belong to the driver, if the job has no share. */
static void a_linked_program_without_a_share_reaches_the_driver(void **state) {
  struct child child;
  start(&child, *state, 0, "linked", "SCHEDGPU_SHARE=");
  OK(&child, "begin");
  OK(&child, "kernel 1 1");
  OK(&child, "synchronize");
  assert_int_equal(child_end(&child), 0);
}

static void launches_that_the_driver_returns_wait(void **state) {
  every_launch_waits(*state, "get");
}

static void launches_with_a_stream_per_thread_wait(void **state) {
  every_launch_waits(*state, "per-thread");
}

/** The turn goes on when the device has finished, although the program never asked for that. */
static void a_finished_device_is_given_away(void **state) {
  struct child first, second;
  begin_both(*state, &first, &second, "handle");
  OK(&first, "kernel 1000000 1");
  OK(&second, "kernel 1000000 1");
  OK(&first, "kernel 1000000 1");
  assert_int_equal(node_turns(*state, FIRST, NULL), 2);
  assert_int_equal(node_turns(*state, SECOND, NULL), 1);
}

/** What runs in a second context is waited for, too. */
static void all_contexts_finish_before_the_turn_goes_on(void **state) {
  struct child first, second;
  int pid = 0;
  begin_both(*state, &first, &second, "handle");
  struct shared_state *device = running_open(*state);
  OK(&first, "second");
  OK(&first, "kernel 300000000 0");
  OK(&second, "kernel %llu 1", ENDLESS);
  assert_int_equal(running_processes(device, &pid), 1);
  assert_int_equal(pid, second.pid);
  state_close(device);
}

/** Two programs that never synchronize: at no time do both have work on the device. */
static void only_one_computes(void **state) {
  struct child first, second;
  int pid = 0, before = 0, changes = 0;
  begin_both(*state, &first, &second, "handle");
  struct shared_state *device = running_open(*state);
  OK(&first, "storm 300000");
  OK(&second, "storm 300000");
  for (int round = 0; changes < 8; round++) {
    assert_true(round < 600000);
    usleep(200);
    int computing = running_processes(device, &pid);
    assert_true(computing <= 1);
    if (computing == 0)
      continue;
    changes += pid != before;
    before = pid;
  }
  OK(&first, "end-storm");
  OK(&second, "end-storm");
  state_close(device);
  node_check(*state);
}

/* --- what must not wait, and what must not break --- */

static void a_capture_needs_no_turn(void **state) {
  struct child first, second;
  begin_both(*state, &first, &second, "handle");
  OK(&first, "kernel %llu 1", ENDLESS);
  OK(&second, "begin-capture");
  OK(&second, "kernel 1 3");
  OK(&second, "end-capture");
  child_tell(&second, "graph 1");
  node_await_turn_waiting(*state, 1);
}

/** Ways of a program to begin a capture. */
#define AS_NEW_GRAPH 0
#define AS_FIRST_VERSION 1
#define TO_GRAPH 2
#define TO_NO_GRAPH 3 /* fails */

/** During a capture nothing is synchronized, so the turn stays. */
static void no_turn_ends_during_a_capture(struct node *node, const char *how, int way) {
  struct child first, second;
  begin_both(node, &first, &second, how);
  OK(&first, "kernel 1 1");
  OK(&first, "begin-capture %d", way);
  child_tell(&second, "kernel 1 1");
  node_await_turn_waiting(node, 1);
  usleep(300000); /* many looks of the thread that ends turns */
  OK(&first, "kernel 1 3");
  assert_int_equal(node_turns(node, SECOND, NULL), 0);
  OK(&first, "end-capture");
  assert_int_equal(child_answer(&second), 0);
  OK(&first, "graph 1");
}

static void a_turn_does_not_end_during_a_capture(void **state) {
  no_turn_ends_during_a_capture(*state, "handle", AS_NEW_GRAPH);
}

static void a_turn_does_not_end_during_a_capture_of_the_first_version(void **state) {
  no_turn_ends_during_a_capture(*state, "handle", AS_FIRST_VERSION);
}

static void a_turn_does_not_end_during_a_capture_to_a_graph(void **state) {
  no_turn_ends_during_a_capture(*state, "handle", TO_GRAPH);
}

static void a_turn_does_not_end_during_a_capture_per_thread(void **state) {
  no_turn_ends_during_a_capture(*state, "per-thread", AS_NEW_GRAPH);
}

static void a_turn_does_not_end_during_a_capture_per_thread_of_the_first_version(void **state) {
  no_turn_ends_during_a_capture(*state, "per-thread", AS_FIRST_VERSION);
}

static void a_turn_does_not_end_during_a_capture_per_thread_to_a_graph(void **state) {
  no_turn_ends_during_a_capture(*state, "per-thread", TO_GRAPH);
}

static void a_capture_that_does_not_begin_keeps_no_turn(void **state) {
  struct child first, second;
  begin_both(*state, &first, &second, "handle");
  OK(&first, "kernel 1 1");
  assert_int_equal(child_ask(&first, "begin-capture %d", TO_NO_GRAPH), INVALID_VALUE);
  OK(&second, "kernel 1 1");
}

/** A capture whose end is refused goes on, and then ends once. */
static void a_turn_ends_after_a_capture_that_was_not_ended_at_once(void **state) {
  struct child first, second;
  begin_both(*state, &first, &second, "handle");
  OK(&first, "kernel 1 1");
  OK(&first, "begin-capture");
  assert_int_equal(child_ask(&first, "end-capture-of-joined"), CAPTURE_UNMATCHED);
  child_tell(&second, "kernel 1 1");
  node_await_turn_waiting(*state, 1);
  usleep(300000); /* many looks of the thread that ends turns */
  assert_int_equal(node_turns(*state, SECOND, NULL), 0);
  OK(&first, "end-capture");
  assert_int_equal(child_answer(&second), 0);
  OK(&first, "kernel 1 1");
  OK(&second, "kernel 1 1");
}

/** A program destroys what it captures, as after an exception. */
static void a_capture_ends_with(void **state, const char *before, const char *end) {
  struct child first, second;
  begin_both(*state, &first, &second, "handle");
  OK(&first, "%s", before);
  OK(&first, "kernel 1 1");
  OK(&first, "begin-capture");
  child_tell(&second, "kernel 1 1");
  node_await_turn_waiting(*state, 1);
  OK(&first, "%s", end);
  assert_int_equal(child_answer(&second), 0);
}

static void a_capture_ends_with_its_stream(void **state) {
  a_capture_ends_with(state, "kernel 1 2", "destroy-stream 3");
}

static void a_capture_ends_with_its_context(void **state) {
  a_capture_ends_with(state, "kernel 1 2", "reset");
}

/** It is that of the stream, whichever context is current. */
static void a_capture_in_another_context_ends_with_that(void **state) {
  a_capture_ends_with(state, "second", "reset");
}

/** A function of the host that launches gets the driver's answer, and waits for nothing. */
static void no_function_of_the_host_waits(struct node *node, const char *how) {
  struct child first, second;
  begin_both(node, &first, &second, how);
  OK(&first, "kernel %llu 1", ENDLESS);
  OK(&second, "in-function 1");
  OK(&second, "in-function-in-mode 1");
  OK(&second, "in-callback 1");
}

static void a_function_of_the_host_never_waits(void **state) {
  no_function_of_the_host_waits(*state, "handle");
}

static void a_function_of_a_stream_per_thread_never_waits(void **state) {
  no_function_of_the_host_waits(*state, "per-thread");
}

/** The turn is that of the graph: what its functions launch needs no other one. */
static void a_graph_is_one_launch(void **state) {
  struct child first, second;
  begin_both(*state, &first, &second, "handle");
  OK(&second, "function-graph 0");
  OK(&first, "kernel %llu 1", ENDLESS);
  child_tell(&second, "graph 1");
  node_await_turn_waiting(*state, 1);
  child_kill(&first);
  assert_int_equal(child_answer(&second), 0);
  assert_int_equal(node_turns(*state, SECOND, NULL), 1);
}

static void a_copy_that_leaves_the_device_needs_no_turn(void **state) {
  struct child first, second;
  begin_both(*state, &first, &second, "handle");
  OK(&first, "kernel %llu 1", ENDLESS);
  static const char *const copies[] = {
      "copy-out",         "copy-in",
      "copy-2d-out",      "copy-2d-out-unified",
      "copy-3d-out",      "copy-3d-out-unified",
      "copy-3d-peer-out", "old-batch-out",
      "batch-out",        "old-boxes-out",
      "boxes-out",        "copy-with-out",
      "box-with-out",
  };
  for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
    OK(&second, "%s", copies[i]);
  assert_int_equal(node_turns(*state, SECOND, NULL), 0);
}

/**
 * The device waits for a function of the host, which may wait for a lock of the thread that
 * launches: the launch goes on, and the turn stays.
 */
static void a_launch_does_not_wait_for(struct node *node, const char *function,
                                       const char *launch) {
  struct child first, second;
  char file[100], begun[120];
  snprintf(file, sizeof file, "%s/synchronized", node->dir);
  snprintf(begun, sizeof begun, "%s.begun", file);
  node_share_job(node, FIRST, 1);
  node_share_job(node, SECOND, 1);
  child_start(&first, node,
              &(struct start){.program = "turns_linked",
                              .arguments = {"handle"},
                              .job = FIRST,
                              .preload_before = LAUNCHES_LIBRARY,
                              .preload_after = "libendless.so",
                              .environment = "SCHEDGPU_SHARE=1"});
  child_tell(&first, "synchronized-by\n%s", file);
  assert_int_equal(child_answer(&first), 0);
  OK(&first, "begin");
  begin(&second, node, SECOND, "handle");
  OK(&first, "kernel 1 1");
  OK(&first, "%s", function);
  child_tell(&second, "kernel 1 1");
  node_await_turn_waiting(node, 1);
  for (int round = 0; access(begun, F_OK) != 0; round++) { /* the gate is closed */
    assert_true(round < 60000);
    usleep(1000);
  }
  OK(&first, "%s", launch);
  assert_int_equal(node_turns(node, SECOND, NULL), 0);
  fclose(fopen(file, "w"));
  if (strcmp(function, "add-function") == 0)
    OK(&first, "end-function");
  assert_int_equal(child_answer(&second), 0);
}

static void a_launch_does_not_wait_for_a_function_of_the_host(void **state) {
  a_launch_does_not_wait_for(*state, "add-function", "kernel 1 1");
}

/** One of the threads opens the gate again, and the function may wait for a lock of the other. */
static void no_launch_waits_for_a_function_of_the_host(void **state) {
  a_launch_does_not_wait_for(*state, "add-function", "kernel-by-two");
}

static void a_launch_does_not_wait_for_a_function_of_a_graph(void **state) {
  a_launch_does_not_wait_for(*state, "function-graph 0", "kernel 1 1");
}

static void a_launch_does_not_wait_for_a_function_that_is_any_node(void **state) {
  a_launch_does_not_wait_for(*state, "function-graph 1", "kernel 1 1");
}

static void a_launch_does_not_wait_for_a_function_that_is_a_node_with_edges(void **state) {
  a_launch_does_not_wait_for(*state, "function-graph 2", "kernel 1 1");
}

/** What a stream waits for may come from the thread that launches. */
static void a_launch_does_not_wait_for_a_stream_that_waits_for_a_word(void **state) {
  a_launch_does_not_wait_for(*state, "wait-for-word", "kernel 1 1");
}

static void a_launch_does_not_wait_for_a_batch_that_waits(void **state) {
  a_launch_does_not_wait_for(*state, "batch-of-words 1", "kernel 1 1");
}

static void a_launch_does_not_wait_for_a_semaphore(void **state) {
  a_launch_does_not_wait_for(*state, "wait-for-semaphore", "kernel-by-two");
}

static void a_forked_child_gets_the_drivers_error(void **state) {
  struct child child;
  node_share_job(*state, FIRST, 1);
  begin(&child, *state, FIRST, "handle");
  OK(&child, "kernel 1 1");
  assert_int_equal(child_ask(&child, "fork"), 3);
  OK(&child, "kernel 1 1");
  OK(&child, "synchronize");
  assert_int_equal(child_end(&child), 0);
}

static uint64_t service_ns(const struct node *node, uint64_t id) {
  const struct sg_region *r = node->admin->h.r;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (sg_job_lane(r, j) != SG_NONE && r->job[j].id == id)
      return r->job[j].service_ns;
  return UINT64_MAX;
}

/** A stopped program keeps its turn; nobody computes beside what it has launched. */
static void a_stopped_program_keeps_its_turn(void **state) {
  struct child first, second;
  begin_both(*state, &first, &second, "handle");
  OK(&first, "kernel 1 1");
  usleep(300000); /* the thread that ends turns looks */
  stop_process(first.pid);
  child_tell(&second, "kernel 1 1");
  node_await_turn_waiting(*state, 1);
  uint64_t stopped_ns = sg_now_ns();
  usleep(3000000);
  assert_int_equal(node_turns(*state, SECOND, NULL), 0);
  stopped_ns = sg_now_ns() - stopped_ns;
  kill(first.pid, SIGCONT);
  assert_int_equal(child_answer(&second), 0);
  assert_true(service_ns(*state, FIRST) <
              stopped_ns); /* others had nothing of the device, nor it */
  OK(&first, "kernel 1 1");
}

/** A wild pointer wrote over the word of the turn: the gate of the program that had it is open. */
static void a_program_that_has_lost_its_turn_asks_again(void **state) {
  struct child first, second;
  struct node *node = *state;
  begin_both(node, &first, &second, "handle");
  OK(&first, "kernel 1 1");
  atomic_store(&node->admin->h.r->lane[0].turn, 0);
  OK(&second, "kernel %llu 1", ENDLESS);
  usleep(300000); /* many looks of the thread that ends turns */
  child_tell(&first, "kernel 1 1");
  node_await_turn_waiting(node, 1);
  child_kill(&second);
  assert_int_equal(child_answer(&first), 0);
}

/** The turn of a program that is killed while it waits in a launch is not lost. */
static void a_program_that_is_killed_in_a_launch_is_no_waiter(void **state) {
  struct child first, second;
  begin_both(*state, &first, &second, "handle");
  OK(&first, "kernel %llu 1", ENDLESS);
  child_tell(&second, "kernel 1 1");
  node_await_turn_waiting(*state, 1);
  child_kill(&second);
  child_kill(&first);
  begin(&second, *state, SECOND, "handle");
  OK(&second, "kernel 1 1");
  OK(&second, "synchronize");
  node_check(*state);
}

static void after_the_end_of_its_job_a_program_goes_on(void **state) {
  struct child child;
  node_share_job(*state, FIRST, 1);
  begin(&child, *state, FIRST, "handle");
  schedgpu_admin_job_end(((struct node *)*state)->admin, SCHEDGPU_JOB_SLURM, FIRST);
  OK(&child, "kernel 1 1");
  OK(&child, "kernel 1 1");
  OK(&child, "synchronize");
}

int main(void) {
  struct CMUnitTest tests[] = {
      NODE_TEST(without_a_share_no_launch_is_hooked),
      NODE_TEST(with_a_share_every_launch_is_hooked),
      NODE_TEST(a_share_without_a_job_hooks_nothing),
      NODE_TEST(a_job_without_a_share_takes_no_turns),
      NODE_TEST(launches_found_by_handle_wait),
      NODE_TEST(launches_that_the_driver_returns_wait),
      NODE_TEST(launches_of_a_linked_program_wait),
      NODE_TEST(a_linked_program_without_a_share_reaches_the_driver),
      NODE_TEST(launches_with_a_stream_per_thread_wait),
      NODE_TEST(a_finished_device_is_given_away),
      NODE_TEST(all_contexts_finish_before_the_turn_goes_on),
      NODE_TEST(only_one_computes),
      NODE_TEST(a_capture_needs_no_turn),
      NODE_TEST(a_turn_does_not_end_during_a_capture),
      NODE_TEST(a_turn_does_not_end_during_a_capture_of_the_first_version),
      NODE_TEST(a_turn_does_not_end_during_a_capture_to_a_graph),
      NODE_TEST(a_turn_does_not_end_during_a_capture_per_thread),
      NODE_TEST(a_turn_does_not_end_during_a_capture_per_thread_of_the_first_version),
      NODE_TEST(a_turn_does_not_end_during_a_capture_per_thread_to_a_graph),
      NODE_TEST(a_capture_that_does_not_begin_keeps_no_turn),
      NODE_TEST(a_turn_ends_after_a_capture_that_was_not_ended_at_once),
      NODE_TEST(a_capture_ends_with_its_stream),
      NODE_TEST(a_capture_ends_with_its_context),
      NODE_TEST(a_capture_in_another_context_ends_with_that),
      NODE_TEST(a_function_of_the_host_never_waits),
      NODE_TEST(a_function_of_a_stream_per_thread_never_waits),
      NODE_TEST(a_graph_is_one_launch),
      NODE_TEST(a_copy_that_leaves_the_device_needs_no_turn),
      NODE_TEST(a_launch_does_not_wait_for_a_function_of_the_host),
      NODE_TEST(no_launch_waits_for_a_function_of_the_host),
      NODE_TEST(a_launch_does_not_wait_for_a_function_of_a_graph),
      NODE_TEST(a_launch_does_not_wait_for_a_function_that_is_any_node),
      NODE_TEST(a_launch_does_not_wait_for_a_function_that_is_a_node_with_edges),
      NODE_TEST(a_launch_does_not_wait_for_a_stream_that_waits_for_a_word),
      NODE_TEST(a_launch_does_not_wait_for_a_batch_that_waits),
      NODE_TEST(a_launch_does_not_wait_for_a_semaphore),
      NODE_TEST(a_forked_child_gets_the_drivers_error),
      NODE_TEST(a_stopped_program_keeps_its_turn),
      NODE_TEST(a_program_that_has_lost_its_turn_asks_again),
      NODE_TEST(a_program_that_is_killed_in_a_launch_is_no_waiter),
      NODE_TEST(after_the_end_of_its_job_a_program_goes_on),
  };
  return run_in_both_modes("turns", tests, sizeof tests / sizeof *tests);
}
