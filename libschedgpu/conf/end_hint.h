/*
 * end_hint.h - what a user is told when a job has ended: only if the next run should ask for
 * something else. The plugin and `schedgpu run` say it. Knows nothing of Slurm.
 */
#ifndef SG_END_HINT_H
#define SG_END_HINT_H

#include "schedgpu/conf.h"

/** A size for people, "6.0 GiB", and below 1 GiB "768 MiB", into `text` of at least 24 bytes. */
char *sg_size_text(uint64_t bytes, char *text);

/** What a job asked for and used. */
struct sg_end_use {
  const char *job;        /**< "slurm:42" */
  const char *option;     /**< that takes a budget, up to the size: "--mem " */
  uint32_t device;        /**< of which it used most */
  uint32_t refusals;      /**< how many allocations it was refused */
  uint64_t refused_bytes; /**< the largest of them */
  uint64_t asked_bytes;   /**< its budget there; 0: none */
  uint64_t used_bytes;    /**< most that it used there at once, one CUDA context left out */
  uint64_t waited_ns;
  uint64_t largest_bytes; /**< budget that the device can give */
};

/**
 * The line into `text`; false if there is nothing to say: nothing was refused, and what it used is
 * not above what it asked for, and not that far below.
 */
bool sg_end_hint_text(const struct sg_end_use *use, char *text, size_t size);

/**
 * The same of `job`, which used `used` on a node with `devices`: of the device of which it used
 * most; of its first one if it used none.
 */
bool sg_end_hint_of(const struct schedgpu_setup *devices, const struct schedgpu_job_spec *job,
                    const struct schedgpu_job_use *used, char *text, size_t size);

/**
 * The same of a job in the region of `admin`. Nothing that cannot be known by `until_ns`, of the
 * monotonic clock: a process may be stopped with the lock.
 */
bool sg_end_hint_until(schedgpu_admin *admin, uint32_t kind, uint64_t job_id, uint64_t until_ns,
                       char *text, size_t size);
/** The same; waits for 0.2 s at most. */
bool sg_end_hint(schedgpu_admin *admin, uint32_t kind, uint64_t job_id, char *text, size_t size);

#endif
