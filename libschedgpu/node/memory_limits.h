/*
 * memory_limits.h - how much memory of a device jobs may have, by devices.conf and SafetyMargin.
 * The region's setup and the decision about a job must agree, so both use these functions. All
 * sizes are bytes.
 */
#ifndef SG_MEMORY_LIMITS_H
#define SG_MEMORY_LIMITS_H

#include "schedgpu/conf.h"

/** Rounds up to the unit of the region's accounts (512 bytes, see schedgpu.h). */
uint64_t sg_round_to_unit(uint64_t bytes);

/** ReservedBytes plus the site's SafetyMargin, at most the device's total. */
uint64_t sg_reserved_with_margin(const struct sg_conf *conf,
                                 const struct schedgpu_device_spec *device);

/** The memory that the device has for jobs, CUDA contexts included. */
uint64_t sg_usable_memory(const struct sg_conf *conf, const struct schedgpu_device_spec *device);

/** The number of CUDA contexts that fit there. */
uint64_t sg_max_contexts(const struct sg_conf *conf, const struct schedgpu_device_spec *device);

/** What is left of `usable_bytes` next to so many CUDA contexts. */
uint64_t sg_beside_contexts(uint64_t usable_bytes, uint64_t context_bytes, uint32_t processes);

/**
 * The largest budget of one job on the device, next to the reserves and the CUDA contexts of its
 * processes.
 */
uint64_t sg_largest_budget(const struct sg_conf *conf, const struct schedgpu_device_spec *device,
                           uint32_t processes);

/** The limits of one job's budget on a device. */
struct sg_budget_limits {
  uint64_t site_bytes;   /**< MaxMem */
  uint64_t device_bytes; /**< sg_largest_budget() */
};

struct sg_budget_limits sg_budget_limits_of(const struct sg_conf *conf,
                                            const struct schedgpu_device_spec *device,
                                            uint32_t processes);

enum sg_budget_bound { SG_BUDGET_FITS, SG_BUDGET_ABOVE_SITE, SG_BUDGET_ABOVE_DEVICE };

/**
 * Bounds a budget of `*bytes` > 0, for jobs of Slurm, of `schedgpu run`, and of the agent alike. A
 * percentage is reduced to what the device can give, a size is not. A budget that fits is rounded
 * up to the unit. Otherwise it stays as it is, and the result names the limit that was exceeded:
 * for a size the smaller one.
 */
enum sg_budget_bound sg_bound_budget(const struct sg_budget_limits *limits, bool percentage,
                                     uint64_t *bytes);

#endif
