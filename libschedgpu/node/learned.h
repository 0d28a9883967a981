/*
 * learned.h - DefaultMem=learned: reads the table RunDir/learned, in which the agent keeps what
 * earlier jobs of a user and name needed (docs/reference/files-and-environment.md).
 *
 * A user chooses the line by the name of the job. That gives no right: the user could ask for as
 * much directly, MaxMem limits it, and lines of other users are not read.
 */
#ifndef SG_LEARNED_H
#define SG_LEARNED_H

#include "schedgpu/conf.h"

/**
 * True if the job gets a learned budget: DefaultMem=learned, and no option of the job excludes it.
 * A learned budget that is too small must not end the job, so it needs overflow=wait and mode peak.
 */
bool sg_takes_learned(const struct sg_conf *conf, const struct sg_job_options *options);

/**
 * The budget in bytes for a job of `uid` by the table. 0: nothing is known, or the job takes no
 * learned budget.
 */
uint64_t sg_learned_bytes(const struct sg_conf *conf, const struct sg_job_options *options,
                          uint32_t uid);

/** Stores a job's name: cut to fit between two characters, without control characters. */
void sg_take_job_name(struct sg_job_options *options, const char *name);

#endif
