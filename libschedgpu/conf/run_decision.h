/* run_decision.h - the job of `schedgpu run`: what was asked for, on the devices of the region. */
#ifndef SG_RUN_DECISION_H
#define SG_RUN_DECISION_H

#include "schedgpu/conf.h"

/** What was asked for, as it was written; NULL = not given. */
struct sg_run_wish {
  const char *mem, *priority, *mode, *wait, *processes, *overflow;
  const char *name; /**< of the job */
};

/** The same as options. What is too long to be kept is wrong, and must not become another value. */
void sg_run_options(const struct sg_run_wish *wish, struct sg_job_options *options);

/**
 * Decides the job as prolog and plugin decide theirs. `devices`: those of the job, as the region
 * has them (what is reserved with the site's SafetyMargin). `learned_bytes`: what earlier runs
 * needed, 0 = not known; the budget is that if `*learned` is true then. Errors as sg_decide_job(),
 * or ESYSTEM.
 */
int sg_run_decide(const struct sg_conf *conf, const struct schedgpu_setup *devices,
                  const struct sg_job_options *options, uint32_t uid, uint64_t learned_bytes,
                  struct schedgpu_job_spec *spec, bool *learned, char *error, size_t error_size);

#endif
