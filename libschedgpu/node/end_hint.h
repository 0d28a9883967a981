/*
 * end_hint.h - the hint that a user gets at the end of a job if the next run should ask for another
 * budget. The plugin and `schedgpu run` print it. Knows nothing of Slurm.
 */
#ifndef SG_END_HINT_H
#define SG_END_HINT_H

#include "schedgpu/conf.h"

/**
 * Writes a size such as "6.0 GiB", or "768 MiB" below 1 GiB, into `text` of at least 24 bytes.
 * Returns `text`.
 */
char *sg_size_text(uint64_t bytes, char *text);

/** The budget of a job and what it used, on one device. */
struct sg_end_use {
  const char *job;        /**< "slurm:42" */
  const char *option;     /**< the option for what was asked, up to the size: "--mem " */
  uint32_t device;        /**< the device of which the job used most */
  uint32_t refusals;      /**< number of refused allocations */
  uint64_t refused_bytes; /**< the largest refused allocation */
  /** the job's budget on the device, 0: none; if it shares its lane, its persistent memory, which
   * is all that it has by itself */
  uint64_t asked_bytes;
  uint64_t used_bytes; /**< the most of that which was in use */
  uint64_t waited_ns;
  bool grows;             /**< it waits for memory beyond its budget */
  uint32_t unmarked_s;    /**< as in schedgpu_job_use */
  bool untouched;         /**< no program of it asked for memory, though one was to */
  uint64_t largest_bytes; /**< largest budget that the device can give */
};

/**
 * Writes the hint into `text`. A lane job that marked no iterations for 10 s or more has one about
 * that, and one that nobody used about that. False if there is none: nothing was refused, and the
 * use is neither above the budget nor far below it.
 */
bool sg_end_hint_text(const struct sg_end_use *use, char *text, size_t size);

/**
 * The same for `job`, which used `used` on a node with `devices`. Takes the device of which the job
 * used most, or its first one if it used none.
 */
bool sg_end_hint_of(const struct schedgpu_setup *devices, const struct schedgpu_job_spec *job,
                    const struct schedgpu_job_use *used, char *text, size_t size);

/**
 * The same for a job in the region of `admin`. Leaves out what cannot be read by `until_ns`
 * (CLOCK_MONOTONIC), because a process may be stopped with the lock.
 */
bool sg_end_hint_until(schedgpu_admin *admin, uint32_t kind, uint64_t job_id, uint64_t until_ns,
                       char *text, size_t size);
/** The same; waits for at most 0.2 s. */
bool sg_end_hint(schedgpu_admin *admin, uint32_t kind, uint64_t job_id, char *text, size_t size);

#endif
