/*
 * learned.h - DefaultMem=learned: the table RunDir/learned, in which the agent keeps what earlier
 * jobs of a user and name needed (docs/reference/files-and-environment.md).
 *
 * A user names his jobs as he likes, so he chooses the line. That gives him no right: it is what he
 * could ask for himself, MaxMem limits it, and lines of other users are not looked at.
 */
#ifndef SG_LEARNED_H
#define SG_LEARNED_H

#include "schedgpu/conf.h"

/**
 * Whether a job that names no budget is to get what earlier ones needed: DefaultMem=learned, and
 * the job says nothing that learning cannot serve. A learned budget that is too small must not end
 * a job, so it comes with overflow=wait and in mode peak only.
 */
bool sg_takes_learned(const struct sg_conf *conf, const struct sg_job_options *options);

/** The budget for a job of `uid` by the table; 0: nothing is known, or the job takes none. */
uint64_t sg_learned_bytes(const struct sg_conf *conf, const struct sg_job_options *options,
                          uint32_t uid);

/** Takes a job's name as Slurm gives it: cut to fit, without a character cut in half or control
 * characters. */
void sg_take_job_name(struct sg_job_options *options, const char *name);

#endif
