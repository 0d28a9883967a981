/*
 * run_decision.h - decides the job of `schedgpu run` from its options and the devices of the
 * region.
 */
#ifndef SG_RUN_DECISION_H
#define SG_RUN_DECISION_H

#include "schedgpu/conf.h"

/**
 * Decides the job as prolog and plugin do. `devices`: the job's devices as in the region, whose
 * reserves include the site's SafetyMargin. `learned_bytes`: what earlier runs needed, 0 = not
 * known; `*learned` is true if that is the budget. Errors as sg_decide_job(), or ESYSTEM.
 */
int sg_run_decide(const struct sg_conf *conf, const struct schedgpu_setup *devices,
                  const struct sg_job_options *options, uint32_t uid, uint64_t learned_bytes,
                  struct schedgpu_job_spec *spec, bool *learned, char *error, size_t error_size);

#endif
