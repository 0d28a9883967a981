/*
 * job_environment_test.c - what the site and the user decide about the environment of the command
 * of `schedgpu run`. How the variables are set: tests/node/run_environment_test.c.
 */
#include "../../run/job.h"
#include "../conf/conf_testing.h"

static char folder[64], run_dir[128], conf_path[128], library[128];
static struct sgr_job job;

static void write_to(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/** A region with two devices, and a library for LD_PRELOAD. */
static int set_up(void **state) {
  struct schedgpu_setup setup = {.device_count = 2, .group = -1};
  (void)state;
  strcpy(folder, "/tmp/schedgpu-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(run_dir, sizeof run_dir, "%s/run", folder);
  snprintf(conf_path, sizeof conf_path, "%s/schedgpu.conf", folder);
  snprintf(library, sizeof library, "%s/libschedgpu-preload.so", folder);
  write_to(library, "a library");
  for (uint32_t d = 0; d < setup.device_count; d++) {
    struct schedgpu_device_spec *device = &setup.device[d];
    *device = (struct schedgpu_device_spec){
        .index = d, .total_bytes = 16 * GIB, .context_bytes = 256 * MIB};
    snprintf(device->uuid, sizeof device->uuid, "GPU-%u", d);
  }
  assert_int_equal(schedgpu_admin_setup(run_dir, &setup), SCHEDGPU_OK);
  return 0;
}

static int clean_up(void **state) {
  char command[128];
  (void)state;
  schedgpu_admin_remove(run_dir, 1); /* the segment is not removed with the files */
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static enum sgr_fate fate(const char *conf, char *const *options) {
  char text[512], *words[16] = {"--conf", conf_path, "--run-dir", run_dir, "run"};
  int count = 5;
  snprintf(text, sizeof text, "PreloadLibrary=%s\n%s\n", library, conf);
  write_to(conf_path, text);
  while (*options)
    words[count++] = *options++;
  words[count] = "true";
  memset(&job, 0, sizeof job);
  assert_true(sgr_arguments_take(words, &job.arguments, text, sizeof text));
  return sgr_job_begin(&job);
}

/** Begins a job with these options, NULL at the end, in this process, which has its environment. */
static void begin(const char *conf, char *const *options) {
  if (fate(conf, options) != SGR_BEGUN)
    fail_msg("%s", job.error);
  sgr_registration_end(&job.registration);
}

/** The same for a user who has set `users`, "NAME=VALUE" each, NULL at the end. */
static void begin_with(char *const *users, const char *conf, char *const *options) {
  clearenv();
  while (*users)
    putenv(*users++);
  begin(conf, options);
}
#define WORDS(...)                                                                                 \
  (char *[]) {                                                                                     \
    __VA_ARGS__, NULL                                                                              \
  }
#define NOTHING                                                                                    \
  (char *[]) {                                                                                     \
    NULL                                                                                           \
  }

static void expect(const char *name, const char *value) {
  const char *there = getenv(name);
  assert_string_equal(there ? there : "(none)", value);
}

static void expect_frameworks(const char *tensorflow, const char *jax) {
  expect("TF_FORCE_GPU_ALLOW_GROWTH", tensorflow);
  expect("XLA_PYTHON_CLIENT_PREALLOCATE", jax);
}

static void a_job_with_a_budget_has_variables_for_frameworks(void **state) {
  (void)state;
  begin_with(NOTHING, "", WORDS("--mem", "1G"));
  expect_frameworks("true", "false");
  begin_with(NOTHING, "", WORDS("--mem", "1G", "--device", "1"));
  expect_frameworks("true", "false");
  begin_with(NOTHING, "DefaultMem=1G", NOTHING);
  expect_frameworks("true", "false");
}

static void without_a_budget_frameworks_are_left_alone(void **state) {
  (void)state;
  begin_with(NOTHING, "FrameworkEnvironment=yes", NOTHING);
  expect("SCHEDGPU_DEVICES", "GPU-0"); /* the job is scheduled */
  expect_frameworks("(none)", "(none)");
}

static void the_site_may_leave_frameworks_alone(void **state) {
  (void)state;
  begin_with(NOTHING, "FrameworkEnvironment=no", WORDS("--mem", "1G"));
  expect("SCHEDGPU_DEVICES", "GPU-0");
  expect_frameworks("(none)", "(none)");
}

static void the_users_variables_for_frameworks_stay(void **state) {
  (void)state;
  begin_with(WORDS("TF_FORCE_GPU_ALLOW_GROWTH=false", "XLA_PYTHON_CLIENT_PREALLOCATE="), "",
             WORDS("--mem", "1G"));
  expect_frameworks("false", "");
}

static void the_site_decides_about_managed_memory(void **state) {
  (void)state;
  begin_with(NOTHING, "", WORDS("--mem", "1G"));
  expect("SCHEDGPU_MANAGED", "reserve");
  begin_with(WORDS("SCHEDGPU_MANAGED=reserve"), "ManagedMemory=pass", WORDS("--mem", "1G"));
  expect("SCHEDGPU_MANAGED", "pass");
  begin_with(WORDS("SCHEDGPU_MANAGED=pass"), "ManagedMemory=reserve", NOTHING);
  expect("SCHEDGPU_MANAGED", "reserve");
}

/** Unscheduled, the program would run beside those of all others, who keep to their budgets. */
static void a_job_beyond_the_table_is_refused_and_never_runs_unscheduled(void **state) {
  (void)state;
  schedgpu_admin *admin;
  assert_int_equal(schedgpu_admin_open(run_dir, &admin), SCHEDGPU_OK);
  struct schedgpu_job_spec one = {
      .kind = SCHEDGPU_JOB_RUN, .mode = SCHEDGPU_MODE_ONDEMAND, .device_mask = 1};
  int rc = SCHEDGPU_OK;
  while (rc == SCHEDGPU_OK && one.job_id++ < SCHEDGPU_MAX_JOBS)
    rc = schedgpu_admin_job_begin(admin, &one);
  assert_int_equal(fate("OnFailure=run", NOTHING), SGR_FAILED);
  assert_string_equal(job.error, "cannot begin a job (you have as many jobs of your own as one "
                                 "user may): a table of the region is full, or this user's share "
                                 "of it: wait until one of your jobs ends");
  sgr_registration_end(&job.registration);
  while (--one.job_id > 0)
    schedgpu_admin_job_end(admin, one.kind, one.job_id);
  schedgpu_admin_close(admin);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_job_with_a_budget_has_variables_for_frameworks),
      cmocka_unit_test(without_a_budget_frameworks_are_left_alone),
      cmocka_unit_test(the_site_may_leave_frameworks_alone),
      cmocka_unit_test(the_users_variables_for_frameworks_stay),
      cmocka_unit_test(the_site_decides_about_managed_memory),
      cmocka_unit_test(a_job_beyond_the_table_is_refused_and_never_runs_unscheduled),
  };
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
