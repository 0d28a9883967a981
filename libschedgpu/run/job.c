/* job.c - see job.h. */
#include "job.h"
#include "../conf/conf_keys.h"
#include "../node/job_env.h"
#include "../node/lane.h"
#include "../node/learned.h"
#include "../node/node.h"
#include "../node/run_decision.h"
#include "../shell/sys/cgroup_job.h"
#include "ask.h"
#include "command.h"
#include "files.h"
#include "schedgpu/schedgpu.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAIL(job, ...) snprintf((job)->error, sizeof(job)->error, __VA_ARGS__)

void sgr_job_name(const char *command, char *name, size_t size) {
  size_t end = strlen(command);
  while (end > 0 && command[end - 1] == '/')
    end--;
  size_t start = end;
  while (start > 0 && command[start - 1] != '/')
    start--;
  snprintf(name, size, "%.*s", (int)(end - start), command + start);
}

enum sgr_fate sgr_job_refuse_inside(const char *cgroups, uint32_t uid, const char *command,
                                    char *error, size_t error_size) {
  struct sg_group_job group;
  char which[32] = "a Slurm job";
  if (uid == 0 || !sg_cgroup_job(cgroups, &group))
    return SGR_BEGUN;
  if (!group.sluid[0])
    snprintf(which, sizeof which, "Slurm job %llu", (unsigned long long)group.job_id);
  snprintf(error, error_size,
           "%s is not run: this is inside %s, which has a budget of its own: leave schedgpu run "
           "out, the job's --schedgpu-mem counts",
           command, which);
  return SGR_FAILED;
}

/** Maps an error to a fate: SGR_FAILED if the job itself is wrong, SGR_UNSCHEDULABLE if the node
 * is. */
static enum sgr_fate fate_of(int rc) {
  bool of_the_job = rc == SCHEDGPU_EINVAL || rc == SCHEDGPU_ETOOBIG || rc == SCHEDGPU_EWOULDBLOCK ||
                    rc == SCHEDGPU_EFULL; /* or a user over the share would run beside all others */
  return rc == SCHEDGPU_OK ? SGR_BEGUN : of_the_job ? SGR_FAILED : SGR_UNSCHEDULABLE;
}

bool sgr_job_refuses(const struct sgr_job *job) {
  const char *said = job->arguments.on_failure;
  return said ? strcmp(said, "refuse") == 0 : job->conf_read && job->conf.refuse_on_failure;
}

static bool is_gate(const struct sgr_job *job) {
  return sg_option_number(&job->options, SG_OPTION_mode) == SCHEDGPU_MODE_GATE;
}

static enum sgr_fate take_options(struct sgr_job *job) {
  const struct sgr_arguments *a = &job->arguments;
  char name[SCHEDGPU_NAME_SIZE * 2];
  int rc = SCHEDGPU_OK;
  job->options = (struct sg_job_options){.of_run = true};
  sgr_job_name(a->command[0], name, sizeof name);
  sg_take_job_name(&job->options, name);
  for (enum sg_option o = 0; rc == SCHEDGPU_OK && o < SG_OPTIONS; o++)
    if (a->option[o] && a->option[o][0])
      rc = sg_option_take(&job->options, o, a->option[o], job->error, sizeof job->error);
  if (rc == SCHEDGPU_OK)
    rc = sg_options_check(&job->options, job->error, sizeof job->error);
  return rc == SCHEDGPU_OK ? SGR_BEGUN : SGR_WRONG_USAGE;
}

/**
 * Copies the job's devices from those of the node into `own`. False with a message if the node
 * lacks one.
 */
static bool choose_devices(struct sgr_job *job, struct schedgpu_setup *own) {
  const struct schedgpu_setup *node = &job->registration.devices;
  for (uint32_t i = 0; i < job->arguments.device_count; i++) {
    uint32_t d = 0;
    while (d < node->device_count && node->device[d].index != job->arguments.device[i])
      d++;
    if (d < node->device_count) {
      own->device[own->device_count++] = node->device[d];
      continue;
    }
    size_t used = (size_t)FAIL(job, "--device=%u: must be a device of this node: it has",
                               job->arguments.device[i]);
    for (d = 0; d < node->device_count; d++)
      used += (size_t)snprintf(job->error + used, sizeof job->error - used, "%s%u", d ? ", " : " ",
                               node->device[d].index);
    return false;
  }
  return true;
}

/** The agent begins no lane jobs but those with a share. */
static enum sgr_fate check_lane(struct sgr_job *job) {
  uint32_t lane = job->registration.job.lane;
  if (lane == SCHEDGPU_LANE_NONE || lane == SCHEDGPU_LANE_SHARE || job->registration.admin)
    return SGR_BEGUN;
  struct sg_lane_option asked = sg_lane_option(&job->options);
  FAIL(job,
       "--%s=%s: only the agent may write the region of %s, and then there are no lanes: "
       "leave it out",
       asked.name, asked.value, job->run_dir);
  return SGR_WRONG_USAGE;
}

static enum sgr_fate decide(struct sgr_job *job) {
  struct schedgpu_setup own = {0};
  if (!choose_devices(job, &own))
    return SGR_WRONG_USAGE;
  uint64_t known = 0;
  if (sg_takes_learned(&job->conf, &job->options))
    sgr_ask_learned(job->run_dir, job->options.job_name, SGR_LEARNED_BUDGET, &known);
  if (sg_takes_learned_persistent(&job->options))
    job->unmeasured = !sgr_ask_learned(job->run_dir, job->options.job_name, SGR_LEARNED_PERSISTENT,
                                       &job->options.learned_persistent);
  int rc = sg_run_decide(&job->conf, &own, &job->options, geteuid(), known, &job->registration.job,
                         &job->learned, job->error, sizeof job->error);
  if (rc != SCHEDGPU_OK)
    return rc == SCHEDGPU_ESYSTEM ? SGR_UNSCHEDULABLE : SGR_WRONG_USAGE;
  return check_lane(job);
}

/** Creates the region by `schedgpu setup`, which is the only code that does. */
static bool make_region(struct sgr_job *job) {
  const char *context = job->arguments.context ? job->arguments.context : "512M";
  char *words[] = {(char *)(uintptr_t)job->schedgpu,
                   "setup",
                   "--run-dir",
                   job->run_dir,
                   "--context",
                   (char *)(uintptr_t)context,
                   job->arguments.conf ? "--conf" : NULL,
                   (char *)(uintptr_t)job->arguments.conf,
                   NULL};
  int code = sgr_command_ask(words, job->users, job->error, sizeof job->error);
  if (code < 0)
    FAIL(job, "%s: cannot be started (%s), and there is no region: run schedgpu setup",
         job->schedgpu, strerror(errno));
  return code == 0;
}

static enum sgr_fate open_registration(struct sgr_job *job) {
  job->registration.error = job->error;
  job->registration.error_size = sizeof job->error;
  int rc = sgr_registration_open(&job->registration, job->run_dir);
  if (rc == SCHEDGPU_ENOREGION && make_region(job))
    rc = sgr_registration_open(&job->registration, job->run_dir);
  return fate_of(rc);
}

static int set(void *context, const char *name, const char *value) {
  (void)context;
  return value ? setenv(name, value, 1) : unsetenv(name);
}

/** Writes the job's devices with commas, as UUIDs or as numbers. */
static void list_devices(const struct sgr_registration *registration, bool numbers, char *list,
                         size_t size) {
  size_t used = 0;
  for (uint32_t d = 0; d < registration->devices.device_count; d++) {
    const struct schedgpu_device_spec *device = &registration->devices.device[d];
    const char *comma = used ? "," : "";
    if (!(registration->job.device_mask & 1u << device->index))
      continue;
    used += (size_t)(numbers ? snprintf(list + used, size - used, "%s%u", comma, device->index)
                             : snprintf(list + used, size - used, "%s%s", comma, device->uuid));
  }
}

static uint32_t devices_of_node(const struct sgr_registration *registration) {
  uint32_t mask = 0;
  for (uint32_t d = 0; d < registration->devices.device_count; d++)
    mask |= 1u << registration->devices.device[d].index;
  return mask;
}

static bool has_budget(const struct schedgpu_job_spec *spec) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (spec->budget_bytes[d] > 0)
      return true;
  return false;
}

static enum sgr_fate apply_environment(struct sgr_job *job) {
  char reference[32], share[SG_WEIGHT_TEXT], numbers[128],
      uuids[SCHEDGPU_MAX_DEVICES * (SCHEDGPU_UUID_SIZE + 1)];
  const struct schedgpu_job_spec *spec = &job->registration.job;
  snprintf(reference, sizeof reference, "run:%llu", (unsigned long long)spec->job_id);
  const struct sg_job_env env = {.job = reference,
                                 .run_dir = job->run_dir,
                                 .library = job->library,
                                 .ours = "libschedgpu-preload.so",
                                 .lane = sg_lane_text(spec),
                                 .share = sg_weight_text(sg_weight_of(spec), share),
                                 .python = job->conf.python_path,
                                 .refuse = sgr_job_refuses(job),
                                 .managed_passes = job->conf.managed_passes,
                                 .frameworks = has_budget(spec) && job->conf.framework_environment};
  list_devices(&job->registration, false, uuids, sizeof uuids);
  list_devices(&job->registration, true, numbers, sizeof numbers);
  const struct sg_device_names names = {
      uuids, numbers,
      sg_job_env_sees("/dev", devices_of_node(&job->registration), sg_env_get_own, NULL)};
  if (sg_job_env_devices(&names, true, sg_env_get_own, set, NULL) == SCHEDGPU_OK &&
      sg_job_env_apply(&env, sg_env_get_own, set, NULL) == SCHEDGPU_OK)
    return SGR_BEGUN;
  FAIL(job, "the environment is too large: shorten LD_PRELOAD");
  return SGR_FAILED;
}

enum sgr_fate sgr_job_begin(struct sgr_job *job) {
  enum sgr_fate fate = take_options(job);
  if (fate != SGR_BEGUN)
    return fate;
  if (!sgr_read_conf(job) || !sgr_find_run_dir(job) || (!is_gate(job) && !sgr_find_library(job)))
    return SGR_UNSCHEDULABLE;
  fate = open_registration(job);
  if (fate == SGR_BEGUN)
    fate = decide(job);
  if (fate == SGR_BEGUN)
    fate = fate_of(sgr_registration_begin(&job->registration));
  return fate == SGR_BEGUN ? apply_environment(job) : fate;
}

enum sgr_fate sgr_job_pass_gate(struct sgr_job *job, bool *passed) {
  *passed = true;
  if (job->registration.job.mode != SCHEDGPU_MODE_GATE)
    return SGR_BEGUN;
  schedgpu_set_wait_observer(schedgpu_print_wait, NULL);
  int rc = schedgpu_gate(SCHEDGPU_JOB_WAIT);
  int saved = errno;
  schedgpu_set_wait_observer(NULL, NULL);
  schedgpu_detach(); /* the job holds the budget, this process holds nothing */
  *passed = rc != SCHEDGPU_ETIMEDOUT;
  if (rc == SCHEDGPU_OK || rc == SCHEDGPU_ETIMEDOUT)
    return SGR_BEGUN;
  FAIL(job, "cannot reserve the budget of job run:%llu: %s%s%s",
       (unsigned long long)job->registration.job.job_id, schedgpu_strerror(rc),
       rc == SCHEDGPU_ESYSTEM ? ": " : "", rc == SCHEDGPU_ESYSTEM ? strerror(saved) : "");
  return fate_of(rc);
}
