/*
 * memory_limits.h - how much of a device jobs may have, by devices.conf and SafetyMargin: the
 * region's setup and the decision about a job must agree.
 */
#ifndef SG_MEMORY_LIMITS_H
#define SG_MEMORY_LIMITS_H

#include "schedgpu/conf.h"

/** Rounded up to the unit in which the region accounts (512 bytes, see schedgpu.h). */
uint64_t sg_round_to_unit(uint64_t bytes);

/** ReservedBytes plus the site's SafetyMargin, at most the device's total. */
uint64_t sg_reserved_with_margin(const struct sg_conf *conf,
                                 const struct schedgpu_device_spec *device);

/** What the device has for jobs, their CUDA contexts included. */
uint64_t sg_usable_memory(const struct sg_conf *conf, const struct schedgpu_device_spec *device);

/** How many CUDA contexts fit there. */
uint64_t sg_most_contexts(const struct sg_conf *conf, const struct schedgpu_device_spec *device);

/** Of `usable_bytes` what is left beside so many CUDA contexts. */
uint64_t sg_beside_contexts(uint64_t usable_bytes, uint64_t context_bytes, uint32_t processes);

/** The largest budget the device can give one job: beside the reserves and the CUDA contexts of its
 * processes. */
uint64_t sg_largest_budget(const struct sg_conf *conf, const struct schedgpu_device_spec *device,
                           uint32_t processes);

/** How large the budget of one job may be on a device. */
struct sg_budget_limits {
  uint64_t site_bytes;   /**< MaxMem */
  uint64_t device_bytes; /**< sg_largest_budget() */
};

enum sg_budget_bound { SG_BUDGET_FITS, SG_BUDGET_ABOVE_SITE, SG_BUDGET_ABOVE_DEVICE };

/**
 * Bounds a budget of `*bytes`, more than 0: the one rule for jobs of Slurm, of `schedgpu run`, and
 * of those that the agent begins. A percentage is cut to what the device gives, a size is not. What
 * fits is rounded up to the unit; what does not is left as it is, and the limit named that says
 * more: of a size the smaller one.
 */
enum sg_budget_bound sg_bound_budget(const struct sg_budget_limits *limits, bool percentage,
                                     uint64_t *bytes);

#endif
