/*
 * The memory of a shared lane: one physical memory that the processes of a lane map, made by the
 * first of them. What the device holds is compared with what the region accounts for.
 */
#include "fixture.h"
#include "../../core/rules/core.h"
#include "../../core/lanes/lanes.h"
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define HOG 90
#define KEPT (32 * MIB)
#define LANE (64 * MIB)
#define STRANGER 54321
#define OUT_OF_MEMORY 2
#define QUIET NULL
#define LOGGED "EMULATED_GPU_LOG=1"
#define STALE "EMULATED_GPU_STALE=170"

struct lane {
  struct node *node;
  struct child hog;
  uint64_t hog_mib;
};

static void ask(struct child *child, const char *line) {
  if (child_ask(child, "%s", line) != 0)
    fail_msg("%s: %s", line, child->line);
}

static void lane_job(struct node *node, uint64_t id, uint32_t uid, uint64_t lane_bytes) {
  struct schedgpu_job_spec spec = {.job_id = id,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = uid,
                                   .priority = 50,
                                   .mode = SCHEDGPU_MODE_PEAK,
                                   .device_mask = 1,
                                   .lane = SCHEDGPU_LANE_PACK,
                                   .persistent_bytes = KEPT,
                                   .wait_ns = SCHEDGPU_FOREVER};
  spec.budget_bytes[0] = KEPT + lane_bytes;
  assert_int_equal(schedgpu_admin_job_begin(node->admin, &spec), 0);
}

/** A device with room for so many members, and for one lane. */
static struct lane room_for(struct node *node, unsigned members, uint64_t lane_bytes) {
  struct lane lane = {.node = node};
  uint64_t room = members * (CONTEXT_BYTES + KEPT) + lane_bytes;
  lane.hog_mib = (DEVICE_BYTES - CONTEXT_BYTES - room) / MIB;
  node_job_ondemand(node, HOG, 0, SCHEDGPU_FOREVER, 1);
  child_start(&lane.hog, node,
              &(struct start){.program = "lane_program", .arguments = {"handle"}, .job = HOG});
  ask(&lane.hog, "begin 0");
  assert_int_equal(child_ask(&lane.hog, "alloc 0 %llu", (unsigned long long)lane.hog_mib), 0);
  return lane;
}

/** A process of a new lane job, which shares its lane and has a context. */
static struct child member(struct lane *lane, uint64_t job, uint64_t lane_bytes,
                           const char *environment) {
  struct child child;
  lane_job(lane->node, job, (uint32_t)getuid(), lane_bytes);
  child_start(&child, lane->node,
              &(struct start){.program = "lane_program",
                              .arguments = {"handle"},
                              .job = job,
                              .environment = environment});
  ask(&child, "share 0");
  ask(&child, "begin 0");
  return child;
}

static void begins_with(struct child *child, uint64_t bytes) {
  ask(child, "turn -1");
  ask(child, "lane");
  assert_int_equal(child_number(child, 1), bytes);
}

static void expect_number(struct child *child, const char *line, uint64_t value) {
  ask(child, line);
  assert_int_equal(child_number(child, 1), value);
}

/** The device holds the contexts, the hog's memory and this; the jobs are charged nothing of it. */
static void expect_on_device(struct lane *lane, unsigned members, uint64_t bytes) {
  ask(&lane->hog, "used");
  assert_int_equal(child_number(&lane->hog, 1),
                   (members + 1) * CONTEXT_BYTES + lane->hog_mib * MIB + bytes);
  for (uint64_t job = 1; job <= 3; job++)
    assert_int_equal(node_in_use(lane->node, job, 0), 0);
  node_check(lane->node);
}

static struct sg_region *copy(struct node *node) {
  struct sg_region *r = aligned_alloc(64, schedgpu_snapshot_size());
  assert_non_null(r);
  assert_int_equal(schedgpu_admin_snapshot(node->admin, r, schedgpu_snapshot_size()), 0);
  return r;
}

/** The record of the process that maps memory of a lane. */
static struct sg_turn record_of(struct node *node, pid_t pid) {
  struct sg_region *r = copy(node);
  struct sg_turn found = {.door = 0};
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (r->client[i].state == SG_ACTIVE && r->client[i].pid == pid)
      found = r->turn[i];
  free(r);
  return found;
}

static void dies(struct lane *lane, struct child *child) {
  child_kill(child);
  assert_int_equal(schedgpu_admin_reap(lane->node->admin, NULL), 0);
}

/** Of jobs that share no memory: what is beyond the persistent memory waits for the turn. */
static void threads_that_allocate_wait_for_the_turn(void **state) {
  struct child child[2];
  struct node *node = *state;
  for (uint64_t i = 0; i < 2; i++) {
    lane_job(node, i + 1, (uint32_t)getuid(), 16 * GIB - 4 * CONTEXT_BYTES);
    child_start(&child[i], node,
                &(struct start){.program = "lane_program", .arguments = {"handle"}, .job = i + 1});
    ask(&child[i], "begin 0");
  }
  ask(&child[0], "turn -1");
  child_tell(&child[1], "alloc-by-two 40");
  node_await_turn_waiting(node, 1);
  usleep(300000); /* the second thread has asked, too */
  ask(&child[0], "end 0");
  assert_int_equal(child_answer(&child[1]), 0);
  node_check(node);
}

static void members_map_the_same_memory(void **state) {
  struct lane lane = room_for(*state, 2, LANE);
  struct child a = member(&lane, 1, LANE, QUIET), b = member(&lane, 2, LANE, QUIET);
  begins_with(&a, LANE);
  expect_on_device(&lane, 2, LANE);
  ask(&a, "fill 0 67108864 23");
  ask(&a, "end 0");
  begins_with(&b, LANE);
  expect_number(&b, "read 0", 23);
  expect_number(&b, "read 67108863", 23);
  ask(&b, "fill 67108863 1 24");
  ask(&b, "end 0");
  ask(&a, "turn -1");
  expect_number(&a, "read 67108863", 24);
  expect_on_device(&lane, 2, LANE);
}

static int calls(const struct child *child) {
  return child_said(child, "cuMemCreate") + child_said(child, "cuMemMap") +
         child_said(child, "cuMemUnmap") + child_said(child, "import memory") +
         child_said(child, "export memory");
}

static void a_switch_calls_no_driver(void **state) {
  struct lane lane = room_for(*state, 2, LANE);
  struct child a = member(&lane, 1, LANE, LOGGED), b = member(&lane, 2, LANE, LOGGED);
  begins_with(&a, LANE);
  ask(&a, "end 0");
  begins_with(&b, LANE);
  ask(&b, "end 0");
  int before_a = calls(&a), before_b = calls(&b);
  assert_true(before_a > 0 && before_b > 0);
  for (int i = 0; i < 3; i++) {
    begins_with(&a, LANE);
    ask(&a, "end 0");
    begins_with(&b, LANE);
    ask(&b, "end 0");
  }
  assert_int_equal(calls(&a), before_a);
  assert_int_equal(calls(&b), before_b);
}

static void the_memory_outlives_its_maker(void **state) {
  struct lane lane = room_for(*state, 2, LANE);
  struct child a = member(&lane, 1, LANE, QUIET), b = member(&lane, 2, LANE, QUIET);
  begins_with(&a, LANE);
  ask(&a, "fill 0 67108864 23");
  ask(&a, "end 0");
  begins_with(&b, LANE);
  ask(&b, "end 0");
  dies(&lane, &a);
  expect_on_device(&lane, 1, LANE);
  struct child c = member(&lane, 3, LANE, QUIET);
  begins_with(&c, LANE);
  expect_number(&c, "read 67108863", 23);
  expect_on_device(&lane, 2, LANE);
  dies(&lane, &b);
  dies(&lane, &c);
  expect_on_device(&lane, 0, 0);
}

/** The first member of a lane, and one that makes more for itself. */
static void new_memory_is_cleared(void **state) {
  struct lane lane = room_for(*state, 2, LANE + 32 * MIB);
  struct child a = member(&lane, 1, LANE, STALE), b = member(&lane, 2, LANE + 32 * MIB, STALE);
  begins_with(&a, LANE);
  expect_number(&a, "read-all", 0);
  ask(&a, "end 0");
  begins_with(&b, LANE + 32 * MIB);
  expect_number(&b, "read-all", 0);
  expect_on_device(&lane, 2, LANE + 32 * MIB);
}

static void members_of_other_sizes_share_what_they_have_in_common(void **state) {
  struct lane lane = room_for(*state, 2, 96 * MIB);
  struct child a = member(&lane, 1, 96 * MIB, QUIET), b = member(&lane, 2, LANE, QUIET);
  begins_with(&a, 96 * MIB);
  ask(&a, "fill 0 100663296 23");
  ask(&a, "end 0");
  begins_with(&b, LANE);
  expect_number(&b, "read 67108863", 23);
  ask(&b, "end 0");
  expect_on_device(&lane, 2, 96 * MIB);
  dies(&lane, &a);
  expect_on_device(&lane, 1, LANE); /* nobody else maps the rest, and the lane is smaller */
  struct child c = member(&lane, 3, 96 * MIB, QUIET);
  begins_with(&c, 96 * MIB);
  expect_number(&c, "read 67108863", 23);
  expect_number(&c, "read 67108864", 0);
  expect_on_device(&lane, 2, 96 * MIB);
}

static void a_member_has_no_more_by_itself_than_it_keeps(void **state) {
  struct lane lane = room_for(*state, 2, LANE);
  struct child a = member(&lane, 1, LANE, QUIET);
  assert_int_equal(child_ask(&a, "alloc 0 33"), OUT_OF_MEMORY);
  ask(&a, "turn -1");
  assert_int_equal(child_ask(&a, "alloc 0 33"), OUT_OF_MEMORY);
  expect_number(&a, "free-bytes", KEPT);
  ask(&a, "alloc 0 32");
  assert_int_equal(child_ask(&a, "alloc 1 1"), OUT_OF_MEMORY);
  assert_int_equal(node_in_use(lane.node, 1, 0), KEPT);
  assert_int_equal(child_said(&a,
                              "schedgpu: job 1 shares its lane and asked for 33 MiB on device 0 "
                              "beside it"),
                   1);
  assert_int_equal(child_said(&a, "with --schedgpu-persistent, or allocate in the lane\n"), 1);
  assert_int_equal(child_said(&a, "--schedgpu-mem"), 0);
  ask(&a, "free 0");
  ask(&a, "lane");
}

/** A second process, of which the job said nothing: its context is not waited for. */
/** As much is suggested for its next run, and what it had beside the lane is learned as kept. */
static void what_a_member_maps_is_in_its_peak(void **state) {
  struct lane lane = room_for(*state, 1, LANE);
  struct child a = member(&lane, 1, LANE, QUIET);
  begins_with(&a, LANE);
  ask(&a, "alloc 0 1");
  dies(&lane, &a);
  struct sg_region *r = copy(lane.node);
  const struct sg_job *job = &r->job[sg_job_find(r, SCHEDGPU_JOB_SLURM, 1)];
  assert_int_equal(job->peak_bytes[0], MIB + LANE);
  assert_int_equal(job->kept_bytes, MIB);
  free(r);
}

static void a_context_that_was_not_declared_is_named_as_such(void **state) {
  struct lane lane = room_for(*state, 1, LANE);
  struct child a = member(&lane, 1, LANE, QUIET), b;
  begins_with(&a, LANE);
  child_start(&b, lane.node,
              &(struct start){.program = "lane_program", .arguments = {"handle"}, .job = 1});
  assert_int_equal(child_ask(&b, "begin 0"), OUT_OF_MEMORY);
  assert_int_equal(child_said(&b, "declare its processes with --schedgpu-processes\n"), 1);
  assert_int_equal(child_said(&b, "--schedgpu-mem"), 0);
}

static void blocks_are_taken_in_the_first_gap(void **state) {
  struct lane lane = room_for(*state, 1, LANE);
  struct child a = member(&lane, 1, LANE, QUIET);
  assert_int_equal(child_ask(&a, "take 0 2"), OUT_OF_MEMORY); /* not in its turn */
  ask(&a, "turn -1");
  expect_number(&a, "take 0 20", 0);
  expect_number(&a, "take 1 20", 20);
  expect_number(&a, "take 2 24", 40);
  assert_int_equal(child_ask(&a, "take 3 1"), OUT_OF_MEMORY);
  ask(&a, "give 1");
  assert_int_equal(child_ask(&a, "take 3 21"), OUT_OF_MEMORY);
  expect_number(&a, "take 3 8", 20);
  expect_number(&a, "take 4 12", 28);
  ask(&a, "give 2");
  expect_number(&a, "take 2 24", 40);
  expect_on_device(&lane, 1, LANE);
}

static bool become_stranger(const struct node *node) {
  (void)node;
  return setgid(STRANGER) == 0 && setuid(STRANGER) == 0;
}

static void a_stranger_gets_no_descriptor(void **state) {
  if (geteuid() != 0)
    SKIP("a process of another user needs root");
  struct lane lane = room_for(*state, 1, LANE);
  struct child a = member(&lane, 1, LANE, QUIET), stranger;
  begins_with(&a, LANE);
  struct sg_turn record = record_of(lane.node, a.pid);
  assert_int_equal(record.lane_bytes, LANE);
  child_start(&stranger, lane.node,
              &(struct start){.program = "lane_program",
                              .arguments = {"handle"},
                              .without_preload = true,
                              .before_exec = become_stranger});
  /* to show that the question is right */
  assert_int_equal(child_ask(&lane.hog, "knock %u 0", record.door), sizeof(uint32_t));
  assert_int_equal(child_number(&lane.hog, 1), 1);
  assert_true(child_ask(&stranger, "knock %u 0", record.door) <= 0);
  assert_int_equal(child_number(&stranger, 1), 0);
  assert_true(child_ask(&lane.hog, "knock %u 7", record.door) <= 0); /* of another lane */
}

static bool unmap_users(const struct node *node) {
  (void)node;
  return unshare(CLONE_NEWUSER) == 0;
}

/** Inside, the stranger and the process itself both look like nobody. */
static void another_user_gets_no_descriptor_where_users_look_alike(void **state) {
  if (!machine_has("unshare -U true") || getuid() != 0)
    SKIP("a user namespace and another user need root");
  struct lane lane = room_for(*state, 2, LANE);
  struct child stranger, a;
  lane_job(lane.node, 1, 0, LANE);
  child_start(&a, lane.node,
              &(struct start){.program = "lane_program",
                              .arguments = {"handle"},
                              .job = 1,
                              .before_exec = unmap_users});
  ask(&a, "share 0");
  ask(&a, "begin 0");
  begins_with(&a, LANE);
  uint32_t door = record_of(lane.node, a.pid).door;
  assert_true(door != 0);
  child_start(&stranger, lane.node,
              &(struct start){.program = "lane_program",
                              .arguments = {"handle"},
                              .without_preload = true,
                              .before_exec = become_stranger});
  assert_true(child_ask(&stranger, "knock %u 0", door) <= 0);
  assert_int_equal(child_number(&stranger, 1), 0);
}

static bool leave_network(const struct node *node) {
  (void)node;
  return unshare(CLONE_NEWNET) == 0;
}

/** A process that cannot be reached: what it has would be on the device a second time. */
static void memory_that_a_process_does_not_pass_on_is_not_made_again(void **state) {
  if (!machine_has("unshare -n true"))
    SKIP("a network namespace needs root");
  struct lane lane = room_for(*state, 2, LANE);
  struct child far, b;
  lane_job(lane.node, 1, (uint32_t)getuid(), LANE);
  lane_job(lane.node, 2, (uint32_t)getuid(), LANE);
  child_start(&far, lane.node,
              &(struct start){.program = "lane_program",
                              .arguments = {"handle"},
                              .job = 1,
                              .before_exec = leave_network});
  child_start(&b, lane.node,
              &(struct start){.program = "lane_program",
                              .arguments = {"handle"},
                              .job = 2,
                              .preload_before = "libshort_pauses.so"});
  ask(&far, "share 0");
  ask(&far, "begin 0");
  ask(&b, "share 0");
  ask(&b, "begin 0");
  begins_with(&far, LANE);
  ask(&far, "end 0");
  ask(&b, "turn -1");
  assert_int_equal(child_ask(&b, "lane"), SCHEDGPU_ETIMEDOUT);
  assert_int_equal(child_said(&b, "does not pass it on"), 1);
  expect_on_device(&lane, 2, LANE);
  dies(&lane, &far);
  ask(&b, "lane");
  expect_on_device(&lane, 1, LANE);
}

static void a_forked_child_does_not_keep_the_memory(void **state) {
  struct lane lane = room_for(*state, 1, LANE);
  struct child a = member(&lane, 1, LANE, QUIET);
  begins_with(&a, LANE);
  ask(&a, "fork");
  int child = (int)child_number(&a, 1);
  dies(&lane, &a);
  expect_on_device(&lane, 0, 0);
  kill(child, SIGKILL);
}

static void what_the_driver_refuses_leaves_nothing(void **state) {
  struct lane lane = room_for(*state, 1, LANE);
  struct child a = member(&lane, 1, LANE, "EMULATED_GPU_FAIL=cuMemMap:999:1");
  ask(&a, "turn -1");
  assert_int_equal(child_ask(&a, "lane"), SCHEDGPU_ESYSTEM);
  assert_int_equal(child_said(&a, "cuMemMap returned 999"), 1);
  assert_int_equal(record_of(lane.node, a.pid).lane_bytes, 0);
  expect_on_device(&lane, 1, 0);
  ask(&a, "lane");
  expect_on_device(&lane, 1, LANE);
}

static void the_memory_is_for_iterations_of_a_shared_lane(void **state) {
  struct lane lane = room_for(*state, 2, LANE);
  struct child a = member(&lane, 1, LANE, QUIET);
  assert_int_equal(child_ask(&a, "lane"), SCHEDGPU_EINVAL); /* it has no lane yet */
  ask(&a, "turn -1");
  ask(&a, "end 0");
  assert_int_equal(child_ask(&a, "lane"), SCHEDGPU_ETURN);
  lane_job(lane.node, 2, (uint32_t)getuid(), LANE);
  struct child b;
  child_start(&b, lane.node,
              &(struct start){.program = "lane_program", .arguments = {"handle"}, .job = 2});
  ask(&b, "begin 0");
  ask(&b, "alloc 0 1");
  assert_int_equal(child_ask(&b, "share 0"), SCHEDGPU_EINVAL); /* too late */
  ask(&b, "turn -1");
  assert_int_equal(child_ask(&b, "lane"), SCHEDGPU_EINVAL);
  assert_int_equal(child_ask(&lane.hog, "share 0"), SCHEDGPU_EINVAL);
}

static struct child python_member(struct lane *lane, uint64_t job, const char *environment) {
  struct child child;
  char script[512], module[512], fakes[512];
  snprintf(script, sizeof script, "%s/shared_lane_program.py", PROGRAMS_DIR);
  snprintf(module, sizeof module, "%s/../../../../python/src", EMULATOR_DIR);
  snprintf(fakes, sizeof fakes, "%s/../../../../python/tests/fakes", EMULATOR_DIR);
  lane_job(lane->node, job, (uint32_t)getuid(), LANE);
  child_start(&child, lane->node,
              &(struct start){.program = "/usr/bin/env",
                              .arguments = {"python3", script, module, fakes},
                              .job = job,
                              .environment = environment});
  ask(&child, "share");
  ask(&child, "begin");
  return child;
}

/** On a stand-in for PyTorch: a second process finds its tensor where the first one had its own. */
static void tensors_of_python_are_in_the_lane(void **state) {
  if (!machine_has("python3 -c 'import ctypes'"))
    SKIP("no python3");
  struct lane lane = room_for(*state, 2, LANE);
  struct child a = python_member(&lane, 1, LOGGED), b = python_member(&lane, 2, QUIET);
  ask(&a, "enter");
  ask(&a, "tensor 20971520");
  ask(&a, "fill 23");
  ask(&a, "drop");
  child_tell(&b, "enter");
  ask(&a, "leave");
  assert_int_equal(child_answer(&b), 0);
  ask(&b, "tensor 20971520");
  expect_number(&b, "read", 23);
  ask(&b, "drop");
  expect_on_device(&lane, 2, LANE);
  ask(&b, "leave");
  int before = calls(&a);
  ask(&a, "enter");
  ask(&a, "tensor 20971520");
  expect_number(&a, "read", 23);
  assert_int_equal(calls(&a), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(threads_that_allocate_wait_for_the_turn),
      NODE_TEST(members_map_the_same_memory),
      NODE_TEST(a_switch_calls_no_driver),
      NODE_TEST(the_memory_outlives_its_maker),
      NODE_TEST(new_memory_is_cleared),
      NODE_TEST(members_of_other_sizes_share_what_they_have_in_common),
      NODE_TEST(a_member_has_no_more_by_itself_than_it_keeps),
      NODE_TEST(what_a_member_maps_is_in_its_peak),
      NODE_TEST(a_context_that_was_not_declared_is_named_as_such),
      NODE_TEST(blocks_are_taken_in_the_first_gap),
      NODE_TEST(a_stranger_gets_no_descriptor),
      NODE_TEST(another_user_gets_no_descriptor_where_users_look_alike),
      NODE_TEST(memory_that_a_process_does_not_pass_on_is_not_made_again),
      NODE_TEST(a_forked_child_does_not_keep_the_memory),
      NODE_TEST(what_the_driver_refuses_leaves_nothing),
      NODE_TEST(the_memory_is_for_iterations_of_a_shared_lane),
      NODE_TEST(tensors_of_python_are_in_the_lane),
  };
  return cmocka_run_group_tests_name("shared_lane", tests, NULL, NULL);
}
