/*
 * overflow.h - the option for requests beyond the budget: fail, or wait. Only for mode peak, in
 * which the budget stays held during the wait.
 */
#ifndef SG_OVERFLOW_H
#define SG_OVERFLOW_H

#include "schedgpu/conf.h"

/** Checks the option against the job's mode. 0, or EINVAL with the reason. */
int sg_overflow_check(const struct sg_job_options *options, char *error, size_t error_size);

/** Sets the flag in `spec`, whose mode is known. 0, or EINVAL with the reason. */
int sg_overflow_decide(const struct sg_conf *conf, const struct sg_job_options *options,
                       struct schedgpu_job_spec *spec, char *error, size_t error_size);

#endif
