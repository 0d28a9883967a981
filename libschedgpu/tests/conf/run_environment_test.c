/* run_environment_test.c - the environment of `schedgpu run`: as of Slurm's jobs
 * (spank-plugin-c/tests/task_env_test.c). */
#include "conf_testing.h"
#include "schedgpu/conf_text.h"

static char changes[8192];

static const struct schedgpu_run_env usual = {.job = "run:7",
                                              .run_dir = "/run/x",
                                              .library = "/l/libschedgpu-preload.so",
                                              .uuids = "GPU-1,GPU-0",
                                              .numbers = "1,0"};

/** Names with their values; NULL where the variable is to be removed or is not spoken of. */
static const char *change(const char *name) {
  size_t length = strlen(name);
  for (const char *at = changes; *at; at += strlen(at) + 1)
    if (strncmp(at, name, length) == 0 && at[length] == '=')
      return at + length + 1;
  return NULL;
}

static bool removed(const char *name) {
  for (const char *at = changes; *at; at += strlen(at) + 1)
    if (strcmp(at, name) == 0)
      return true;
  return false;
}

static void of(const struct schedgpu_run_env *env, const char *old) {
  assert_int_equal(schedgpu_run_environment(env, old, changes, sizeof changes), SCHEDGPU_OK);
}

static void the_job_has_all_variables(void **state) {
  (void)state;
  of(&usual, "HOME=/root\0LD_PRELOAD=/u.so\0ROCR_VISIBLE_DEVICES=3\0");
  assert_string_equal(change("SCHEDGPU_JOB"), "run:7");
  assert_string_equal(change("SCHEDGPU_RUN_DIR"), "/run/x");
  assert_string_equal(change("SCHEDGPU_ON_FAILURE"), "run");
  assert_string_equal(change("SCHEDGPU_MANAGED"), "reserve");
  assert_string_equal(change("SCHEDGPU_DEVICES"), "GPU-1,GPU-0");
  assert_string_equal(change("CUDA_VISIBLE_DEVICES"), "GPU-1,GPU-0");
  assert_string_equal(change("GPU_DEVICE_ORDINAL"), "1,0");
  assert_string_equal(change("ROCR_VISIBLE_DEVICES"), "1,0");
  assert_string_equal(change("LD_PRELOAD"), "/l/libschedgpu-preload.so:/u.so");
  assert_null(change("TF_FORCE_GPU_ALLOW_GROWTH"));
  assert_null(change("HOME"));
}

static void the_site_decides(void **state) {
  struct schedgpu_run_env env = usual;
  (void)state;
  env.refuse = env.managed_passes = env.frameworks = 1;
  of(&env, "XLA_PYTHON_CLIENT_PREALLOCATE=\0");
  assert_string_equal(change("SCHEDGPU_ON_FAILURE"), "refuse");
  assert_string_equal(change("SCHEDGPU_MANAGED"), "pass");
  assert_string_equal(change("TF_FORCE_GPU_ALLOW_GROWTH"), "true");
  assert_null(change("XLA_PYTHON_CLIENT_PREALLOCATE"));
}

static void without_a_library_only_that_of_an_enclosing_job_goes(void **state) {
  struct schedgpu_run_env env = usual;
  (void)state;
  env.library = NULL;
  of(&env, "LD_PRELOAD=/u.so\0");
  assert_null(change("LD_PRELOAD"));
  of(&env, "SCHEDGPU_JOB=run:1\0LD_PRELOAD=/x/libschedgpu-preload.so\0");
  assert_true(removed("LD_PRELOAD"));
}

static void what_has_no_room_is_an_error(void **state) {
  char small[40];
  (void)state;
  assert_int_equal(schedgpu_run_environment(&usual, "", small, sizeof small), SCHEDGPU_EINVAL);
  assert_true(strlen(small) < sizeof small);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_job_has_all_variables),
      cmocka_unit_test(the_site_decides),
      cmocka_unit_test(without_a_library_only_that_of_an_enclosing_job_goes),
      cmocka_unit_test(what_has_no_room_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
