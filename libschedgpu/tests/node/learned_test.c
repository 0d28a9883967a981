/* learned_test.c - learned budgets from a table, and from a table that is wrong. */
#include "../conf/conf_testing.h"
#include "../../node/learned.h"
#include "schedgpu/conf_text.h"
#include <errno.h>
#include <sys/stat.h>

#define MINE 1000

static struct sg_conf conf;
static struct sg_conf_devices devices;
static struct sg_job_options options;
static struct schedgpu_job_spec spec;
static char notice[512], error[1024], table[PATH_MAX + 16];

static void write_table(const char *text) {
  FILE *file = fopen(table, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int set_up(void **state) {
  (void)state;
  sg_conf_defaults(&conf);
  conf.learned_mem = true;
  memset(&options, 0, sizeof options);
  devices.count = 0;
  add_device(&devices, 0, 16 * GIB, 0, 4);
  add_device(&devices, 1, 2 * GIB, 4, 4);
  strcpy(conf.run_dir, "/tmp/schedgpu-test-XXXXXX");
  assert_non_null(mkdtemp(conf.run_dir));
  snprintf(table, sizeof table, "%s/learned", conf.run_dir);
  write_table("schedgpu-learned 1\n"
              "# user, bytes of each device, name of the job\n"
              "1001 1073741824 train\n"
              "1000 3221225472 train\n"
              "1000 1073741824 train the second\n");
  strcpy(options.job_name, "train");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(table);
  return rmdir(conf.run_dir);
}

static uint64_t learned(void) {
  return sg_learned_bytes(&conf, &options, MINE);
}

static int decide(const char *gpus) {
  uint16_t index[16];
  int count = sg_parse_index_list(gpus, index, 16);
  return sg_decide_job(&conf, &devices, &options, 42, MINE, index, (uint32_t)count, &spec, notice,
                       sizeof notice, error, sizeof error);
}

static void a_line_is_of_a_user_and_a_name(void **state) {
  (void)state;
  assert_true(learned() == 3 * GIB);
  assert_true(sg_learned_bytes(&conf, &options, 1001) == 1 * GIB);
  assert_true(sg_learned_bytes(&conf, &options, 1002) == 0);
  strcpy(options.job_name, "train the second");
  assert_true(learned() == 1 * GIB);
  strcpy(options.job_name, "trai");
  assert_true(learned() == 0);
  strcpy(options.job_name, "");
  assert_true(learned() == 0);
}

static void only_default_mem_learned_reads_the_table(void **state) {
  (void)state;
  conf.learned_mem = false;
  assert_true(learned() == 0);
}

/** A learned budget that is too small must not end the job: the job waits for more, as only mode
 * peak allows. */
static void a_learned_budget_can_grow(void **state) {
  (void)state;
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  assert_true(spec.budget_bytes[0] == 3 * GIB);
  assert_int_equal(spec.flags, SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
  assert_string_equal(spec.name, "train");
}

static void the_options_of_a_job_go_first(void **state) {
  (void)state;
  strcpy(options.mem, "5G");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.budget_bytes[0] == 5 * GIB);
  assert_int_equal(spec.flags, 0);
  strcpy(options.mem, "");
  strcpy(options.overflow, "fail");
  assert_true(learned() == 0);
  strcpy(options.overflow, "wait");
  assert_true(learned() == 3 * GIB);
  strcpy(options.mode, "ondemand");
  assert_true(learned() == 0);
  strcpy(options.mode, "gate");
  assert_true(learned() == 0);
}

static void unknown_jobs_get_the_fallback(void **state) {
  (void)state;
  strcpy(options.job_name, "new");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_ONDEMAND);
  strcpy(conf.default_mem, "2G");
  assert_int_equal(decide("1"), 0);
  assert_int_equal(spec.mode, SCHEDGPU_MODE_PEAK);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
  assert_int_equal(spec.flags, 0);
}

/** A default refuses no job. */
static void a_learned_budget_is_capped_to_the_limit(void **state) {
  (void)state;
  strcpy(conf.max_mem, "1G");
  assert_int_equal(decide("1"), 0);
  assert_true(spec.budget_bytes[0] == 1 * GIB);
  strcpy(conf.max_mem, "100%");
  assert_int_equal(decide("1,5"), 0);
  assert_true(spec.budget_bytes[0] == 3 * GIB);
  assert_true(spec.budget_bytes[1] == 2 * GIB - 256 * MIB);
}

static void a_device_without_free_memory_is_reported(void **state) {
  (void)state;
  strcpy(conf.safety_margin, "100%");
  assert_int_equal(decide("1"), SCHEDGPU_ETOOBIG);
  assert_non_null(strstr(error, "DefaultMem=learned is more than device 0 can give"));
}

static void a_table_that_others_may_write_is_ignored(void **state) {
  (void)state;
  assert_int_equal(chmod(table, 0666), 0);
  assert_true(learned() == 0);
  assert_int_equal(chmod(table, 0664), 0);
  assert_true(learned() == 0);
  assert_int_equal(chmod(table, 0644), 0);
  assert_true(learned() == 3 * GIB);
}

static void a_table_of_another_user_is_ignored(void **state) {
  (void)state;
  if (geteuid() != 0)
    skip(); /* only root can give a file away */
  assert_int_equal(chown(table, MINE, MINE), 0);
  assert_true(learned() == 0);
}

static void a_link_is_not_followed(void **state) {
  (void)state;
  char other[PATH_MAX + 32];
  snprintf(other, sizeof other, "%s.other", table);
  assert_int_equal(rename(table, other), 0);
  assert_int_equal(symlink(other, table), 0);
  assert_true(learned() == 0);
  unlink(other);
}

static void an_invalid_table_is_ignored(void **state) {
  (void)state;
  write_table("schedgpu-learned 2\n1000 3221225472 train\n");
  assert_true(learned() == 0);
  write_table("");
  assert_true(learned() == 0);
  write_table("schedgpu-learned 1\n1000 much train\n1000  1 train\n-1000 7 train\n1000 7train\n"
              "1000 99999999999999999999 train\n1000 4096 train");
  assert_true(learned() == 4096);
  unlink(table);
  assert_true(learned() == 0);
  assert_int_equal(mkdir(table, 0755), 0);
  assert_true(learned() == 0);
  rmdir(table);
}

static void names_are_cut_between_characters(void **state) {
  (void)state;
  char name[80];
  memset(name, 'x', 62);
  strcpy(name + 62, "\xc3\xa4y"); /* a two-byte character over the end */
  sg_take_job_name(&options, name);
  assert_int_equal(strlen(options.job_name), 62);
  sg_take_job_name(&options, name + 1);
  assert_int_equal(strlen(options.job_name), 63);
  sg_take_job_name(&options, "a\nb\x1b[c\x7f");
  assert_string_equal(options.job_name, "a_b_[c_");
}

static int agent_writes(uint32_t count, const char *names) {
  static const uint32_t uid[] = {MINE, 4294967294, MINE};
  static const uint64_t bytes[] = {5 * GIB, 1 * GIB, 7 * GIB};
  return schedgpu_learned_write(conf.run_dir, SCHEDGPU_LEARNED_BUDGETS, uid, bytes, names, count,
                                error, sizeof error);
}

static ino_t inode(void) {
  struct stat st;
  assert_int_equal(stat(table, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  return st.st_ino;
}

static void what_the_agent_writes_is_what_is_read(void **state) {
  (void)state;
  assert_int_equal(agent_writes(3, "train\0x\0train it"), SCHEDGPU_OK);
  assert_true(learned() == 5 * GIB);
  assert_true(sg_learned_bytes(&conf, &options, 1001) == 0);
  strcpy(options.job_name, "train it");
  assert_true(learned() == 7 * GIB);
  strcpy(options.job_name, "x");
  assert_true(sg_learned_bytes(&conf, &options, 4294967294) == 1 * GIB);
  inode();
}

/** A name such as "a\n0 9999 b" would be a line for root's job b. */
static void a_name_with_control_characters_is_left_out(void **state) {
  (void)state;
  assert_int_equal(agent_writes(3, "a\n1000 4096 train\0\x1b[2J\0train"), SCHEDGPU_OK);
  assert_true(learned() == 7 * GIB);
  strcpy(options.job_name, "a");
  assert_true(learned() == 0);
  assert_int_equal(agent_writes(1, "\x7f"), SCHEDGPU_OK);
  strcpy(options.job_name, "\x7f");
  assert_true(learned() == 0);
}

static void a_table_is_replaced_only_by_another(void **state) {
  (void)state;
  char left[PATH_MAX + 32];
  snprintf(left, sizeof left, "%s.new", table);
  /* left by a killed agent, or placed by an attacker */
  assert_int_equal(symlink("/nowhere/else", left), 0);
  assert_int_equal(agent_writes(1, "train"), SCHEDGPU_OK);
  assert_int_equal(access(left, F_OK), -1);
  ino_t first = inode();
  assert_int_equal(agent_writes(1, "train"), SCHEDGPU_OK);
  assert_true(inode() == first);
  assert_int_equal(agent_writes(2, "train\0y"), SCHEDGPU_OK);
  assert_true(inode() != first);
  unlink(table);
  assert_int_equal(agent_writes(2, "train\0y"), SCHEDGPU_OK);
  inode();
}

static void a_table_is_limited_to_what_is_read(void **state) {
  (void)state;
  enum { LINES = 20000, NAME = 63 };
  uint32_t *uid = calloc(LINES, sizeof *uid);
  uint64_t *bytes = calloc(LINES, sizeof *bytes);
  char *names = malloc((size_t)LINES * (NAME + 1));
  assert_true(uid && bytes && names);
  for (uint32_t i = 0; i < LINES; i++) {
    uid[i] = i;
    bytes[i] = i + 1;
    memset(names + (size_t)i * (NAME + 1), 'x', NAME);
    names[(size_t)(i + 1) * (NAME + 1) - 1] = '\0';
  }
  assert_int_equal(schedgpu_learned_write(conf.run_dir, SCHEDGPU_LEARNED_BUDGETS, uid, bytes, names,
                                          LINES, error, 1),
                   SCHEDGPU_OK);
  memset(options.job_name, 'x', NAME);
  uint32_t known = 0;
  while (known < LINES && sg_learned_bytes(&conf, &options, known) == known + 1)
    known += 100;
  assert_true(known >= 13000 && known <= 15000); /* of 1 MiB, at 75 bytes a line */
  free(uid);
  free(bytes);
  free(names);
}

static void a_table_that_cannot_be_written_is_named(void **state) {
  (void)state;
  char run_dir[PATH_MAX];
  strcpy(run_dir, conf.run_dir);
  strcpy(conf.run_dir, "/nowhere");
  assert_int_equal(agent_writes(1, "train"), SCHEDGPU_ESYSTEM);
  assert_string_equal(error, "/nowhere/learned: cannot be written (No such file or directory): "
                             "check RunDir and its file system");
  strcpy(conf.run_dir, run_dir);
  unlink(table);
  assert_int_equal(mkdir(table, 0755), 0);
  assert_int_equal(agent_writes(1, "train"), SCHEDGPU_ESYSTEM);
  assert_non_null(strstr(error, "Is a directory"));
  assert_int_equal(rmdir(table), 0); /* nothing else is left in the folder: tear_down */
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      UNIT(a_line_is_of_a_user_and_a_name),
      UNIT(only_default_mem_learned_reads_the_table),
      UNIT(a_learned_budget_can_grow),
      UNIT(the_options_of_a_job_go_first),
      UNIT(unknown_jobs_get_the_fallback),
      UNIT(a_learned_budget_is_capped_to_the_limit),
      UNIT(a_device_without_free_memory_is_reported),
      UNIT(a_table_that_others_may_write_is_ignored),
      UNIT(a_table_of_another_user_is_ignored),
      UNIT(a_link_is_not_followed),
      UNIT(an_invalid_table_is_ignored),
      UNIT(names_are_cut_between_characters),
      UNIT(what_the_agent_writes_is_what_is_read),
      UNIT(a_name_with_control_characters_is_left_out),
      UNIT(a_table_is_replaced_only_by_another),
      UNIT(a_table_is_limited_to_what_is_read),
      UNIT(a_table_that_cannot_be_written_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
