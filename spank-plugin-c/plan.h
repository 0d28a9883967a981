/*
 * plan.h - decides what a step of a job gets on this node, as root before its tasks start. This is
 * the part of the plugin that knows the region; it knows nothing of Slurm's interfaces.
 */
#ifndef SG_PLAN_H
#define SG_PLAN_H

#include "device_list.h"
#include "node.h"
#include "options_env.h"

#define SG_PLAN_TEXT (2 * PATH_MAX)
#define SG_PLAN_NOTICE 512

/** The kind of a step. */
enum sg_step_kind {
  SG_STEP_BATCH, /**< the job's script: its options are the job's */
  SG_STEP_SRUN,  /**< a step, or the only one of a direct srun */
};

/** The step, from Slurm's own data and never from CUDA_VISIBLE_DEVICES. */
struct sg_step {
  uint64_t job_id;
  uint32_t uid;
  enum sg_step_kind kind;
  bool inherits;         /**< it was given no options itself: those that it has are of a job */
  bool first;            /**< the first step of the job: the user has seen no message yet */
  const char *gpus;      /**< virtual GPUs of the step, "" = none */
  const char *conf_path; /**< conf=FILE of plugstack.conf, "" = the default places */
};

enum sg_fate {
  SG_FATE_NO_GPU,      /**< the step has no GPU that is ours */
  SG_FATE_OFF,         /**< --schedgpu=off: only the devices are named */
  SG_FATE_SCHEDULED,   /**< the job is in the region */
  SG_FATE_UNSCHEDULED, /**< something is wrong with the node, and OnFailure=run */
  SG_FATE_REFUSED,     /**< something is wrong with the job, or OnFailure=refuse */
};

struct sg_plan {
  enum sg_fate fate;
  bool gate;                     /**< the job's mode: its budget is reserved before a task runs */
  bool budget;                   /**< the job declared a budget */
  bool learned;                  /**< the budget is what earlier runs needed */
  const char *lane;              /**< policy of the job's lane; NULL: none */
  uint32_t share;                /**< weight of its turns with the device; 0: it takes none */
  struct sg_device_list devices; /**< empty if they are not known */
  char reason[SG_PLAN_TEXT];     /**< why it is UNSCHEDULED or REFUSED, in one line */
  char notice[SG_PLAN_NOTICE];   /**< message to the user, "" = none */
};

/**
 * Makes the plan. Reads the configuration into `node`, and registers the job if no prolog did.
 * Problems are in the plan's fate and reason.
 */
void sg_plan_make(const struct sg_step *step, const struct sg_given *given, struct sg_node *node,
                  struct sg_plan *plan);

/** Changes the plan of a job that cannot be scheduled after all, as OnFailure says. */
void sg_plan_fail(struct sg_plan *plan, const struct sg_node *node, const char *reason);

#endif
