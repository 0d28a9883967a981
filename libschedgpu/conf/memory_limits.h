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

/** The largest budget the device can give one job: beside the reserves and the CUDA contexts of its
 * processes. */
uint64_t sg_largest_budget(const struct sg_conf *conf, const struct schedgpu_device_spec *device,
                           uint32_t processes);

#endif
