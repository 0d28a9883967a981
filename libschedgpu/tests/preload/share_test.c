/*
 * Memory of cuMemCreate that two processes use. It is charged once, to the job of the process that
 * created it. What the device holds beyond all reservations is what NVML shows as unreserved.
 */
#include "device_account.h"
#include <string.h>

#define GRAIN (2 * MIB)
#define MAKER JOB
#define USER 13
#define INVALID_VALUE 1

struct pair {
  struct node *node;
  struct child maker, user;
};

static char socket_path[128];

static void begin(struct child *child, struct node *node, uint64_t job) {
  snprintf(socket_path, sizeof socket_path, "DESCRIPTOR_SOCKET=%s/descriptors", node->dir);
  child_start(child, node,
              &(struct start){.program = "physical_program",
                              .arguments = {"get"},
                              .job = job,
                              .environment = socket_path});
  ask(child, "begin 0");
  ask(child, "reserve 0 64");
}

/* Two processes; the second is of `user_job`. */
static void begin_pair(struct pair *pair, struct node *node, uint64_t user_job) {
  pair->node = node;
  begin(&pair->maker, node, MAKER);
  begin(&pair->user, node, user_job);
  ask(&pair->user, "listen");
}

static struct pair two_jobs(struct node *node) {
  struct pair pair;
  node_job(node, MAKER, 4 * GIB, SCHEDGPU_FOREVER);
  node_job(node, USER, 4 * GIB, SCHEDGPU_FOREVER);
  begin_pair(&pair, node, USER);
  return pair;
}

/* The first creates 3 grains and maps them, the second maps them too; nothing else refers to them.
 */
static void share_three_grains(struct pair *pair) {
  ask(&pair->maker, "create-shareable 0 3");
  ask(&pair->maker, "map 0 0 3 0");
  ask(&pair->maker, "access 0 0 3");
  ask(&pair->maker, "export 0 0");
  ask(&pair->maker, "send 0");
  ask(&pair->maker, "close 0");
  ask(&pair->maker, "release 0");
  ask(&pair->user, "receive 0");
  ask(&pair->user, "import 0 0");
  ask(&pair->user, "close 0");
  ask(&pair->user, "map 0 0 3 0");
  ask(&pair->user, "access 0 0 3");
  ask(&pair->user, "release 0");
}

static void expect_charged_grains(struct node *node, uint64_t maker, uint64_t user) {
  assert_int_equal(node_in_use(node, MAKER, 0), maker * GRAIN);
  assert_int_equal(node_in_use(node, USER, 0), user * GRAIN);
  node_check(node);
}

/* The grains that the device holds beside the contexts of so many processes. */
static void expect_on_device(struct child *child, unsigned contexts, uint64_t grains) {
  ask(child, "used");
  assert_int_equal(child_number(child, 1), contexts * CONTEXT_BYTES + grains * GRAIN);
}

static void expect_content(struct child *child, unsigned value) {
  ask(child, "read 0 2");
  assert_int_equal(child_number(child, 1), value * 256 + value);
}

static void end_job_of_maker(struct pair *pair) {
  child_kill(&pair->maker);
  assert_int_equal(schedgpu_admin_reap(pair->node->admin, NULL), 0);
}

static void memory_of_two_jobs_is_charged_to_its_maker(void **state) {
  struct pair pair = two_jobs(*state);
  share_three_grains(&pair);
  expect_charged_grains(pair.node, 3, 0);
  expect_on_device(&pair.user, 2, 3);
  ask(&pair.maker, "fill 0 2 77");
  expect_content(&pair.user, 77);
  ask(&pair.user, "fill 0 2 78");
  expect_content(&pair.maker, 78);
  ask(&pair.user, "unmap 0 0 3");
  expect_charged_grains(pair.node, 3, 0);
  ask(&pair.maker, "unmap 0 0 3");
  expect_charged_grains(pair.node, 0, 0);
  expect_on_device(&pair.user, 2, 0);
}

static void memory_of_two_processes_of_a_job_is_charged_once(void **state) {
  struct pair pair;
  node_job(*state, JOB, 4 * GIB, SCHEDGPU_FOREVER);
  begin_pair(&pair, *state, JOB);
  share_three_grains(&pair);
  assert_int_equal(node_in_use(pair.node, JOB, 0), 3 * GRAIN);
  expect_on_device(&pair.user, 2, 3);
}

static void memory_of_a_killed_maker_is_unreserved(void **state) {
  struct pair pair = two_jobs(*state);
  share_three_grains(&pair);
  ask(&pair.maker, "fill 0 2 77");
  end_job_of_maker(&pair);
  expect_charged_grains(pair.node, 0, 0);
  expect_on_device(&pair.user, 1, 3); /* NVML shows 3 grains that nobody reserved */
  expect_content(&pair.user, 77);
  ask(&pair.user, "retain 0 0 1");
  ask(&pair.user, "unmap 0 0 3");
  expect_on_device(&pair.user, 1, 3);
  ask(&pair.user, "release 1");
  expect_on_device(&pair.user, 1, 0);
  expect_charged_grains(pair.node, 0, 0);
}

static void released_by_its_maker_it_is_unreserved(void **state) {
  struct pair pair = two_jobs(*state);
  share_three_grains(&pair);
  ask(&pair.maker, "unmap 0 0 3");
  expect_charged_grains(pair.node, 0, 0);
  expect_on_device(&pair.maker, 2, 3);
  ask(&pair.user, "unmap 0 0 3");
  expect_on_device(&pair.maker, 2, 0);
}

/* So a job with a small budget can use a large lent block. */
static void import_is_not_refused_by_the_budget(void **state) {
  struct pair pair;
  node_job(*state, MAKER, 4 * GIB, SCHEDGPU_FOREVER);
  node_job(*state, USER, 2 * GRAIN, SCHEDGPU_FOREVER);
  begin_pair(&pair, *state, USER);
  share_three_grains(&pair);
  ask(&pair.user, "create 5 2");
  expect_charged_grains(pair.node, 3, 2);
  ask(&pair.user, "unmap 0 0 3");
  ask(&pair.user, "release 5");
  expect_charged_grains(pair.node, 3, 0);
}

/* The driver does not tell that it is the same memory. */
static void import_of_own_memory_costs_nothing(void **state) {
  struct pair pair = two_jobs(*state);
  ask(&pair.maker, "create-shareable 0 3");
  ask(&pair.maker, "export 0 0");
  ask(&pair.maker, "import 0 1");
  ask(&pair.maker, "import 0 2");
  ask(&pair.maker, "close 0");
  ask(&pair.maker, "map 0 0 3 1");
  expect_charged_grains(pair.node, 3, 0);
  ask(&pair.maker, "release 1");
  ask(&pair.maker, "release 2");
  ask(&pair.maker, "unmap 0 0 3");
  expect_charged_grains(pair.node, 3, 0);
  ask(&pair.maker, "release 0");
  expect_charged_grains(pair.node, 0, 0);
  expect_on_device(&pair.maker, 2, 0);
}

static void the_drivers_errors_pass(void **state) {
  struct pair pair = two_jobs(*state);
  ask(&pair.maker, "create 0 1");
  assert_int_equal(child_ask(&pair.maker, "export 0 0"), INVALID_VALUE);
  assert_int_equal(child_ask(&pair.maker, "import-number 0 1"), INVALID_VALUE); /* stdin */
  assert_int_equal(child_ask(&pair.maker, "import-number 999 1"), INVALID_VALUE);
  expect_charged_grains(pair.node, 1, 0);
}

static void nobody_reads_what_another_job_left(void **state) {
  struct pair pair = two_jobs(*state);
  share_three_grains(&pair);
  ask(&pair.maker, "fill 0 2 77");
  ask(&pair.user, "unmap 0 0 3");
  end_job_of_maker(&pair);
  expect_on_device(&pair.user, 1, 0);
  for (int shareable = 0; shareable < 2; shareable++) {
    ask(&pair.user, shareable ? "create-shareable 0 3" : "create 0 3");
    ask(&pair.user, "map 0 0 3 0");
    ask(&pair.user, "access 0 0 3");
    expect_content(&pair.user, 0);
    ask(&pair.user, "unmap 0 0 3");
    ask(&pair.user, "release 0");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(memory_of_two_jobs_is_charged_to_its_maker),
      NODE_TEST(memory_of_two_processes_of_a_job_is_charged_once),
      NODE_TEST(memory_of_a_killed_maker_is_unreserved),
      NODE_TEST(released_by_its_maker_it_is_unreserved),
      NODE_TEST(import_is_not_refused_by_the_budget),
      NODE_TEST(import_of_own_memory_costs_nothing),
      NODE_TEST(the_drivers_errors_pass),
      NODE_TEST(nobody_reads_what_another_job_left),
  };
  return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
