/* task_env_test.c - the variables of a task, for each fate. */
#include "task_env.h"
#include "testing.h"

#define MAX_VARIABLES 64

static struct {
  char name[64];
  char value[4096];
} variables[MAX_VARIABLES];
static int count, refused;
static struct sg_node node;
static struct sg_plan plan;
static const struct sg_task_env env = {.job_id = 42};

static int find(const char *name) {
  for (int i = 0; i < count; i++) {
    if (strcmp(variables[i].name, name) == 0)
      return i;
  }
  return -1;
}

static int get(void *context, const char *name, char *value, size_t size) {
  int i = find(name);
  (void)context;
  if (i < 0)
    return 0;
  if (strlen(variables[i].value) >= size)
    return -1;
  strcpy(value, variables[i].value);
  return 1;
}

static int set(void *context, const char *name, const char *value) {
  int i = find(name);
  (void)context;
  if (refused)
    return -1;
  if (i < 0)
    i = count++;
  assert_true(count <= MAX_VARIABLES);
  snprintf(variables[i].name, sizeof variables[i].name, "%s", value ? name : "");
  snprintf(variables[i].value, sizeof variables[i].value, "%s", value ? value : "");
  return 0;
}

static int set_up(void **state) {
  (void)state;
  count = refused = 0;
  sg_conf_defaults(&node.conf);
  strcpy(node.conf.preload_library, "/lib/libschedgpu-preload.so");
  node.devices.count = 2;
  node.devices.not_ours_count = 0;
  for (uint32_t d = 0; d < 2; d++) {
    node.devices.device[d].spec.index = d;
    snprintf(node.devices.device[d].spec.uuid, SCHEDGPU_UUID_SIZE, "GPU-%u", d);
  }
  plan = (struct sg_plan){.fate = SG_FATE_SCHEDULED, .devices = {2, {1, 0}}};
  return 0;
}

static void apply(void) {
  assert_int_equal(sg_task_env_apply(&env, &node, &plan, get, set, NULL), 0);
}

static void expect(const char *name, const char *value) {
  int i = find(name);
  if (!value) {
    assert_int_equal(i, -1);
    return;
  }
  assert_true(i >= 0);
  assert_string_equal(variables[i].value, value);
}

static void a_scheduled_task_has_all_variables(void **state) {
  (void)state;
  set(NULL, "CUDA_VISIBLE_DEVICES", "3,4");
  set(NULL, "LD_PRELOAD", "/users.so");
  apply();
  expect("CUDA_VISIBLE_DEVICES", "1,0");
  expect("GPU_DEVICE_ORDINAL", "1,0");
  expect("SCHEDGPU_JOB", "slurm:42");
  expect("SCHEDGPU_RUN_DIR", "/run/schedgpu");
  expect("SCHEDGPU_DEVICES", "GPU-1,GPU-0");
  expect("SCHEDGPU_ON_FAILURE", "run");
  expect("SCHEDGPU_MANAGED", "reserve");
  expect("LD_PRELOAD", "/lib/libschedgpu-preload.so:/users.so");
}

static void a_task_of_a_lane_job_has_its_policy_and_the_module(void **state) {
  (void)state;
  strcpy(node.conf.python_path, "/share/schedgpu/python");
  plan.lane = "srtf";
  set(NULL, "PYTHONPATH", "/users");
  apply();
  expect("SCHEDGPU_LANE", "srtf");
  expect("PYTHONPATH", "/share/schedgpu/python:/users");
  plan.lane = NULL;
  apply();
  expect("SCHEDGPU_LANE", NULL);
  expect("PYTHONPATH", "/users");
}

static void a_task_of_a_job_with_a_share_has_its_weight(void **state) {
  (void)state;
  plan.share = 4;
  apply();
  expect("SCHEDGPU_SHARE", "4");
  plan.share = 0;
  apply();
  expect("SCHEDGPU_SHARE", NULL);
}

static void behind_a_gate_a_task_has_all_but_the_preload(void **state) {
  (void)state;
  plan.gate = true;
  set(NULL, "LD_PRELOAD", "/users.so /others.so");
  apply();
  expect("CUDA_VISIBLE_DEVICES", "1,0");
  expect("SCHEDGPU_JOB", "slurm:42");
  expect("SCHEDGPU_RUN_DIR", "/run/schedgpu");
  expect("SCHEDGPU_DEVICES", "GPU-1,GPU-0");
  expect("LD_PRELOAD", "/users.so /others.so");
}

static void behind_a_gate_an_enclosing_jobs_preload_is_removed(void **state) {
  (void)state;
  plan.gate = true;
  set(NULL, "SCHEDGPU_JOB", "slurm:41");
  set(NULL, "LD_PRELOAD", "/lib/libschedgpu-preload.so:/users.so");
  apply();
  expect("SCHEDGPU_JOB", "slurm:42");
  expect("LD_PRELOAD", "/users.so");
}

static void a_container_of_a_scheduled_task_has_what_it_needs(void **state) {
  (void)state;
  set(NULL, "APPTAINER_BIND", "/users");
  apply();
  expect("SCHEDGPU_BINDS", "/lib/libschedgpu-preload.so,/run/schedgpu");
  expect("APPTAINER_BIND", "/users,/lib/libschedgpu-preload.so,/run/schedgpu");
  expect("SINGULARITY_BIND", "/users,/lib/libschedgpu-preload.so,/run/schedgpu");
  expect("APPTAINERENV_LD_PRELOAD", "/lib/libschedgpu-preload.so");
  expect("APPTAINERENV_SCHEDGPU_JOB", "slurm:42");
  expect("APPTAINERENV_CUDA_VISIBLE_DEVICES", "1,0");
  expect("SINGULARITYENV_SCHEDGPU_DEVICES", "GPU-1,GPU-0");
}

static void behind_a_gate_and_unscheduled_a_container_has_nothing(void **state) {
  (void)state;
  apply();
  plan.gate = true;
  apply();
  expect("SCHEDGPU_BINDS", NULL);
  expect("APPTAINER_BIND", NULL);
  expect("APPTAINERENV_LD_PRELOAD", NULL);
  plan.gate = false;
  apply();
  plan.fate = SG_FATE_UNSCHEDULED;
  apply();
  expect("SCHEDGPU_BINDS", NULL);
  expect("SINGULARITY_BIND", NULL);
  expect("SINGULARITYENV_SCHEDGPU_JOB", NULL);
}

static void the_task_gets_the_sites_choice_on_failure(void **state) {
  (void)state;
  node.conf.refuse_on_failure = true;
  apply();
  expect("SCHEDGPU_ON_FAILURE", "refuse");
}

static void the_task_gets_the_sites_choice_for_managed_memory(void **state) {
  (void)state;
  node.conf.managed_passes = true;
  set(NULL, "SCHEDGPU_MANAGED", "reserve"); /* the user may not set it */
  apply();
  expect("SCHEDGPU_MANAGED", "pass");
}

static void with_a_budget_frameworks_take_what_they_need(void **state) {
  (void)state;
  plan.budget = true;
  apply();
  expect("TF_FORCE_GPU_ALLOW_GROWTH", "true");
  expect("XLA_PYTHON_CLIENT_PREALLOCATE", "false");
}

static void the_users_framework_variables_stay(void **state) {
  (void)state;
  plan.budget = true;
  set(NULL, "TF_FORCE_GPU_ALLOW_GROWTH", "false");
  set(NULL, "XLA_PYTHON_CLIENT_PREALLOCATE", "");
  apply();
  expect("TF_FORCE_GPU_ALLOW_GROWTH", "false");
  expect("XLA_PYTHON_CLIENT_PREALLOCATE", "");
}

static void expect_nothing_for_frameworks(void) {
  apply();
  expect("TF_FORCE_GPU_ALLOW_GROWTH", NULL);
  expect("XLA_PYTHON_CLIENT_PREALLOCATE", NULL);
}

static void without_a_budget_frameworks_are_left_alone(void **state) {
  (void)state;
  expect_nothing_for_frameworks();
}

static void the_site_may_leave_frameworks_alone(void **state) {
  (void)state;
  plan.budget = true;
  node.conf.framework_environment = false;
  expect_nothing_for_frameworks();
}

static void frameworks_of_an_unscheduled_task_are_left_alone(void **state) {
  (void)state;
  plan.budget = true;
  plan.fate = SG_FATE_UNSCHEDULED;
  expect_nothing_for_frameworks();
}

static void other_vendors_variables_are_only_corrected(void **state) {
  (void)state;
  set(NULL, "ROCR_VISIBLE_DEVICES", "3,4");
  apply();
  expect("ROCR_VISIBLE_DEVICES", "1,0");
  expect("ZE_AFFINITY_MASK", NULL);
}

static void local_numbers_are_places(void **state) {
  (void)state;
  const struct sg_task_env local = {.job_id = 42, .local_numbers = true, .visible = {1, {1}}};
  plan.devices = (struct sg_device_list){1, {1}};
  assert_int_equal(sg_task_env_apply(&local, &node, &plan, get, set, NULL), 0);
  expect("CUDA_VISIBLE_DEVICES", "0");
  expect("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  expect("SCHEDGPU_DEVICES", "GPU-1");
  expect("GPU_DEVICE_ORDINAL", "0");
}

static void expect_named(const struct sg_task_env *of, const char *visible, const char *order) {
  plan.devices = (struct sg_device_list){1, {1}};
  assert_int_equal(sg_task_env_apply(of, &node, &plan, get, set, NULL), 0);
  expect("CUDA_VISIBLE_DEVICES", visible);
  expect("CUDA_DEVICE_ORDER", order);
}

/* Slurm's numbers begin with 0, so they may be places or not: device 1 is 0 or 1. */
static void numbers_that_may_mean_another_device_are_uuids(void **state) {
  (void)state;
  expect_named(&env, "GPU-1", NULL);
  expect_named(&(struct sg_task_env){.job_id = 42, .global_numbers = true}, "1", "PCI_BUS_ID");
}

/* Device 1 is 1 among all that the task sees, too. */
static void numbers_that_mean_one_device_either_way_are_used(void **state) {
  (void)state;
  expect_named(&(struct sg_task_env){.job_id = 42, .visible = {2, {0, 1}}}, "1", "PCI_BUS_ID");
}

static void beside_mig_instances_numbers_of_the_node_are_uuids(void **state) {
  (void)state;
  node.devices.not_ours_count = 1;
  expect_named(&(struct sg_task_env){.job_id = 42, .global_numbers = true}, "GPU-1", NULL);
  const struct sg_task_env local = {.job_id = 42, .local_numbers = true, .visible = {1, {1}}};
  expect_named(&local, "0", "PCI_BUS_ID");
}

/* A job may open a GPU that gres.conf does not name, and CUDA counts it. */
static void beside_a_gpu_that_slurm_does_not_know_places_are_uuids(void **state) {
  (void)state;
  struct sg_task_env local = {
      .job_id = 42, .local_numbers = true, .others = true, .visible = {1, {1}}};
  expect_named(&local, "GPU-1", NULL);
  node.devices.not_ours_count = 1; /* it may be the GPU of MIG instances */
  expect_named(&local, "0", "PCI_BUS_ID");
}

/* With --gres-flags=allow-task-sharing. */
static void local_numbers_count_what_other_tasks_of_the_step_use(void **state) {
  (void)state;
  const struct sg_task_env local = {.job_id = 42, .local_numbers = true, .visible = {2, {0, 1}}};
  plan.devices = (struct sg_device_list){1, {1}};
  assert_int_equal(sg_task_env_apply(&local, &node, &plan, get, set, NULL), 0);
  expect("CUDA_VISIBLE_DEVICES", "1");
  expect("GPU_DEVICE_ORDINAL", "1");
}

static void off_names_the_devices_only(void **state) {
  (void)state;
  plan.fate = SG_FATE_OFF;
  apply();
  expect("CUDA_VISIBLE_DEVICES", "1,0");
  expect("SCHEDGPU_JOB", NULL);
  expect("SCHEDGPU_DEVICES", NULL);
  expect("LD_PRELOAD", NULL);
}

static void unknown_devices_are_left_as_slurm_set_them(void **state) {
  (void)state;
  plan = (struct sg_plan){.fate = SG_FATE_UNSCHEDULED};
  set(NULL, "CUDA_VISIBLE_DEVICES", "3");
  apply();
  expect("CUDA_VISIBLE_DEVICES", "3");
  assert_int_equal(count, 1);
}

static void a_task_without_gpus_is_left_alone(void **state) {
  (void)state;
  plan = (struct sg_plan){.fate = SG_FATE_UNSCHEDULED};
  set(NULL, "LD_PRELOAD", "/lib/libschedgpu-preload.so");
  apply();
  expect("LD_PRELOAD", "/lib/libschedgpu-preload.so");
  assert_int_equal(count, 1);
}

static void variables_of_an_enclosing_job_are_removed(void **state) {
  (void)state;
  plan = (struct sg_plan){.fate = SG_FATE_UNSCHEDULED};
  set(NULL, "SCHEDGPU_JOB", "slurm:41");
  set(NULL, "SCHEDGPU_RUN_DIR", "/run/schedgpu");
  set(NULL, "SCHEDGPU_DEVICES", "GPU-0");
  set(NULL, "SCHEDGPU_ON_FAILURE", "run");
  set(NULL, "SCHEDGPU_MANAGED", "pass");
  set(NULL, "LD_PRELOAD", "/lib/libschedgpu-preload.so:/users.so");
  apply();
  expect("SCHEDGPU_JOB", NULL);
  expect("SCHEDGPU_RUN_DIR", NULL);
  expect("SCHEDGPU_DEVICES", NULL);
  expect("SCHEDGPU_ON_FAILURE", NULL);
  expect("SCHEDGPU_MANAGED", NULL);
  expect("LD_PRELOAD", "/users.so");
}

static void a_nested_job_has_its_own(void **state) {
  (void)state;
  set(NULL, "SCHEDGPU_JOB", "slurm:41");
  set(NULL, "LD_PRELOAD", "/lib/libschedgpu-preload.so");
  apply();
  expect("SCHEDGPU_JOB", "slurm:42");
  expect("LD_PRELOAD", "/lib/libschedgpu-preload.so");
}

static void a_variable_that_cannot_be_set_is_an_error(void **state) {
  (void)state;
  refused = 1;
  assert_int_equal(sg_task_env_apply(&env, &node, &plan, get, set, NULL), SCHEDGPU_EINVAL);
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup(test, set_up)
  const struct CMUnitTest tests[] = {
      UNIT(a_scheduled_task_has_all_variables),
      UNIT(a_task_of_a_job_with_a_share_has_its_weight),
      UNIT(a_task_of_a_lane_job_has_its_policy_and_the_module),
      UNIT(behind_a_gate_a_task_has_all_but_the_preload),
      UNIT(behind_a_gate_an_enclosing_jobs_preload_is_removed),
      UNIT(a_container_of_a_scheduled_task_has_what_it_needs),
      UNIT(behind_a_gate_and_unscheduled_a_container_has_nothing),
      UNIT(the_task_gets_the_sites_choice_on_failure),
      UNIT(the_task_gets_the_sites_choice_for_managed_memory),
      UNIT(with_a_budget_frameworks_take_what_they_need),
      UNIT(the_users_framework_variables_stay),
      UNIT(without_a_budget_frameworks_are_left_alone),
      UNIT(the_site_may_leave_frameworks_alone),
      UNIT(frameworks_of_an_unscheduled_task_are_left_alone),
      UNIT(other_vendors_variables_are_only_corrected),
      UNIT(local_numbers_are_places),
      UNIT(numbers_that_may_mean_another_device_are_uuids),
      UNIT(numbers_that_mean_one_device_either_way_are_used),
      UNIT(beside_mig_instances_numbers_of_the_node_are_uuids),
      UNIT(beside_a_gpu_that_slurm_does_not_know_places_are_uuids),
      UNIT(local_numbers_count_what_other_tasks_of_the_step_use),
      UNIT(off_names_the_devices_only),
      UNIT(unknown_devices_are_left_as_slurm_set_them),
      UNIT(a_task_without_gpus_is_left_alone),
      UNIT(variables_of_an_enclosing_job_are_removed),
      UNIT(a_nested_job_has_its_own),
      UNIT(a_variable_that_cannot_be_set_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
