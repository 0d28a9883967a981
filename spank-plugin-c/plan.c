/* plan.c - see plan.h. */
#include "plan.h"
#include "lane.h"
#include "learned.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_GPUS 1024

/**
 * Joins the lines of a message: the configuration has a line per problem, a job's stderr gets one
 * line.
 */
static void to_one_line(char *text) {
  while ((text = strchr(text, '\n')))
    *text = ';';
}

/** The node cannot schedule the job: OnFailure decides. */
static void fail(struct sg_plan *plan, const struct sg_node *node) {
  plan->fate = node->conf.refuse_on_failure ? SG_FATE_REFUSED : SG_FATE_UNSCHEDULED;
  to_one_line(plan->reason);
}

void sg_plan_fail(struct sg_plan *plan, const struct sg_node *node, const char *reason) {
  snprintf(plan->reason, sizeof plan->reason, "%s", reason);
  fail(plan, node);
}

/** The job itself is wrong, as it would be on any node. */
static void refuse(struct sg_plan *plan) {
  plan->fate = SG_FATE_REFUSED;
  to_one_line(plan->reason);
}

static bool check_preload(const struct sg_node *node, struct sg_plan *plan) {
  const char *library = node->conf.preload_library;
  if (access(library, R_OK) == 0)
    return true;
  snprintf(plan->reason, sizeof plan->reason,
           "PreloadLibrary=%s: %s: install it, or correct schedgpu.conf", library, strerror(errno));
  return false;
}

static bool find_devices(const struct sg_step *step, struct sg_node *node, struct sg_plan *plan) {
  char path[PATH_MAX];
  sg_find_conf(step->conf_path, path, sizeof path);
  if (sg_node_read(node, path, plan->reason, sizeof plan->reason) != SCHEDGPU_OK)
    return false;
  if (sg_device_list_parse(&node->devices, step->gpus, &plan->devices) == SCHEDGPU_OK)
    return true;
  snprintf(plan->reason, sizeof plan->reason,
           "the virtual GPUs %s are not all in %s: run `schedgpu gres` for this node", step->gpus,
           node->conf.devices_file);
  return false;
}

static int decide(const struct sg_step *step, const struct sg_given *given,
                  const struct sg_node *node, struct schedgpu_job_spec *spec,
                  struct sg_plan *plan) {
  uint16_t index[MAX_GPUS];
  int count = sg_parse_index_list(step->gpus, index, MAX_GPUS);
  if (count < 0)
    return count;
  return sg_decide_job(&node->conf, &node->devices, &given->options, step->job_id, step->uid, index,
                       (uint32_t)count, spec, plan->notice, sizeof plan->notice, plan->reason,
                       sizeof plan->reason);
}

static bool any_given(const struct sg_job_options *options) {
  for (enum sg_option o = 0; o < SG_OPTIONS; o++)
    if (sg_option_text(options, o)[0])
      return true;
  return false;
}

/** A step that was given no options of its own: those that it has are the job's. */
static bool asks_for_nothing(const struct sg_step *step, const struct sg_job_options *options) {
  return (step->inherits || !any_given(options)) && !options->distinct;
}

/** True if the job has all devices of the step. */
static bool covers(const struct schedgpu_job_spec *job, const struct sg_device_list *devices) {
  for (uint32_t d = 0; d < devices->count; d++)
    if (!(job->device_mask & 1u << devices->index[d]))
      return false;
  return true;
}

/**
 * True if the registered job is all that the step gets, so that nothing is decided again: it is a
 * later step without options of its own, on devices of a job that has its name. A lane job on
 * several nodes is refused elsewhere. `job` gets its terms.
 */
static bool is_decided(const struct sg_step *step, const struct sg_given *given,
                       const struct sg_node *node, const struct sg_device_list *devices,
                       struct schedgpu_job_spec *job) {
  schedgpu_admin *admin;
  if (step->first || !asks_for_nothing(step, &given->options) ||
      schedgpu_admin_open(node->conf.run_dir, &admin) != SCHEDGPU_OK)
    return false;
  schedgpu_admin_set_timeout(admin, node->conf.hook_timeout_ns);
  int rc = schedgpu_admin_job_find(admin, SCHEDGPU_JOB_SLURM, step->job_id, job);
  if (rc == SCHEDGPU_ELOCK)
    schedgpu_admin_set_timeout(admin, 0);
  schedgpu_admin_close(admin);
  return rc == SCHEDGPU_OK && job->uid == step->uid && covers(job, devices) &&
         (job->name[0] || !given->options.job_name[0]) &&
         (job->lane == SCHEDGPU_LANE_NONE || given->options.nodes <= 1);
}

static bool overflow_waits(const struct schedgpu_job_spec *spec) {
  return spec->flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
}

/** True if the job has, on the step's devices, what the step would get. */
static bool same_terms(const struct schedgpu_job_spec *job, const struct schedgpu_job_spec *step) {
  for (enum sg_option o = 0; o < SG_OPTIONS; o++)
    if (!sg_option_rows[o].same(job, step))
      return false;
  return true;
}

/** True if the job has, on the step's devices, what the options of the step ask for. */
static bool applies(const struct sg_job_options *options, const struct schedgpu_job_spec *job,
                    const struct schedgpu_job_spec *step) {
  for (enum sg_option o = 0; o < SG_OPTIONS; o++)
    if (sg_option_text(options, o)[0] && !sg_option_rows[o].same(job, step))
      return false;
  return true;
}

/**
 * The terms of the job for its devices, and those of the step for devices that only the step knows.
 */
static struct schedgpu_job_spec add_devices(const struct schedgpu_job_spec *job,
                                            const struct schedgpu_job_spec *step) {
  struct schedgpu_job_spec both = *job;
  both.device_mask |= step->device_mask;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    if (!(job->device_mask & 1u << d))
      both.budget_bytes[d] = step->budget_bytes[d];
  }
  return both;
}

/**
 * True if the prolog decided by the same options: the step would get what the job has, or would
 * without a name and shards.
 */
static bool decided_by_same_options(const struct sg_step *step, const struct sg_given *given,
                                    const struct sg_node *node,
                                    const struct schedgpu_job_spec *decided,
                                    const struct schedgpu_job_spec *job) {
  static struct sg_plan ignored;
  if (decided->device_mask == job->device_mask && same_terms(job, decided))
    return true;
  struct schedgpu_job_spec spec = {0};
  struct sg_given nameless = *given;
  nameless.options.job_name[0] = '\0';
  nameless.options.shards = 0;
  return decide(step, &nameless, node, &spec, &ignored) == SCHEDGPU_OK &&
         spec.device_mask == job->device_mask && same_terms(job, &spec);
}

/** Completes the record of the job with its name and the budget of its shards, which the prolog
 * does not know. The first step knows both, and so the learned budget. Options of the job and
 * memory in use stay as they are. */
static int add_name(const struct sg_step *step, const struct sg_given *given,
                    const struct sg_node *node, schedgpu_admin *admin,
                    const struct schedgpu_job_spec *decided, struct schedgpu_job_spec *job) {
  struct schedgpu_job_spec named = *job;
  if (decided_by_same_options(step, given, node, decided, job) &&
      schedgpu_admin_job_begin(admin, decided) == SCHEDGPU_OK) {
    *job = *decided;
    return SCHEDGPU_OK;
  }
  memcpy(named.name, decided->name, sizeof named.name);
  int rc = schedgpu_admin_job_begin(admin, &named);
  if (rc == SCHEDGPU_OK)
    *job = named;
  return rc;
}

/**
 * Changes `spec` to the terms in force, if the prolog registered the job. The options of a batch
 * script are those of the job, and may not have reached the prolog (jobs through slurmrestd). The
 * options of a step inside a job are ignored, and it is told so if it was given other ones.
 */
static int join_registered(const struct sg_step *step, const struct sg_given *given,
                           const struct sg_node *node, schedgpu_admin *admin,
                           const struct schedgpu_job_spec *job, struct schedgpu_job_spec *spec,
                           struct sg_plan *plan) {
  bool same = same_terms(job, spec), covered = (spec->device_mask & ~job->device_mask) == 0;
  if (step->kind != SG_STEP_BATCH) {
    if (!step->inherits && !applies(&given->options, job, spec))
      snprintf(plan->notice, sizeof plan->notice,
               "ignoring the step's --schedgpu-* options: those of job %llu are in force",
               (unsigned long long)step->job_id);
    *spec = add_devices(job, spec);
    if (sg_lane_check_devices(&given->options, spec, plan->reason, sizeof plan->reason) != 0) {
      refuse(plan);
      return SCHEDGPU_EINVAL;
    }
    same = true;
  }
  if (covered && (same || !any_given(&given->options))) {
    *spec = *job;
    return SCHEDGPU_OK;
  }
  if (job->name[0])
    memcpy(spec->name, job->name, sizeof spec->name);
  return sg_register_job(node, admin, spec, false, plan->reason, sizeof plan->reason);
}

static int join(const struct sg_step *step, const struct sg_given *given,
                const struct sg_node *node, schedgpu_admin *admin, struct schedgpu_job_spec *spec,
                struct sg_plan *plan) {
  struct schedgpu_job_spec job;
  int rc = schedgpu_admin_job_find(admin, spec->kind, spec->job_id, &job);
  bool there = rc == SCHEDGPU_OK && job.uid == spec->uid;
  if (there && !job.name[0] && (spec->name[0] || given->options.shards > 0)) {
    rc = add_name(step, given, node, admin, spec, &job);
    if (rc != SCHEDGPU_OK)
      return sg_explain(admin, rc, "naming the job", plan->reason, sizeof plan->reason);
  }
  if (there)
    return join_registered(step, given, node, admin, &job, spec, plan);
  if (rc == SCHEDGPU_OK || rc == SCHEDGPU_ENOJOB)
    return sg_register_job(node, admin, spec, false, plan->reason, sizeof plan->reason);
  return sg_explain(admin, rc, "looking for the job", plan->reason, sizeof plan->reason);
}

static int join_region(const struct sg_step *step, const struct sg_given *given,
                       const struct sg_node *node, struct schedgpu_job_spec *spec,
                       struct sg_plan *plan) {
  schedgpu_admin *admin;
  int rc = sg_open_region(&node->conf, &node->devices, &admin, plan->reason, sizeof plan->reason);
  if (rc != SCHEDGPU_OK)
    return rc;
  schedgpu_admin_set_timeout(admin, node->conf.hook_timeout_ns);
  rc = join(step, given, node, admin, spec, plan);
  if (rc == SCHEDGPU_ELOCK)
    schedgpu_admin_set_timeout(admin, 0);
  schedgpu_admin_close(admin);
  return rc;
}

/** Tells the user about a learned budget, and what happens if it is too small. */
static void report_learned(const struct schedgpu_job_spec *spec, struct sg_plan *plan) {
  uint64_t bytes = 0;
  char text[24];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (spec->budget_bytes[d] > bytes)
      bytes = spec->budget_bytes[d];
  snprintf(plan->notice, sizeof plan->notice,
           "no --schedgpu-mem: %s, as earlier runs of %s needed; for more it waits",
           schedgpu_format_bytes(bytes, text), spec->name);
}

/** Tells the user about learned persistent memory. */
static void report_persistent(const struct schedgpu_job_spec *spec, struct sg_plan *plan) {
  char text[24];
  snprintf(plan->notice, sizeof plan->notice,
           "no --schedgpu-persistent: %s, as earlier runs of %s kept between iterations",
           schedgpu_format_bytes(spec->persistent_bytes, text), spec->name);
}

/** The node cannot schedule the job, or it turned out that no node could. */
static void fail_unless_refused(struct sg_plan *plan, const struct sg_node *node) {
  if (plan->fate != SG_FATE_REFUSED)
    fail(plan, node);
}

static bool has_budget(const struct schedgpu_job_spec *spec) {
  uint64_t bytes = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    bytes |= spec->budget_bytes[d];
  return bytes != 0;
}

/** Decides what the step gets, and registers what the region does not have yet. */
static int decide_and_join(const struct sg_step *step, const struct sg_given *given,
                           const struct sg_node *node, struct schedgpu_job_spec *spec,
                           struct sg_plan *plan) {
  int rc = decide(step, given, node, spec, plan);
  if (!step->first)
    plan->notice[0] = '\0';
  if (rc == SCHEDGPU_EINVAL || rc == SCHEDGPU_ETOOBIG)
    refuse(plan);
  return rc == SCHEDGPU_OK ? join_region(step, given, node, spec, plan) : rc;
}

static void schedule(const struct sg_step *step, const struct sg_given *given, struct sg_node *node,
                     struct sg_plan *plan) {
  struct schedgpu_job_spec spec = {0};
  if (!is_decided(step, given, node, &plan->devices, &spec) &&
      decide_and_join(step, given, node, &spec, plan) != SCHEDGPU_OK)
    fail_unless_refused(plan, node);
  else if (spec.mode != SCHEDGPU_MODE_GATE && !check_preload(node, plan))
    fail(plan, node);
  else
    plan->fate = SG_FATE_SCHEDULED;
  plan->learned = plan->fate == SG_FATE_SCHEDULED && spec.mode == SCHEDGPU_MODE_PEAK &&
                  overflow_waits(&spec) &&
                  sg_learned_bytes(&node->conf, &given->options, step->uid) > 0;
  if (plan->learned && step->first && !plan->notice[0])
    report_learned(&spec, plan);
  bool kept = plan->fate == SG_FATE_SCHEDULED && spec.persistent_bytes != 0 &&
              sg_takes_learned_persistent(&given->options);
  if (kept && step->first && !plan->notice[0])
    report_persistent(&spec, plan);
  plan->gate = spec.mode == SCHEDGPU_MODE_GATE;
  plan->lane = sg_lane_text(&spec);
  plan->share = sg_weight_of(&spec);
  plan->budget = has_budget(&spec);
}

/**
 * Ends a job that the prolog registered although the user set --schedgpu=off: the prolog does not
 * see the options of jobs through slurmrestd.
 */
static void forget_job(const struct sg_step *step, const struct sg_node *node) {
  schedgpu_admin *admin;
  if (step->kind != SG_STEP_BATCH || schedgpu_admin_open(node->conf.run_dir, &admin) != SCHEDGPU_OK)
    return;
  schedgpu_admin_set_timeout(admin, node->conf.hook_timeout_ns);
  if (schedgpu_admin_job_end(admin, SCHEDGPU_JOB_SLURM, step->job_id) == SCHEDGPU_ELOCK)
    schedgpu_admin_set_timeout(admin, 0);
  schedgpu_admin_close(admin);
}

void sg_plan_make(const struct sg_step *step, const struct sg_given *given, struct sg_node *node,
                  struct sg_plan *plan) {
  *plan = (struct sg_plan){.fate = SG_FATE_NO_GPU};
  if (!step->gpus[0])
    return;
  bool known = find_devices(step, node, plan);
  if (known && plan->devices.count == 0)
    return; /* MIG instances and other GPUs that are not ours */
  if (given->options.off) {
    plan->fate = known ? SG_FATE_OFF : SG_FATE_UNSCHEDULED;
    forget_job(step, node);
    to_one_line(plan->reason);
  } else if (!known) {
    fail(plan, node);
  } else {
    schedule(step, given, node, plan);
  }
}
