/* remote.c - see remote.h. */
#include "remote.h"
#include "bundle.h"
#include "component.h"
#include "driver_gpus.h"
#include "end_hint.h"
#include "gate.h"
#include "lane.h"
#include "learned.h"
#include "library.h"
#include "options.h"
#include "plan.h"
#include "shards.h"
#include "task_env.h"
#include "unscheduled.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Step ids with a meaning, as in slurm.h (SLURM_BATCH_SCRIPT and so on), which is not needed
 * otherwise.
 */
#define STEP_BATCH 0xfffffffbu
#define STEP_EXTERN 0xfffffffcu
#define STEP_INTERACTIVE 0xfffffffau
#define LIST_SIZE 8192
#define HINT_SIZE 512
#define TOLD_SIZE 1024
#define STEP_SIZE 16

/* Filled before slurmstepd forks the tasks, and read by them. */
static struct sg_node node;
static struct sg_plan plan;
static struct sg_task_env task_env;
static char gpus[LIST_SIZE];
static bool first_step;
static bool inherits;        /* the step was given no options itself */
static bool in_container;    /* `srun --container` */
static uint32_t tasks_ended; /* ended tasks of this step on this node */

static int get_env(void *context, const char *name, char *value, size_t size) {
  spank_err_t rc = spank_getenv(context, name, value, (int)size);
  if (rc == ESPANK_NOSPACE)
    return -1;
  return rc == ESPANK_SUCCESS;
}

static bool is_script(uint32_t step_id) {
  return step_id == STEP_BATCH || step_id == STEP_INTERACTIVE;
}

/**
 * Reads the virtual GPUs that Slurm assigned; "" if none. Slurm sets or removes SLURM_JOB_GPUS for
 * a script, and SLURM_STEP_GPUS for any other step. The other variable may come from the user's
 * environment.
 */
static void read_gpus(spank_t spank, uint32_t step_id) {
  const char *name = is_script(step_id) ? "SLURM_JOB_GPUS" : "SLURM_STEP_GPUS";
  if (get_env(spank, name, gpus, sizeof gpus) != 1)
    gpus[0] = '\0';
}

/**
 * Reads the options that srun left for this component of the step. The script, and a step that no
 * srun of this version started, have what the submit side left in the job's environment. For jobs
 * without a submit side, reads those that the user exported.
 */
static bool read_options(spank_t spank, uint32_t step_id) {
  struct sg_given *given = sg_options_given();
  uint32_t job_id = 0;
  bool own = true;
  int found = 0;
  snprintf(plan.reason, sizeof plan.reason, "%s", sg_options_error());
  if (plan.reason[0])
    return false;
  if (step_id != STEP_BATCH && spank_get_item(spank, S_JOB_ID, &job_id) == ESPANK_SUCCESS)
    found = sg_component_read(job_id, get_env, spank, given, &own, plan.reason, sizeof plan.reason);
  inherits = !own;
  if (found != 0)
    return found == 1;
  return sg_options_from_env(given, "SLURM_SPANK_", get_env, spank, plan.reason,
                             sizeof plan.reason) == SCHEDGPU_OK &&
         sg_options_from_env(given, "", get_env, spank, plan.reason, sizeof plan.reason) ==
             SCHEDGPU_OK;
}

/** Reads the job's name, which Slurm always sets. The user may set it too (learned.h). */
static void read_name(spank_t spank) {
  char name[LIST_SIZE];
  if (get_env(spank, "SLURM_JOB_NAME", name, sizeof name) == 1)
    sg_take_job_name(&sg_options_given()->options, name);
}

/** Reads Slurm's time limit, from Slurm 23.02 on, for the length of a lane job. */
static void read_limit(spank_t spank) {
  char start[32], end[32];
  if (get_env(spank, "SLURM_JOB_START_TIME", start, sizeof start) == 1 &&
      get_env(spank, "SLURM_JOB_END_TIME", end, sizeof end) == 1)
    sg_lane_take_limit(&sg_options_given()->options, start, end);
}

/** Reads the number of nodes of the job; Slurm's own number may be that of the step. */
static void read_nodes(spank_t spank) {
  struct sg_job_options *options = &sg_options_given()->options;
  char nodes[32];
  uint32_t count = 0;
  if (spank_get_item(spank, S_JOB_NNODES, &count) == ESPANK_SUCCESS && count > options->nodes)
    options->nodes = count;
  if (get_env(spank, "SLURM_JOB_NUM_NODES", nodes, sizeof nodes) == 1)
    sg_lane_take_nodes(options, nodes);
}

/**
 * Reads the number of shards, which Slurm sets for every step that has some. A step of the job may
 * have less than the job, so only the first one says what the job has.
 */
static void read_shards(spank_t spank) {
  char number[32];
  if (get_env(spank, "SLURM_SHARDS_ON_NODE", number, sizeof number) == 1)
    sg_options_given()->options.shards = sg_parse_shards(number);
}

static bool is_first(spank_t spank, uint32_t step_id) {
  char ignored[LIST_SIZE];
  if (is_script(step_id))
    return true;
  return step_id == 0 && get_env(spank, "SLURM_JOB_GPUS", ignored, sizeof ignored) == 0;
}

static void make_plan(spank_t spank, uint32_t step_id, const char *conf_path) {
  uint32_t job_id = 0;
  uid_t uid = 0;
  if (spank_get_item(spank, S_JOB_ID, &job_id) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_UID, &uid) != ESPANK_SUCCESS) {
    plan.fate = SG_FATE_UNSCHEDULED;
    snprintf(plan.reason, sizeof plan.reason, "Slurm does not give the id and user of the job");
    return;
  }
  struct sg_step step = {.job_id = job_id,
                         .uid = uid,
                         .kind = step_id == STEP_BATCH ? SG_STEP_BATCH : SG_STEP_SRUN,
                         .inherits = inherits,
                         .first = is_first(spank, step_id),
                         .gpus = gpus,
                         .conf_path = conf_path};
  task_env.job_id = job_id;
  first_step = step.first;
  if (step.first)
    read_shards(spank);
  sg_plan_make(&step, sg_options_given(), &node, &plan);
}

int sg_remote_init_post_opt(spank_t spank, const char *conf_path) {
  char numbers[LIST_SIZE];
  uint32_t step_id = 0;
  if (spank_get_item(spank, S_JOB_STEPID, &step_id) != ESPANK_SUCCESS || step_id == STEP_EXTERN)
    return 0;
  read_gpus(spank, step_id);
  if (!gpus[0])
    return 0;
  if (!read_options(spank, step_id)) {
    plan.fate = SG_FATE_REFUSED;
    return 0;
  }
  read_name(spank);
  read_limit(spank);
  read_nodes(spank);
  make_plan(spank, step_id, conf_path);
  bool numbered = get_env(spank, "CUDA_VISIBLE_DEVICES", numbers, sizeof numbers) == 1;
  task_env.local_numbers = numbered && sg_numbers_are_local(gpus, numbers);
  task_env.global_numbers = numbered && sg_numbers_are_global(gpus, numbers);
  task_env.others = sg_driver_has_others(SG_DRIVER_GPUS, &node.devices);
  return 0;
}

static int set_env(void *context, const char *name, const char *value) {
  spank_err_t rc = value ? spank_setenv(context, name, value, 1) : spank_unsetenv(context, name);
  if (in_container && sg_bundle_leave(name, value) != 0)
    return -1;
  return rc == ESPANK_SUCCESS ? 0 : -1;
}

/** True for the one task per node that prints messages: the first. */
static bool prints_messages(spank_t spank) {
  int task = 0;
  return spank_get_item(spank, S_TASK_ID, &task) != ESPANK_SUCCESS || task == 0;
}

static void print_notice(void) {
  char name[256];
  sg_node_name(name, sizeof name);
  if (plan.notice[0])
    slurm_spank_log("schedgpu: %s: %s", name, plan.notice);
}

static void print_fate(void) {
  char name[256];
  sg_node_name(name, sizeof name);
  if (plan.fate == SG_FATE_REFUSED)
    slurm_error("schedgpu: %s: the job cannot run: %s", name, plan.reason);
  else if (plan.fate == SG_FATE_UNSCHEDULED)
    slurm_spank_log("schedgpu: %s: warning: the job runs without GPU memory scheduling: %s", name,
                    plan.reason);
  else if (in_container && plan.fate == SG_FATE_SCHEDULED && !plan.gate &&
           !sg_bundle_is_extended(getenv("SLURM_CONF")))
    slurm_spank_log(
        "schedgpu: %s: warning: the programs in this container run unscheduled: oci.conf "
        "does not start schedgpu-bundle: ask the administrator, or take "
        "--schedgpu-mode=gate",
        name);
}

/** As the user: root, who made the plan, may read more. */
static void check_library(void) {
  char reason[SG_PLAN_TEXT];
  if (plan.fate == SG_FATE_SCHEDULED && !plan.gate &&
      !sg_library_loads(node.conf.preload_library, reason, sizeof reason))
    sg_plan_fail(&plan, &node, reason);
}

int sg_remote_task_init(spank_t spank) {
  char task_gpus[LIST_SIZE], bundle[PATH_MAX];
  bool print = prints_messages(spank);
  in_container = get_env(spank, "SLURM_CONTAINER", bundle, sizeof bundle) != 0;
  if (print)
    print_notice();
  if (!sg_task_env_fits(&node, &plan, get_env, spank))
    sg_plan_fail(&plan, &node, "LD_PRELOAD has no room for one more library: make it shorter");
  check_library();
  sg_gate_pass(&node, task_env.job_id, print, &plan);
  if (print)
    print_fate();
  if (plan.fate == SG_FATE_REFUSED)
    return -1;
  if (sg_component_remove(get_env, set_env, spank) != 0) {
    slurm_error("schedgpu: the environment of the task cannot be set");
    return -1;
  }
  bool own = get_env(spank, "SLURM_STEP_GPUS", task_gpus, sizeof task_gpus) == 1;
  if (sg_device_list_narrow(&node.devices, own ? task_gpus : NULL, sg_may_open_file, &plan.devices,
                            &task_env.visible))
    task_env.local_numbers = true;
  if (sg_task_env_apply(&task_env, &node, &plan, get_env, set_env, spank) == SCHEDGPU_OK)
    return 0;
  slurm_error("schedgpu: the environment of the task cannot be set");
  return -1;
}

static bool is_last_task(spank_t spank) {
  uint32_t tasks = 0;
  tasks_ended++;
  return spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &tasks) == ESPANK_SUCCESS &&
         tasks_ended == tasks;
}

/** A learned budget needs no hint. */
static bool wants_hint(void) {
  return first_step && !plan.learned && node.conf.end_hint;
}

static bool hint(char *text, size_t size) {
  schedgpu_admin *admin;
  if (schedgpu_admin_open(node.conf.run_dir, &admin) != SCHEDGPU_OK)
    return false;
  bool found = sg_end_hint(admin, SCHEDGPU_JOB_SLURM, task_env.job_id, text, size);
  schedgpu_admin_close(admin);
  return found;
}

/** The step, as Slurm names its control group. */
static const char *step_name(spank_t spank, char text[static STEP_SIZE]) {
  uint32_t step_id = 0;
  if (spank_get_item(spank, S_JOB_STEPID, &step_id) != ESPANK_SUCCESS)
    return "";
  if (is_script(step_id))
    return step_id == STEP_BATCH ? "batch" : "interactive";
  snprintf(text, STEP_SIZE, "%u", step_id);
  return text;
}

/** True if there was something to print. */
static bool print_unscheduled(const char *step) {
  char name[256], text[TOLD_SIZE];
  if (!sg_unscheduled_text(node.conf.run_dir, SCHEDGPU_JOB_SLURM, task_env.job_id, step, text,
                           sizeof text))
    return false;
  sg_node_name(name, sizeof name);
  slurm_spank_log("schedgpu: %s: %s", name, text);
  return true;
}

/**
 * The end of the first step is that of the script, or of a direct srun, which ends the job. A hint
 * would count what the program beside it used as nothing.
 */
int sg_remote_task_exit(spank_t spank) {
  char name[256], text[HINT_SIZE], step[STEP_SIZE];
  if (!is_last_task(spank) || plan.fate != SG_FATE_SCHEDULED)
    return 0;
  bool told = print_unscheduled(step_name(spank, step));
  if (first_step)
    told |= print_unscheduled("");
  if (told || !wants_hint() || !hint(text, sizeof text))
    return 0;
  sg_node_name(name, sizeof name);
  slurm_spank_log("schedgpu: %s: %s", name, text);
  return 0;
}
