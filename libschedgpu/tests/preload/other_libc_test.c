/*
 * The library in programs of older C libraries, as in containers: roots of glibc 2.23, 2.27 and
 * 2.31, where programs of all three ways of linking CUDA are held to their budgets; and in programs
 * of musl, which run as if it were not there. Skipped where the roots cannot be had or entered.
 */
#include "fixture.h"
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define JOB 12
#define NEIGHBOUR 13
#define OUT_OF_MEMORY 2
static const char *const versions[] = {"2.23", "2.27", "2.31"};
static const char *missing; /* why there are no roots */
static char root[PATH_MAX]; /* what enter() enters */

/** How CUDA is linked; programs that were built for glibc 2.17. */
static const struct start ways[] = {
    {.program = "old/driver_linked", .arguments = {"linked"}},
    {.program = "old/driver_looked_up", .arguments = {"handle"}},
    {.program = "old/runtime_shared_12"},
    {.program = "old/runtime_static"},
    {.program = "old/driver_looked_up",
     .arguments = {"handle"},
     .libraries = "proxy",
     .without_preload = true},
};
#define WAYS (sizeof ways / sizeof *ways)

static bool same_path_inside(const char *folder) {
  char inside[2 * PATH_MAX], command[3 * PATH_MAX];
  snprintf(inside, sizeof inside, "%s%s", root, folder);
  snprintf(command, sizeof command, "mkdir -p '%s'", inside);
  return system(command) == 0 && mount(folder, inside, NULL, MS_BIND | MS_REC, NULL) == 0;
}

static bool enter(const struct node *node) {
  char library[] = PRELOAD_LIBRARY;
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         unsetenv("LD_PRELOAD") == 0 && same_path_inside("/proc") && same_path_inside("/dev") &&
         same_path_inside(node->dir) && same_path_inside(EMULATOR_DIR) &&
         same_path_inside(dirname(library)) && chroot(root) == 0 && chdir("/") == 0;
}

#define FOR_EACH_ROOT(version)                                                                     \
  if (missing) {                                                                                   \
    print_message("skipped: %s\n", missing);                                                       \
    skip();                                                                                        \
  }                                                                                                \
  for (const char *const *version = versions;                                                      \
       version < versions + sizeof versions / sizeof *versions &&                                  \
       snprintf(root, sizeof root, "%s/%s", ROOTS_DIR, *version) > 0;                              \
       version++)

static void start_in_root(struct child *child, struct node *node, const struct start *way,
                          uint64_t job) {
  struct start how = *way;
  how.job = job;
  how.before_exec = enter;
  child_start(child, node, &how);
  if (how.arguments[0])
    assert_int_equal(child_ask(child, "begin 0"), 0);
}

/* With all that is shipped for a process to load. */
static void ordinary_programs_notice_nothing(void **state) {
  FOR_EACH_ROOT(version) {
    struct child child;
    child_start(&child, *state,
                &(struct start){.program = "/bin/sh",
                                .arguments = {"-ec", "/bin/ls -d / && /bin/echo $LD_PRELOAD"},
                                .job = JOB,
                                .preload_before = "../../../libschedgpu-launches.so",
                                .preload_after = "../../../libschedgpu.so.0",
                                .environment = "LD_BIND_NOW=1",
                                .before_exec = enter});
    child_answer(&child);
    assert_string_equal(child.line, "/");
    child_answer(&child);
    assert_non_null(strstr(child.line, PRELOAD_LIBRARY));
    assert_int_equal(child_end(&child), 0);
    assert_int_equal(child_said(&child, ""), 0);
  }
}

static void schedgpu_run_starts(void **state) {
  FOR_EACH_ROOT(version) {
    struct child child;
    child_start(&child, *state,
                &(struct start){.program = PROGRAMS_DIR "/../../../schedgpu-run",
                                .without_preload = true,
                                .before_exec = enter});
    assert_int_equal(child_end(&child), 2);
    assert_int_equal(child_said(&child, "schedgpu run: "), 1);
  }
}

static void budget_holds(void **state) {
  node_job(*state, JOB, GIB, SCHEDGPU_FOREVER);
  FOR_EACH_ROOT(version) for (size_t i = 0; i < WAYS; i++) {
    struct child child;
    start_in_root(&child, *state, &ways[i], JOB);
    expect_charged_to(*state, JOB, &child);
    assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(2 * GIB)),
                     OUT_OF_MEMORY);
    assert_int_equal(child_said(&child, ""), 1);
    assert_int_equal(child_said(&child, "budget"), 1);
    assert_int_equal(child_end(&child), 0);
  }
}

static void queue_is_the_same_as_outside(void **state) {
  struct node *node = *state;
  node_job_ondemand(node, JOB, 0, SCHEDGPU_FOREVER, 1);
  node_job_ondemand(node, NEIGHBOUR, 0, SCHEDGPU_FOREVER, 1);
  FOR_EACH_ROOT(version) for (size_t i = 0; i < WAYS; i++) {
    struct child outside, inside;
    start_driver_program(&outside, node, NEIGHBOUR);
    assert_int_equal(child_ask(&outside, "alloc 0 %llu", (unsigned long long)(12 * GIB)), 0);
    start_in_root(&inside, node, &ways[i], JOB);
    child_tell(&inside, "alloc 0 %llu", (unsigned long long)(8 * GIB));
    node_await_waiting(node, 0, 1);
    assert_int_equal(child_ask(&outside, "free 0"), 0);
    assert_int_equal(child_answer(&inside), 0);
    assert_int_equal(node_in_use(node, JOB, 0), 8 * GIB);
    assert_int_equal(child_end(&inside), 0);
    assert_int_equal(child_end(&outside), 0);
  }
}

static const struct start in_musl[] = {
    {.program = "musl/driver_linked", .arguments = {"linked"}},
    {.program = "musl/driver_looked_up", .arguments = {"handle"}},
    {.program = "musl/driver_looked_up", .arguments = {"default"}},
};

static void run_in_musl(struct child *child, struct node *node, const struct start *way,
                        const char *environment) {
  struct start how = *way;
  if (access(PROGRAMS_DIR "/musl/driver_linked", X_OK) != 0)
    SKIP("no musl-gcc here");
  how.job = JOB;
  how.libraries = "musl";
  how.environment = environment;
  child_start(child, node, &how);
  assert_int_equal(child_ask(child, "begin 0"), 0);
}

static void program_of_musl_runs_as_without_us(void **state) {
  node_job(*state, JOB, GIB, SCHEDGPU_FOREVER);
  for (size_t i = 0; i < sizeof in_musl / sizeof *in_musl; i++) {
    struct child child;
    run_in_musl(&child, *state, &in_musl[i], NULL);
    assert_int_equal(child_ask(&child, "alloc 0 %llu", (unsigned long long)(2 * GIB)), 0);
    assert_int_equal(child_ask(&child, "free 0"), 0);
    assert_int_equal(child_end(&child), 0);
    assert_int_equal(child_said(&child, ""), 1);
    assert_int_equal(child_said(&child, "this program's is not glibc; running without scheduling"),
                     1);
  }
}

static void program_of_musl_is_refused_where_the_site_says_so(void **state) {
  struct child child;
  node_job(*state, JOB, GIB, SCHEDGPU_FOREVER);
  run_in_musl(&child, *state, &in_musl[1], "SCHEDGPU_ON_FAILURE=refuse");
  assert_int_not_equal(child_ask(&child, "alloc 0 4096"), 0);
  assert_int_equal(child_said(&child, "not glibc; refusing device memory"), 1);
}

static int get_roots(void **state) {
  static char reason[512];
  (void)state;
  if (geteuid() != 0) {
    missing = "not root, who alone may enter the roots of older systems";
    return 0;
  }
  FILE *fetch = popen(FETCH_ROOTS " " ROOTS_DIR " 2>&1", "r");
  if (!fetch)
    return -1;
  while (fgets(reason, sizeof reason, fetch))
    reason[strcspn(reason, "\n")] = '\0';
  missing = pclose(fetch) == 0 ? NULL : reason;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(ordinary_programs_notice_nothing),
      NODE_TEST(schedgpu_run_starts),
      NODE_TEST(budget_holds),
      NODE_TEST(queue_is_the_same_as_outside),
      NODE_TEST(program_of_musl_runs_as_without_us),
      NODE_TEST(program_of_musl_is_refused_where_the_site_says_so),
  };
  return cmocka_run_group_tests_name("other C libraries", tests, get_roots, NULL);
}
