/*
 * plan.h - what a step of a job gets on this node, decided as root before its tasks start. The part
 * of the plugin that knows the region; knows nothing of Slurm's interfaces.
 */
#ifndef SG_PLAN_H
#define SG_PLAN_H

#include "device_list.h"
#include "node.h"
#include "options_env.h"

#define SG_PLAN_TEXT (2 * PATH_MAX)
#define SG_PLAN_NOTICE 512

/** What a step is to its job. */
enum sg_step_kind {
  SG_STEP_BATCH, /**< the job's script: its options are the job's */
  SG_STEP_SRUN,  /**< a step, or the only one of a direct srun */
};

/** The step, from what Slurm itself says (never from CUDA_VISIBLE_DEVICES). */
struct sg_step {
  uint64_t job_id;
  uint32_t uid;
  enum sg_step_kind kind;
  bool first;            /**< nobody told the user anything about this job yet */
  const char *gpus;      /**< virtual GPUs of the step, "" = none */
  const char *conf_path; /**< conf=FILE of plugstack.conf, "" = the default places */
};

enum sg_fate {
  SG_FATE_NO_GPU,      /**< not our business */
  SG_FATE_OFF,         /**< --schedgpu=off: the device is named, nothing else */
  SG_FATE_SCHEDULED,   /**< the job is in the region */
  SG_FATE_UNSCHEDULED, /**< something is wrong with the node, and OnFailure=run */
  SG_FATE_REFUSED,     /**< something is wrong with the job, or OnFailure=refuse */
};

struct sg_plan {
  enum sg_fate fate;
  bool gate;                     /**< the job's mode: its budget is reserved before a task runs */
  bool budget;                   /**< the job declared one */
  bool learned;                  /**< the budget is what earlier runs needed */
  struct sg_device_list devices; /**< empty when they are not known */
  char reason[SG_PLAN_TEXT];     /**< why it is UNSCHEDULED or REFUSED, in one line */
  char notice[SG_PLAN_NOTICE];   /**< what the user should know, "" = nothing */
};

/** Makes the plan; reads the configuration into `node`. Registers the job if nobody did. */
void sg_plan_make(const struct sg_step *step, const struct sg_given *given, struct sg_node *node,
                  struct sg_plan *plan);

/** The job cannot be scheduled after all: it runs as it is, or not, as OnFailure says. */
void sg_plan_fail(struct sg_plan *plan, const struct sg_node *node, const char *reason);

#endif
