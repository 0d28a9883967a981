/*
 * NVIDIA's own libcuda, NVML and nvidia-smi of two drivers, on a machine without a GPU: they answer
 * the same with the library and without it, but for the functions that it replaces. Skipped where
 * the drivers cannot be had.
 */
#include "fixture.h"
#include "hooks.h"
#include "private_dev.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOB 12
#define FOLDER USERLAND_DIR
static const char *const drivers[] = {"535", "550"};
static const char *missing; /* why there is no driver */

#define FOR_EACH_DRIVER(name)                                                                      \
  if (missing) {                                                                                   \
    print_message("skipped: %s\n", missing);                                                       \
    skip();                                                                                        \
  }                                                                                                \
  for (const char *const *name = drivers; name < drivers + sizeof drivers / sizeof *drivers; name++)

static const char *const hooked[] = {
#define NAME(name, ...) #name,
    SGP_HOOKS(NAME) SGP_NVML_HOOKS(NAME)
#undef NAME
};

static bool is_hooked(const char *name) {
  for (size_t i = 0; i < sizeof hooked / sizeof *hooked; i++)
    if (strcmp(hooked[i], name) == 0)
      return true;
  return false;
}

/* In the node's folder, valid until the fourth call after it. */
static const char *in(const struct node *node, const char *name) {
  static char path[4][160];
  static unsigned turn;
  char *text = path[turn++ % 4];
  snprintf(text, sizeof path[0], "%s/%s", node->dir, name);
  return text;
}

enum way { PLAIN, PRELOADED, IN_A_JOB, WAYS };
static const char *const file_of[WAYS] = {"plain", "preloaded", "job"};

/* Writes what the program prints to a file of the node, and what it says to another. */
static int run(struct node *node, const char *driver, enum way way, const struct start *how) {
  char libraries[256], path[160];
  struct child child;
  struct start start = *how;
  snprintf(libraries, sizeof libraries, "../../../userland/%s", driver);
  start.libraries = libraries;
  start.without_preload = way == PLAIN;
  start.job = way == IN_A_JOB ? JOB : 0;
  child_start(&child, node, &start);
  snprintf(path, sizeof path, "%s", in(node, file_of[way]));
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  char part[65536];
  for (ssize_t got; (got = read(child.from, part, sizeof part)) > 0;)
    assert_int_equal(fwrite(part, 1, (size_t)got, file), got);
  fclose(file);
  int status = child_end(&child);
  if (way != PLAIN && child_said(&child, "schedGPU"))
    fail_msg("the library says something, see %s", child.errors);
  return status;
}

static void expect_the_same(struct node *node, const char *driver, const struct start *how) {
  int status[WAYS];
  for (enum way way = PLAIN; way < WAYS; way++) {
    char command[512];
    status[way] = run(node, driver, way, how);
    assert_int_equal(status[way], status[PLAIN]);
    snprintf(command, sizeof command, "test -s %s && diff %s %s >&2", in(node, file_of[PLAIN]),
             in(node, file_of[PLAIN]), in(node, file_of[way]));
    if (system(command) != 0)
      fail_msg("driver %s, %s %s: see the lines above", driver, how->program,
               how->arguments[0] ? how->arguments[0] : "");
  }
  assert_true(status[PLAIN] < 126);
  assert_int_equal(node_in_use(node, JOB, 0), 0);
  assert_int_equal(node_contexts(node, JOB, 0), 0);
  node_check(node);
}

/* A name that the table lacks is a function without a treatment. cudbg*: the debugger's. */
static void all_exports_are_known(void **state) {
  FOR_EACH_DRIVER(driver) {
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && nm -D --defined-only " FOLDER "/%s/libcuda.so.1 | "
             "awk '$3 ~ /^cu[A-Z]/ {print $3}' | LC_ALL=C sort -u >exports && test -s exports && "
             "cut -f1 " ENTRY_POINTS
             " | LC_ALL=C comm -23 exports - >unknown && ! grep . unknown >&2",
             ((struct node *)*state)->dir, *driver);
    if (system(command) != 0)
      fail_msg("driver %s exports the names above, which " ENTRY_POINTS " lacks", *driver);
  }
}

/* Splits "QUESTION: ANSWER, FILE NAME" before the file. */
static char *function_in(char *line) {
  line[strcspn(line, "\n")] = '\0';
  char *at = strrchr(line, ' ');
  if (!at)
    return line;
  while (at > line && at[-1] != ' ')
    at--;
  return at;
}

/* 1: it was replaced by our function of that very name; 0: it is the same; -1: wrong. */
static int compare(char *plain, char *ours) {
  char *his = function_in(plain), *mine = function_in(ours);
  char *name = strrchr(his, ' '), *our_name = strrchr(mine, ' ');
  bool replaced = name && strncmp(his, "lib", 3) == 0 && is_hooked(name + 1);
  if (!replaced)
    return strcmp(plain, ours) == 0 ? 0 : -1;
  return our_name && strcmp(name, our_name) == 0 &&
                 strncmp(mine, "libschedgpu-preload.so ", 23) == 0 && his - plain == mine - ours &&
                 strncmp(plain, ours, (size_t)(his - plain)) == 0
             ? 1
             : -1;
}

static void compare_look_ups(struct node *node, const char *driver) {
  char *line[2] = {NULL, NULL};
  size_t size[2] = {0, 0};
  long count[2] = {0, 0};
  FILE *file[2] = {fopen(in(node, file_of[PLAIN]), "r"), fopen(in(node, file_of[IN_A_JOB]), "r")};
  assert_true(file[0] && file[1]);
  while (getline(&line[0], &size[0], file[0]) > 0) {
    assert_true(getline(&line[1], &size[1], file[1]) > 0);
    int result = compare(line[0], line[1]);
    if (result < 0)
      fail_msg("driver %s: \"%s\" became \"%s\"", driver, line[0], line[1]);
    count[result]++;
  }
  assert_true(getline(&line[1], &size[1], file[1]) < 0);
  assert_true(count[1] > 5000 && count[0] > 50000);
  for (int i = 0; i < 2; i++) {
    fclose(file[i]);
    free(line[i]);
  }
}

static void only_hooked_functions_are_replaced(void **state) {
  FOR_EACH_DRIVER(driver) {
    char command[1024], names[160];
    snprintf(names, sizeof names, "%s", in(*state, "names"));
    snprintf(command, sizeof command,
             "{ cut -f1 " ENTRY_POINTS "; nm -D --defined-only " FOLDER "/%s/libcuda.so.1 " FOLDER
             "/%s/libnvidia-ml.so.1 | awk '$3 ~ /^(cu|nvml)[A-Z]/ {print $3}'; } | "
             "sed -E 'p; s/(_v[2-9])?(_pt[sd][sz])?$//' | sort -u >%s",
             *driver, *driver, names);
    assert_int_equal(system(command), 0);
    node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
    struct start how = {.program = "userland_program", .arguments = {"lookups", names}};
    for (enum way way = PLAIN; way < WAYS; way += IN_A_JOB)
      assert_int_equal(run(*state, *driver, way, &how), 0);
    compare_look_ups(*state, *driver);
    tear_down(state);
    set_up(state);
  }
}

/* The same in one process, behind the hooks. */
static void look_ups_behind_the_hooks_agree(void **state) {
  FOR_EACH_DRIVER(driver) {
    char libraries[256];
    struct child child;
    snprintf(libraries, sizeof libraries, "../../../userland/%s", *driver);
    child_start(&child, *state,
                &(struct start){.program = "procaddress_program", .libraries = libraries});
    child_answer(&child);
    assert_true(child_number(&child, 1) > 10000);
    assert_int_equal(child_number(&child, 2), 0);
    assert_int_equal(child_number(&child, 4), 1);
  }
}

static void expect_all(void **state, const struct start *how) {
  FOR_EACH_DRIVER(driver) {
    node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
    expect_the_same(*state, *driver, how);
    tear_down(state);
    set_up(state);
  }
}

static void calls_are_answered_the_same(void **state) {
  expect_all(state, &(struct start){.program = "userland_program", .arguments = {"calls"}});
}

static void expect_runtime(void **state, const char *program) {
  char path[512];
  snprintf(path, sizeof path, PROGRAMS_DIR "/%s", program);
  if (access(path, X_OK) != 0)
    SKIP("no nvcc, or it cannot build the program");
  expect_all(state, &(struct start){.program = program});
}
static void shared_runtime_is_answered_the_same(void **state) {
  expect_runtime(state, "userland_runtime_shared");
}
static void static_runtime_is_answered_the_same(void **state) {
  expect_runtime(state, "userland_runtime_static");
}

static void nvidia_smi_says_the_same(void **state) {
  static const char *const forms[][2] = {
      {NULL}, {"-L"}, {"-q"}, {"topo", "-m"}, {"--query-gpu=memory.used", "--format=csv"}};
  FOR_EACH_DRIVER(driver) {
    char program[512];
    snprintf(program, sizeof program, FOLDER "/%s/nvidia-smi", *driver);
    node_job(*state, JOB, 8 * GIB, SCHEDGPU_FOREVER);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
      expect_the_same(*state, *driver,
                      &(struct start){.program = program, .arguments = {forms[i][0], forms[i][1]}});
    tear_down(state);
    set_up(state);
  }
}

/* Used by root, both libraries make the control device, with or without a kernel module. It must be
 * in our /dev alone. */
static void control_device_is_made_in_a_dev_of_our_own(void **state) {
  FOR_EACH_DRIVER(driver) {
    unlink("/dev/nvidiactl");
    run(*state, *driver, PLAIN,
        &(struct start){.program = "userland_program", .arguments = {"calls"}});
    assert_int_equal(access("/dev/nvidiactl", F_OK), geteuid() == 0 ? 0 : -1);
  }
}

static const char *find_drivers(void) {
  static char line[512] = "tests/preload/fetch-userland does not run";
  FILE *output = popen(FETCH_USERLAND " " FOLDER " 2>&1", "r");
  while (output && fgets(line, sizeof line, output))
    line[strcspn(line, "\n")] = '\0';
  if (output && pclose(output) == 0)
    return NULL;
  return line;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      NODE_TEST(all_exports_are_known),
      NODE_TEST(only_hooked_functions_are_replaced),
      NODE_TEST(look_ups_behind_the_hooks_agree),
      NODE_TEST(calls_are_answered_the_same),
      NODE_TEST(shared_runtime_is_answered_the_same),
      NODE_TEST(static_runtime_is_answered_the_same),
      NODE_TEST(nvidia_smi_says_the_same),
      NODE_TEST(control_device_is_made_in_a_dev_of_our_own),
  };
  missing = find_drivers();
  if (!missing)
    missing = private_dev_enter();
  return cmocka_run_group_tests_name("userland", tests, NULL, NULL);
}
