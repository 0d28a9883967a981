/* container_env_test.c - what a container of a job needs, from the job's environment. */
#include "../../node/container_env.h"
#include "../conf/conf_testing.h"
#include <sys/stat.h>

#define PRELOAD "/l/libschedgpu-preload.so"

static const struct sg_job_env usual = {
    .job = "run:7", .run_dir = "/run/x", .library = PRELOAD, .ours = "libschedgpu-preload.so"};

static int set(void *context, const char *name, const char *value) {
  (void)context;
  return value ? setenv(name, value, 1) : unsetenv(name);
}

/** Applies `env` to the variables in `users`, "NAME=VALUE" each, NULL at the end. */
static void of(const struct sg_job_env *env, char *const *users) {
  clearenv();
  for (; *users; users++)
    putenv(*users);
  assert_int_equal(sg_job_env_apply(env, sg_env_get_own, set, NULL), SCHEDGPU_OK);
}
#define OF(env, ...) of(env, (char *[]){__VA_ARGS__, NULL})

static void expect(const char *name, const char *value) {
  const char *there = getenv(name);
  assert_string_equal(there ? there : "(none)", value ? value : "(none)");
}

/** Expects it of Apptainer and of Singularity, by the end of the name. */
static void expect_both(const char *end, const char *value) {
  char name[128];
  snprintf(name, sizeof name, "APPTAINER%s", end);
  expect(name, value);
  snprintf(name, sizeof name, "SINGULARITY%s", end);
  expect(name, value);
}

static void it_has_binds_and_the_jobs_variables(void **state) {
  (void)state;
  OF(&usual, "CUDA_VISIBLE_DEVICES=1", "SCHEDGPU_FIRST_TRY=fail");
  expect("SCHEDGPU_BINDS", PRELOAD ",/run/x");
  expect_both("_BIND", PRELOAD ",/run/x");
  expect_both("ENV_LD_PRELOAD", PRELOAD);
  expect_both("ENV_SCHEDGPU_JOB", "run:7");
  expect_both("ENV_SCHEDGPU_RUN_DIR", "/run/x");
  expect_both("ENV_SCHEDGPU_ON_FAILURE", "run");
  expect_both("ENV_SCHEDGPU_MANAGED", "reserve");
  expect_both("ENV_SCHEDGPU_FIRST_TRY", "fail");
  expect_both("ENV_CUDA_VISIBLE_DEVICES", "1");
  expect_both("ENV_PYTHONPATH", NULL);
}

static void what_the_user_gave_the_runtime_stays(void **state) {
  (void)state;
  OF(&usual, "APPTAINER_BIND=/a:/b:ro,/run/x", "APPTAINERENV_LD_PRELOAD=/in.so",
     "APPTAINERENV_XLA_PYTHON_CLIENT_PREALLOCATE=true", "XLA_PYTHON_CLIENT_PREALLOCATE=false",
     "LD_PRELOAD=/out.so");
  expect_both("_BIND", "/a:/b:ro,/run/x," PRELOAD);
  expect_both("ENV_LD_PRELOAD", PRELOAD ":/in.so");
  expect_both("ENV_XLA_PYTHON_CLIENT_PREALLOCATE", "true");
  OF(&usual, "APPTAINER_BIND=/a", "SINGULARITY_BIND=/s");
  expect("APPTAINER_BIND", "/a," PRELOAD ",/run/x");
  expect("SINGULARITY_BIND", "/s," PRELOAD ",/run/x");
}

/* Without ours, the job's own value is that inside. */
static void the_jobs_own_lists_come_behind_ours(void **state) {
  struct sg_job_env lane = usual;
  (void)state;
  lane.lane = "fair";
  lane.python = "/p/schedgpu/python";
  OF(&lane, "LD_PRELOAD=/out.so", "PYTHONPATH=/u");
  expect("SCHEDGPU_BINDS", PRELOAD ",/run/x,/p/schedgpu/python");
  expect_both("ENV_LD_PRELOAD", PRELOAD ":/out.so");
  expect_both("ENV_PYTHONPATH", "/p/schedgpu/python:/u");
  expect_both("ENV_SCHEDGPU_LANE", "fair");
}

static void a_job_with_a_share_has_the_names_of_launches(void **state) {
  struct sg_job_env share = usual;
  (void)state;
  share.share = "4";
  OF(&share, "HOME=/");
  expect("SCHEDGPU_BINDS", PRELOAD ",/run/x,/l/libschedgpu-launches.so");
  expect_both("ENV_LD_PRELOAD", "/l/libschedgpu-launches.so:" PRELOAD);
}

static void a_step_inside_a_job_repeats_nothing(void **state) {
  struct sg_job_env inner = usual;
  (void)state;
  OF(&usual, "APPTAINER_BIND=/a", "LD_PRELOAD=/out.so", "SCHEDGPU_SHARE=3");
  inner.run_dir = "/run/y";
  assert_int_equal(sg_job_env_apply(&inner, sg_env_get_own, set, NULL), SCHEDGPU_OK);
  expect_both("_BIND", "/a," PRELOAD ",/run/y");
  expect_both("ENV_LD_PRELOAD", PRELOAD ":/out.so");
  expect_both("ENV_SCHEDGPU_RUN_DIR", "/run/y");
}

static void of_an_enclosing_job_nothing_is_left(void **state) {
  struct sg_job_env gate = usual;
  (void)state;
  gate.library = "";
  OF(&usual, "APPTAINER_BIND=/a", "APPTAINERENV_LD_PRELOAD=/in.so");
  assert_int_equal(sg_job_env_apply(&gate, sg_env_get_own, set, NULL), SCHEDGPU_OK);
  expect("SCHEDGPU_BINDS", NULL);
  expect_both("_BIND", "/a");
  expect_both("ENV_LD_PRELOAD", "/in.so");
  expect_both("ENV_SCHEDGPU_JOB", NULL);
  OF(&usual, "HOME=/");
  assert_int_equal(sg_job_env_remove(sg_env_get_own, set, NULL), SCHEDGPU_OK);
  expect("SCHEDGPU_BINDS", NULL);
  expect_both("_BIND", NULL);
  expect_both("ENV_LD_PRELOAD", NULL);
}

/* A link may lead nowhere inside. */
static void the_folder_of_the_libraries_is_one_bind(void **state) {
  struct sg_job_env env = usual;
  char top[] = "/tmp/container-env-XXXXXX", folder[64], file[128], link[128], binds[256];
  (void)state;
  assert_non_null(mkdtemp(top));
  snprintf(folder, sizeof folder, "%s/" SG_CONTAINER_FOLDER, top);
  snprintf(file, sizeof file, "%s/libschedgpu-preload.so", folder);
  snprintf(link, sizeof link, "%s/libschedgpu-preload.so", top);
  assert_int_equal(mkdir(folder, 0755), 0);
  fclose(fopen(file, "w"));
  assert_int_equal(symlink(file, link), 0);
  env.library = link;
  env.share = "2";
  OF(&env, "HOME=/");
  snprintf(binds, sizeof binds, "%s,/run/x", folder);
  expect("SCHEDGPU_BINDS", binds);
  snprintf(binds, sizeof binds, "%s/libschedgpu-launches.so:%s", folder, file);
  expect_both("ENV_LD_PRELOAD", binds);
  unlink(link);
  unlink(file);
  rmdir(folder);
  rmdir(top);
}

static void a_list_that_does_not_fit_is_an_error(void **state) {
  char text[8];
  (void)state;
  assert_int_equal(sg_bind_list_merge("/a,,/b", "", "/a", text, sizeof text), SCHEDGPU_OK);
  assert_string_equal(text, "/a,/b");
  assert_int_equal(sg_bind_list_merge("/a,/b", "/b", "/cd", text, sizeof text), SCHEDGPU_OK);
  assert_string_equal(text, "/a,/cd");
  assert_int_equal(sg_bind_list_merge("/a,/b", "", "/c", text, sizeof text), SCHEDGPU_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_has_binds_and_the_jobs_variables),
      cmocka_unit_test(what_the_user_gave_the_runtime_stays),
      cmocka_unit_test(the_jobs_own_lists_come_behind_ours),
      cmocka_unit_test(a_job_with_a_share_has_the_names_of_launches),
      cmocka_unit_test(a_step_inside_a_job_repeats_nothing),
      cmocka_unit_test(of_an_enclosing_job_nothing_is_left),
      cmocka_unit_test(the_folder_of_the_libraries_is_one_bind),
      cmocka_unit_test(a_list_that_does_not_fit_is_an_error),
  };
  return cmocka_run_group_tests_name("container_env", tests, NULL, NULL);
}
