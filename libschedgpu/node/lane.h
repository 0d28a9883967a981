/*
 * lane.h - the options of a job that takes turns (docs/reference/lanes.md): the policy of its lane,
 * the memory that it keeps between iterations, its length, and its share.
 */
#ifndef SG_LANE_H
#define SG_LANE_H

#include "schedgpu/conf.h"

/** True if the options ask for a lane, or for a share, which takes turns in a lane, too. `none`
 * does not; it overrides an inherited option. */
bool sg_wants_lane(const struct sg_job_options *options);

/** True if the job's persistent memory is what earlier runs kept, if that is known: it declares
 * none, and has a name. */
bool sg_takes_learned_persistent(const struct sg_job_options *options);

/** The longest text of a share, with its end. */
#define SG_WEIGHT_TEXT 16

/** The option that asks for a lane: its name without the prefix, and its value. */
struct sg_lane_option {
  const char *name, *value;
};
struct sg_lane_option sg_lane_option(const struct sg_job_options *options);

/** SCHEDGPU_LANE of the job's programs: the policy of their lane. NULL: they mark no iterations. */
const char *sg_lane_text(const struct schedgpu_job_spec *spec);
/** The weight of a job that takes turns with the device itself; 0 for any other one. */
uint32_t sg_weight_of(const struct schedgpu_job_spec *spec);
/** SCHEDGPU_SHARE of the job's programs, written into `text`; NULL for 0. */
const char *sg_weight_text(uint32_t share, char text[SG_WEIGHT_TEXT]);

/** Checks a lane or share against mode and overflow. 0, or EINVAL with the reason. */
int sg_lane_check(const struct sg_job_options *options, char *error, size_t error_size);

/**
 * Checks the options of a lane against each other, once all are known: without a lane there must be
 * none, and the persistent memory is at most the budget, as far as the sizes tell without a device.
 * 0, or EINVAL with the reason.
 */
int sg_lane_check_together(const struct sg_job_options *options, char *error, size_t error_size);

/**
 * Takes Slurm's time limit as the length of a lane job that names none.
 *
 * @param start,end SLURM_JOB_START_TIME and SLURM_JOB_END_TIME, in seconds; NULL or invalid: Slurm
 *     does not say (before 23.02). A job without a limit ends after a year, and has no length.
 */
void sg_lane_take_limit(struct sg_job_options *options, const char *start, const char *end);

/**
 * Takes the number of the job's nodes, if it is larger than what is known.
 *
 * @param nodes SLURM_JOB_NUM_NODES; NULL or invalid: Slurm does not say
 */
void sg_lane_take_nodes(struct sg_job_options *options, const char *nodes);

/**
 * Checks that a lane job has one device, and one node. On several nodes two jobs could hold the
 * turn of one node each, and wait for that of the other inside an iteration. 0, or EINVAL with the
 * reason.
 */
int sg_lane_check_devices(const struct sg_job_options *options,
                          const struct schedgpu_job_spec *spec, char *error, size_t error_size);

/**
 * Fills the fields of a lane in `spec`, whose mode, devices and budgets are known. 0, or EINVAL
 * with the reason.
 */
int sg_lane_decide(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                   const struct sg_job_options *options, struct schedgpu_job_spec *spec,
                   char *error, size_t error_size);

#endif
