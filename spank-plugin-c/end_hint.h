/*
 * end_hint.h - what a user is told when a job's last task on a node has ended: only if the next run
 * should ask for something else. `schedgpu run` says the same (EndHint.java). Knows nothing of
 * Slurm's interfaces.
 */
#ifndef SG_END_HINT_H
#define SG_END_HINT_H

#include "node.h"

/** What a job asked for and used. */
struct sg_end_use {
  uint64_t job_id;
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
 * The same of a job in the region of `node`, for the device of which it used most. Nothing that
 * cannot be known by `until_ns`, of the monotonic clock: somebody may be stopped with the lock.
 */
bool sg_end_hint_until(const struct sg_node *node, uint64_t job_id, uint64_t until_ns, char *text,
                       size_t size);
/** The same; waits for 0.2 s at most. */
bool sg_end_hint(const struct sg_node *node, uint64_t job_id, char *text, size_t size);

#endif
