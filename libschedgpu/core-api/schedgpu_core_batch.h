/*
 * schedgpu_core_batch.h - several transitions of schedgpu_core.h in one call, for a simulator that
 * replays millions of jobs. A job has one process, which takes its contexts and its memory,
 * computes, and ends. Each call makes the same transitions, in the same order, as the single calls
 * that it names.
 *
 * Units, errors and thread-safety are those of schedgpu_core.h.
 */
#ifndef SCHEDGPU_CORE_BATCH_H
#define SCHEDGPU_CORE_BATCH_H

#include "schedgpu_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The three 64-bit words that schedgpu_core_enter() and schedgpu_core_resume() write. */
enum schedgpu_core_progress {
  SCHEDGPU_CORE_TICKET = 0, /**< ticket of the request that waits; 0: none waits */
  SCHEDGPU_CORE_STEP = 1,   /**< number of requests done, two per device; only for resume */
  SCHEDGPU_CORE_BYTES = 2,  /**< bytes that the process asks for on each device; only for resume */
};

/**
 * Begins a job in mode peak with a budget of `bytes` on each device of `device_mask`, and attaches
 * its one process. Asks (schedgpu_core_ask) for a context on each device, lowest first, and then
 * for `bytes` on each, until a request waits. Returns the slot of the process. Errors: those of
 * schedgpu_core_job_begin(), schedgpu_core_attach() and schedgpu_core_ask(); the job is then ended.
 */
SCHEDGPU_API int schedgpu_core_enter(schedgpu_core *core, uint64_t job_id, int32_t priority,
                                     uint32_t device_mask, uint64_t bytes, uint64_t now_ns,
                                     uint64_t *progress);
/**
 * Takes what was granted to the request that waited (schedgpu_core_settle) and asks for the rest.
 * OK: `progress` says whether another request waits. Errors: EWOULDBLOCK: the request was not
 * granted, and has left the queue; as schedgpu_core_settle() and schedgpu_core_ask().
 */
SCHEDGPU_API int schedgpu_core_resume(schedgpu_core *core, uint32_t slot, uint64_t now_ns,
                                      uint64_t *progress);
/** Removes the process and ends its job. Errors: ENOJOB. */
SCHEDGPU_API int schedgpu_core_leave(schedgpu_core *core, uint32_t slot, uint64_t job_id,
                                     uint64_t now_ns);
/**
 * Writes the slots whose requests the last enter, resume or leave granted, except its own slot, in
 * the order of the grants. Returns their number, or EINVAL if `capacity` is too small.
 */
SCHEDGPU_API int schedgpu_core_granted(const schedgpu_core *core, uint32_t *slots,
                                       uint32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
