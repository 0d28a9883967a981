/*
 * node_test.c - the region from the configuration, a job in it, and where the configuration is
 * found.
 */
#include "../../node/node.h"
#include "../conf/conf_testing.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct sg_node node;
static struct schedgpu_setup setup;
static char error[4096];

static int set_up(void **state) {
  static char folder[32];
  (void)state;
  strcpy(folder, "/tmp/schedgpu-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  sg_conf_defaults(&node.conf);
  snprintf(node.conf.run_dir, sizeof node.conf.run_dir, "%s/run", folder);
  node.devices.count = 0;
  add_device(&node.devices, 0, 16 * GIB, 0, 4);
  return 0;
}

static int tear_down(void **state) {
  char command[PATH_MAX + 16];
  (void)state;
  schedgpu_admin_remove(node.conf.run_dir, 1);
  *strrchr(node.conf.run_dir, '/') = '\0';
  snprintf(command, sizeof command, "rm -r %s", node.conf.run_dir);
  return system(command);
}

static struct schedgpu_job_spec job(uint32_t device_mask, uint64_t budget_bytes) {
  struct schedgpu_job_spec spec = {.job_id = 7,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = 1000,
                                   .mode = SCHEDGPU_MODE_PEAK,
                                   .device_mask = device_mask};
  for (int d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    spec.budget_bytes[d] = device_mask & 1u << d ? budget_bytes : 0;
  return spec;
}

static schedgpu_admin *open_region(void) {
  schedgpu_admin *admin;
  int rc = sg_open_region(&node.conf, &node.devices, &admin, error, sizeof error);
  if (rc != SCHEDGPU_OK)
    print_error("%s\n", error);
  assert_int_equal(rc, SCHEDGPU_OK);
  return admin;
}

static void the_setup_is_that_of_the_configuration(void **state) {
  (void)state;
  node.conf.policy = SCHEDGPU_POLICY_MMU;
  node.conf.overtake_limit = 3;
  node.conf.deadlock_rule = SCHEDGPU_DEADLOCK_DETECT;
  node.conf.grace_ns = SECOND_NS;
  node.conf.quantum_ns = SECOND_NS / 4;
  node.devices.device[0].spec.reserved_bytes = MIB;
  strcpy(node.conf.safety_margin, "25%");
  assert_int_equal(sg_setup_of_conf(&node.conf, &node.devices, &setup, error, sizeof error), 0);
  assert_int_equal(setup.policy, SCHEDGPU_POLICY_MMU);
  assert_int_equal(setup.overtake_limit, 3);
  assert_int_equal(setup.deadlock_rule, SCHEDGPU_DEADLOCK_DETECT);
  assert_true(setup.grace_ns == SECOND_NS);
  assert_true(setup.quantum_ns == SECOND_NS / 4);
  assert_int_equal(setup.group, -1);
  assert_int_equal(setup.device_count, 1);
  assert_true(setup.device[0].reserved_bytes == 4 * GIB + MIB);
  assert_true(setup.device[0].total_bytes == 16 * GIB);
}

static void a_margin_is_never_more_than_the_device(void **state) {
  (void)state;
  strcpy(node.conf.safety_margin, "20G");
  assert_int_equal(sg_setup_of_conf(&node.conf, &node.devices, &setup, error, sizeof error), 0);
  assert_true(setup.device[0].reserved_bytes == 16 * GIB);
}

static void the_group_is_looked_up(void **state) {
  (void)state;
  strcpy(node.conf.region_group, "root");
  assert_int_equal(sg_setup_of_conf(&node.conf, &node.devices, &setup, error, sizeof error), 0);
  assert_int_equal(setup.group, 0);
  strcpy(node.conf.region_group, "no-such-group");
  assert_int_equal(sg_setup_of_conf(&node.conf, &node.devices, &setup, error, sizeof error),
                   SCHEDGPU_EINVAL);
  assert_non_null(strstr(error, "RegionGroup=no-such-group: there is no such group"));
}

static void with_a_broker_no_user_writes_the_region(void **state) {
  (void)state;
  node.conf.brokered = true;
  strcpy(node.conf.region_group, "root");
  assert_int_equal(sg_setup_of_conf(&node.conf, &node.devices, &setup, error, sizeof error), 0);
  assert_int_equal(setup.group, SCHEDGPU_GROUP_NONE);
}

static void the_region_is_made_once(void **state) {
  (void)state;
  struct schedgpu_job_spec spec = job(1, GIB);
  schedgpu_admin *admin = open_region();
  assert_int_equal(sg_register_job(&node, admin, &spec, true, error, sizeof error), 0);
  schedgpu_admin_close(admin);
  admin = open_region();
  assert_int_equal(schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, 7, &spec), 0);
  assert_true(spec.budget_bytes[0] == GIB);
  schedgpu_admin_close(admin);
}

static void a_failure_to_create_the_region_is_reported(void **state) {
  (void)state;
  char run_dir[PATH_MAX];
  schedgpu_admin *admin;
  strcpy(run_dir, node.conf.run_dir);
  strcpy(node.conf.run_dir, "/proc/schedgpu");
  assert_true(sg_open_region(&node.conf, &node.devices, &admin, error, sizeof error) < 0);
  assert_non_null(strstr(error, "the region in /proc/schedgpu: "));
  assert_null(admin);
  strcpy(node.conf.run_dir, run_dir);
}

static void a_new_device_is_added_to_the_region(void **state) {
  (void)state;
  struct schedgpu_job_spec spec = job(2, GIB);
  schedgpu_admin *admin = open_region();
  add_device(&node.devices, 1, 8 * GIB, 4, 4);
  assert_int_equal(sg_register_job(&node, admin, &spec, true, error, sizeof error), 0);
  schedgpu_admin_close(admin);
}

static void a_repeated_registration_updates(void **state) {
  (void)state;
  struct schedgpu_job_spec spec = job(1, GIB);
  schedgpu_admin *admin = open_region();
  assert_int_equal(sg_register_job(&node, admin, &spec, true, error, sizeof error), 0);
  spec = job(1, 2 * GIB);
  assert_int_equal(sg_register_job(&node, admin, &spec, true, error, sizeof error), 0);
  assert_int_equal(schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, 7, &spec), 0);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
  assert_int_equal(schedgpu_admin_job_end(admin, SCHEDGPU_JOB_SLURM, 7), 0);
  assert_int_equal(schedgpu_admin_job_end(admin, SCHEDGPU_JOB_SLURM, 7), SCHEDGPU_ENOJOB);
  schedgpu_admin_close(admin);
}

/** A process of job 7 that holds memory until it is killed. */
static pid_t hold_memory(void) {
  int ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  if (pid == 0) {
    setenv("SCHEDGPU_RUN_DIR", node.conf.run_dir, 1);
    setenv("SCHEDGPU_JOB", "slurm:7", 1);
    if (schedgpu_reserve(0, MIB, SCHEDGPU_NO_WAIT) != SCHEDGPU_OK)
      _exit(1);
    byte = 1;
    while (write(ready[1], &byte, 1) == 1)
      pause();
    _exit(1);
  }
  close(ready[1]);
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  return pid;
}

static void only_a_fresh_start_ends_what_is_in_use(void **state) {
  (void)state;
  struct schedgpu_job_spec spec = job(1, GIB);
  schedgpu_admin *admin = open_region();
  spec.uid = getuid();
  assert_int_equal(sg_register_job(&node, admin, &spec, true, error, sizeof error), 0);
  pid_t pid = hold_memory();
  spec.budget_bytes[0] = 2 * GIB;
  assert_int_equal(sg_register_job(&node, admin, &spec, false, error, sizeof error),
                   SCHEDGPU_EINVAL);
  assert_int_equal(sg_register_job(&node, admin, &spec, true, error, sizeof error), 0);
  assert_int_equal(schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, 7, &spec), 0);
  assert_true(spec.budget_bytes[0] == 2 * GIB);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  schedgpu_admin_close(admin);
}

static void a_wrong_registration_is_reported(void **state) {
  (void)state;
  struct schedgpu_job_spec spec = job(1, 17 * GIB);
  schedgpu_admin *admin = open_region();
  assert_int_equal(sg_register_job(&node, admin, &spec, true, error, sizeof error),
                   SCHEDGPU_ETOOBIG);
  assert_non_null(strstr(error, "registering the job: "));
  schedgpu_admin_close(admin);
}

static void expect_conf(const char *given, const char *expected) {
  char path[PATH_MAX];
  sg_find_conf(given, path, sizeof path);
  assert_string_equal(path, expected);
}

static void the_configuration_is_the_nearest(void **state) {
  (void)state;
  char folder[PATH_MAX], slurm[PATH_MAX + 16], ours[PATH_MAX + 16];
  strcpy(folder, node.conf.run_dir);
  assert_int_equal(mkdir(folder, 0755), 0);
  snprintf(slurm, sizeof slurm, "%s/slurm.conf", folder);
  snprintf(ours, sizeof ours, "%s/schedgpu.conf", folder);
  unsetenv("SLURM_CONF");
  expect_conf(NULL, SG_CONF_DEFAULT_PATH);
  setenv("SLURM_CONF", slurm, 1);
  expect_conf("", SG_CONF_DEFAULT_PATH);
  fclose(fopen(ours, "w"));
  expect_conf("", ours);
  expect_conf("/given", "/given");
  unsetenv("SLURM_CONF");
}

static void the_node_is_named_as_slurm_names_it(void **state) {
  (void)state;
  char name[256];
  setenv("SLURMD_NODENAME", "gpu7", 1);
  sg_node_name(name, sizeof name);
  assert_string_equal(name, "gpu7");
  unsetenv("SLURMD_NODENAME");
  sg_node_name(name, sizeof name);
  assert_true(name[0] != '\0');
  assert_null(strchr(name, '.'));
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      UNIT(the_setup_is_that_of_the_configuration),
      UNIT(a_margin_is_never_more_than_the_device),
      UNIT(the_group_is_looked_up),
      UNIT(with_a_broker_no_user_writes_the_region),
      UNIT(the_region_is_made_once),
      UNIT(a_failure_to_create_the_region_is_reported),
      UNIT(a_new_device_is_added_to_the_region),
      UNIT(a_repeated_registration_updates),
      UNIT(only_a_fresh_start_ends_what_is_in_use),
      UNIT(a_wrong_registration_is_reported),
      UNIT(the_configuration_is_the_nearest),
      UNIT(the_node_is_named_as_slurm_names_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
