/*
 * job_limits.h - the limits of a job, as numbers: how much memory of a device it may have, by
 * devices.conf, SafetyMargin, MaxMem and DefaultMem, and which priority. This is their only home,
 * for the region's setup, for jobs of Slurm and of `schedgpu run` (job_decision.c), and for the
 * agent, which decides again what users ask for (broker/jobs.c). All sizes are bytes. Thread-safe.
 */
#ifndef SG_JOB_LIMITS_H
#define SG_JOB_LIMITS_H

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

enum sg_budget_bound {
  SG_BUDGET_FITS,
  SG_BUDGET_ABOVE_SITE,
  SG_BUDGET_ABOVE_DEVICE,
  SG_BUDGET_NO_CONTEXTS, /**< the contexts of so many processes do not fit */
};

/**
 * Bounds a budget of `*bytes` > 0. A percentage is reduced to what the device can give, a size is
 * not. A budget that fits is rounded up to the unit. Otherwise it stays as it is, and the result
 * names the limit that was exceeded: for a size the smaller one.
 */
enum sg_budget_bound sg_bound_budget(const struct sg_budget_limits *limits, bool percentage,
                                     uint64_t *bytes);

/**
 * Bounds what a job gets on a device: the contexts of its processes, and then its budget, as
 * sg_bound_budget(). 0 bytes: it has no budget.
 */
enum sg_budget_bound sg_bound_on_device(const struct sg_conf *conf,
                                        const struct schedgpu_device_spec *device,
                                        uint32_t processes, bool percentage, uint64_t *bytes);

/** The budget of DefaultMem on a device of `total_bytes`; 0: none. */
uint64_t sg_default_budget(const struct sg_conf *conf, uint64_t total_bytes, bool *percentage);

/** The priority of a job that asks for `wanted`. `exceeds`: its user is in HighPriorityUsers. */
int32_t sg_bound_priority(const struct sg_conf *conf, bool exceeds, int32_t wanted);

#endif
