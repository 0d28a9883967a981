/*
 * run_environment_test.c - the environment of `schedgpu run`, which is that of Slurm's jobs
 * (spank-plugin-c/tests/task_env_test.c).
 */
#include "../../node/job_env.h"
#include "../conf/conf_testing.h"

static const struct sg_job_env usual = {.job = "run:7",
                                        .run_dir = "/run/x",
                                        .library = "/l/libschedgpu-preload.so",
                                        .ours = "libschedgpu-preload.so"};

static int set(void *context, const char *name, const char *value) {
  (void)context;
  return value ? setenv(name, value, 1) : unsetenv(name);
}

/** Applies `env` to the variables in `users`, "NAME=VALUE" each, NULL at the end. */
static int of(const struct sg_job_env *env, char *const *users) {
  clearenv();
  for (; *users; users++)
    putenv(*users);
  int rc = sg_job_env_apply(env, sg_env_get_own, set, NULL);
  const struct sg_device_names names = {"GPU-1,GPU-0", "1,0", false};
  assert_int_equal(sg_job_env_devices(&names, true, sg_env_get_own, set, NULL), SCHEDGPU_OK);
  return rc;
}
#define OF(env, ...) assert_int_equal(of(env, (char *[]){__VA_ARGS__, NULL}), SCHEDGPU_OK)

static void expect(const char *name, const char *value) {
  const char *there = getenv(name);
  if (value)
    assert_string_equal(there ? there : "(none)", value);
  else
    assert_null(there);
}

static void the_job_has_all_variables(void **state) {
  (void)state;
  OF(&usual, "HOME=/root", "LD_PRELOAD=/u.so", "ROCR_VISIBLE_DEVICES=3", "CUDA_VISIBLE_DEVICES=3");
  expect("SCHEDGPU_JOB", "run:7");
  expect("SCHEDGPU_RUN_DIR", "/run/x");
  expect("SCHEDGPU_ON_FAILURE", "run");
  expect("SCHEDGPU_MANAGED", "reserve");
  expect("SCHEDGPU_DEVICES", "GPU-1,GPU-0");
  expect("CUDA_VISIBLE_DEVICES", "GPU-1,GPU-0");
  expect("CUDA_DEVICE_ORDER", NULL);
  expect("GPU_DEVICE_ORDINAL", "1,0");
  expect("ROCR_VISIBLE_DEVICES", "1,0");
  expect("LD_PRELOAD", "/l/libschedgpu-preload.so:/u.so");
  expect("TF_FORCE_GPU_ALLOW_GROWTH", NULL);
  expect("XLA_PYTHON_CLIENT_PREALLOCATE", NULL);
  expect("HOME", "/root");
}

/* CUDA's own order of devices is not that of the numbers. */
static void sure_numbers_come_with_their_order(void **state) {
  (void)state;
  const struct sg_device_names names = {"GPU-1,GPU-0", "1,0", true};
  clearenv();
  assert_int_equal(sg_job_env_devices(&names, true, sg_env_get_own, set, NULL), SCHEDGPU_OK);
  expect("CUDA_VISIBLE_DEVICES", "1,0");
  expect("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  expect("SCHEDGPU_DEVICES", "GPU-1,GPU-0");
}

static void touch(const char *folder, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
}

/* /dev/nvidiactl alone is no device: the driver's libraries make it without a GPU. */
static void numbers_are_sure_where_all_devices_are_seen(void **state) {
  char dev[] = "/tmp/run-environment-XXXXXX", command[64];
  (void)state;
  clearenv();
  assert_non_null(mkdtemp(dev));
  touch(dev, "nvidiactl");
  assert_false(sg_job_env_sees(dev, 1, sg_env_get_own, NULL));
  touch(dev, "nvidia1");
  assert_false(sg_job_env_sees(dev, 3, sg_env_get_own, NULL)); /* as in a container with one */
  touch(dev, "nvidia0");
  assert_true(sg_job_env_sees(dev, 3, sg_env_get_own, NULL));
  setenv("SLURM_JOB_ID", "7", 1); /* whose cgroup may confine it */
  assert_false(sg_job_env_sees(dev, 3, sg_env_get_own, NULL));
  snprintf(command, sizeof command, "/bin/rm -r %s", dev);
  assert_int_equal(system(command), 0);
}

static void the_site_decides(void **state) {
  struct sg_job_env env = usual;
  (void)state;
  env.refuse = env.managed_passes = env.frameworks = true;
  OF(&env, "XLA_PYTHON_CLIENT_PREALLOCATE=", "SCHEDGPU_MANAGED=reserve");
  expect("SCHEDGPU_ON_FAILURE", "refuse");
  expect("SCHEDGPU_MANAGED", "pass");
  expect("TF_FORCE_GPU_ALLOW_GROWTH", "true");
  expect("XLA_PYTHON_CLIENT_PREALLOCATE", ""); /* the user has set it */
}

static void a_lane_job_has_its_policy_and_the_module(void **state) {
  struct sg_job_env env = usual;
  (void)state;
  OF(&usual, "PYTHONPATH=/u");
  expect("SCHEDGPU_LANE", NULL);
  expect("PYTHONPATH", "/u");
  env.lane = "srtf";
  env.python = "/p/share/schedgpu/python";
  OF(&env, "HOME=/root");
  expect("SCHEDGPU_LANE", "srtf");
  expect("PYTHONPATH", "/p/share/schedgpu/python");
  OF(&env, "SCHEDGPU_LANE=fair", "PYTHONPATH=/u:/p/share/schedgpu/python");
  expect("SCHEDGPU_LANE", "srtf");
  expect("PYTHONPATH", "/p/share/schedgpu/python:/u");
  env.python = ""; /* PythonPath=none */
  OF(&env, "PYTHONPATH=/u");
  expect("SCHEDGPU_LANE", "srtf");
  expect("PYTHONPATH", "/u");
}

static void a_job_with_a_share_has_its_weight(void **state) {
  struct sg_job_env env = usual;
  (void)state;
  env.share = "4";
  OF(&env, "SCHEDGPU_SHARE=2");
  expect("SCHEDGPU_SHARE", "4");
  expect("SCHEDGPU_LANE", NULL);
  expect("LD_PRELOAD", "/l/libschedgpu-launches.so:/l/libschedgpu-preload.so");
  OF(&usual, "SCHEDGPU_SHARE=2"); /* of the user, or of an enclosing job */
  expect("SCHEDGPU_SHARE", NULL);
  expect("LD_PRELOAD", "/l/libschedgpu-preload.so");
  OF(&usual, "SCHEDGPU_JOB=run:1", "SCHEDGPU_SHARE=2",
     "LD_PRELOAD=/x/libschedgpu-launches.so:/x/libschedgpu-preload.so:/u.so");
  expect("LD_PRELOAD", "/l/libschedgpu-preload.so:/u.so");
  OF(&usual, "SCHEDGPU_JOB=run:1", "SCHEDGPU_SHARE=2",
     "LD_PRELOAD=/x/libschedgpu-launches.so:/x/libschedgpu-preload.so:/u.so");
  assert_int_equal(sg_job_env_remove(sg_env_get_own, set, NULL), SCHEDGPU_OK);
  expect("SCHEDGPU_SHARE", NULL);
  expect("LD_PRELOAD", "/u.so");
}

static void the_lane_of_an_enclosing_job_is_removed(void **state) {
  (void)state;
  OF(&usual, "SCHEDGPU_LANE=fair", "PYTHONPATH=/q/schedgpu/python:/u");
  expect("SCHEDGPU_LANE", NULL);
  expect("PYTHONPATH", "/u");
  OF(&usual, "SCHEDGPU_LANE=fair", "PYTHONPATH=/q/schedgpu/python");
  expect("PYTHONPATH", NULL);
  OF(&usual, "SCHEDGPU_JOB=run:1", "SCHEDGPU_LANE=fair", "PYTHONPATH=/q/schedgpu/python:/u");
  assert_int_equal(sg_job_env_remove(sg_env_get_own, set, NULL), SCHEDGPU_OK);
  expect("SCHEDGPU_LANE", NULL);
  expect("PYTHONPATH", "/u");
}

static void without_a_library_an_enclosing_jobs_is_removed(void **state) {
  struct sg_job_env env = usual;
  (void)state;
  env.library = "";
  OF(&env, "LD_PRELOAD=/u.so");
  expect("LD_PRELOAD", "/u.so");
  OF(&env, "SCHEDGPU_JOB=run:1", "LD_PRELOAD=/x/libschedgpu-preload.so");
  expect("LD_PRELOAD", NULL);
}

static void our_library_is_listed_once(void **state) {
  (void)state;
  OF(&usual, "LD_PRELOAD=/u.so:/l/libschedgpu-preload.so /v.so");
  expect("LD_PRELOAD", "/l/libschedgpu-preload.so:/u.so:/v.so");
}

static void a_value_that_does_not_fit_is_an_error(void **state) {
  static char users[1 << 16] = "LD_PRELOAD=/";
  (void)state;
  memset(users + strlen(users), 'x', sizeof users - 20);
  assert_int_equal(of(&usual, (char *[]){users, NULL}), SCHEDGPU_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_job_has_all_variables),
      cmocka_unit_test(sure_numbers_come_with_their_order),
      cmocka_unit_test(numbers_are_sure_where_all_devices_are_seen),
      cmocka_unit_test(the_site_decides),
      cmocka_unit_test(a_lane_job_has_its_policy_and_the_module),
      cmocka_unit_test(a_job_with_a_share_has_its_weight),
      cmocka_unit_test(the_lane_of_an_enclosing_job_is_removed),
      cmocka_unit_test(without_a_library_an_enclosing_jobs_is_removed),
      cmocka_unit_test(our_library_is_listed_once),
      cmocka_unit_test(a_value_that_does_not_fit_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
