/*
 * shards.h - the budget of a job that has shards: Slurm counts memory in shards of a device
 * (schedgpu gres plan --by-memory), so what the job may have is what Slurm placed it by.
 */
#ifndef SG_SHARDS_H
#define SG_SHARDS_H

#include "schedgpu/conf.h"

/** Parses SLURM_SHARDS_ON_NODE. 0 if it is no number above 0. */
uint32_t sg_parse_shards(const char *text);

/** True if the number of the job's shards is known, and one of its devices has shards. */
bool sg_has_shards(const struct sg_conf_devices *devices, const struct sg_job_options *options,
                   uint32_t device_mask);

/**
 * Sets the budget of a job without one to what its shards say, at most what the site and the device
 * can give, and lowers a larger one to that, with a notice. 0, or ETOOBIG if the device has no
 * memory for the job.
 */
int sg_shards_limit(const struct sg_conf *conf, const struct sg_conf_devices *devices,
                    const struct sg_job_options *options, struct schedgpu_job_spec *spec,
                    char *notice, size_t notice_size, char *error, size_t error_size);

#endif
