/* overflow.h - what a job does beyond its budget: fail, or wait. Mode peak only: there the budget
 * is held while more is waited for. */
#ifndef SG_OVERFLOW_H
#define SG_OVERFLOW_H

#include "schedgpu/conf.h"

/** Checks the option beside the job's mode (0: not given). 0, or EINVAL and why. */
int sg_overflow_check(const struct sg_job_options *options, uint32_t mode, char *error,
                      size_t error_size);

/** Sets the flag of `spec`, whose mode is decided. 0, or EINVAL and why. */
int sg_overflow_decide(const struct sg_conf *conf, const struct sg_job_options *options,
                       struct schedgpu_job_spec *spec, char *error, size_t error_size);

#endif
