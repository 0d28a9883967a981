/*
 * schedgpu_core.h - the core of schedGPU in one process, with the caller's clock: for the
 * property-based test (lab/verification/) and the simulator. It makes the same transitions as the
 * region of a node (docs/reference/rules.md), in ordinary memory: no file, no lock, no futex, no
 * liveness.
 *
 * Units: sizes are bytes, rounded up to units of 512; times are nanoseconds of any clock that does
 * not go back, given with each call. Devices, policies, rules, modes and errors are numbered as in
 * admin.h and schedgpu.h. A process is named by its slot, a job by its id, a request by its slot
 * and its ticket. A ticket is never 0 and never used twice.
 *
 * Thread-safety: none. One thread at a time uses a core; cores share nothing.
 *
 * Errors: functions that can fail return 0 or a negative schedgpu_error.
 */
#ifndef SCHEDGPU_CORE_H
#define SCHEDGPU_CORE_H

#include "schedgpu/admin.h"

#ifdef __cplusplus
extern "C" {
#endif

/** No slot. */
#define SCHEDGPU_CORE_NONE UINT32_MAX
/** In place of a job's id: the process belongs to the root side, and may own jobs. */
#define SCHEDGPU_CORE_NO_JOB UINT64_MAX
/** How many ended jobs schedgpu_core_read() reports. */
#define SCHEDGPU_CORE_ENDED 8u

typedef struct schedgpu_core schedgpu_core;

/** The kind of a request. */
enum schedgpu_core_kind {
  SCHEDGPU_CORE_MEMORY = 0,
  SCHEDGPU_CORE_CONTEXT = 1, /**< a context of the device's context_bytes; `bytes` is ignored */
  SCHEDGPU_CORE_GATE = 2,    /**< the budget alone, mode `gate`; `bytes` is ignored */
};

/**
 * Creates a core with devices 0 to `device_count` - 1; total_bytes, reserved_bytes and
 * context_bytes have one entry for each. Destroy `*core` with schedgpu_core_destroy(); it is NULL
 * on failure. Errors: EINVAL as schedgpu_admin_setup(); ESYSTEM: no memory.
 */
SCHEDGPU_API int schedgpu_core_create(uint32_t device_count, const uint64_t *total_bytes,
                                      const uint64_t *reserved_bytes, const uint64_t *context_bytes,
                                      uint32_t policy, uint32_t overtake_limit, int64_t grace_ns,
                                      uint32_t deadlock_rule, schedgpu_core **core);
SCHEDGPU_API void schedgpu_core_destroy(schedgpu_core *core);

/**
 * Begins a job, or changes an existing one. `budget_bytes` has one entry per device of the core.
 * `overflow_waits`: 0 or 1, mode peak only. `owner_slot`: SCHEDGPU_CORE_NONE, or a slot of the root
 * side; then the job ends when that process and the job's processes have ended. Errors: EINVAL,
 * EDEVICE, ETOOBIG, EFULL.
 */
SCHEDGPU_API int schedgpu_core_job_begin(schedgpu_core *core, uint64_t job_id, uint32_t uid,
                                         uint32_t mode, uint32_t overflow_waits,
                                         const uint64_t *budget_bytes, int32_t priority,
                                         uint32_t processes, uint32_t device_mask,
                                         uint32_t owner_slot, uint64_t now_ns);
/** Ends a job. Errors: ENOJOB. */
SCHEDGPU_API int schedgpu_core_job_end(schedgpu_core *core, uint64_t job_id, uint64_t now_ns);

/** Attaches a process. Returns its slot (0 or more), ENOJOB, or EFULL. */
SCHEDGPU_API int schedgpu_core_attach(schedgpu_core *core, uint64_t job_id);
/** Removes a process that detaches or died. Returns the bytes that it held; 0 if the slot has no
 * process. */
SCHEDGPU_API uint64_t schedgpu_core_remove(schedgpu_core *core, uint32_t slot, uint64_t now_ns);

/**
 * Makes a request; `kind` is of enum schedgpu_core_kind. OK: reserved. EWOULDBLOCK with `*ticket`
 * not 0: queued, end the wait with schedgpu_core_settle(); with `*ticket` 0: it does not fit and
 * `may_wait` is 0. Other errors: ENOJOB, EDEVICE, EINVAL, ETOOBIG, EBUDGET, EDEADLOCK, EBUSY.
 */
SCHEDGPU_API int schedgpu_core_ask(schedgpu_core *core, uint32_t slot, uint32_t device,
                                   uint64_t bytes, uint32_t kind, uint32_t may_wait,
                                   uint64_t now_ns, uint64_t *ticket);
/**
 * Ends the wait of the process in `slot`. OK: takes what was granted. EWOULDBLOCK: nothing was
 * granted, and the request has left the queue. Errors: ENOJOB: the job has ended, or there is no
 * such request; EBUDGET: granted, but the job's other processes used the budget up.
 */
SCHEDGPU_API int schedgpu_core_settle(schedgpu_core *core, uint32_t slot, uint64_t ticket,
                                      uint64_t now_ns);

/** Releases memory, in any mode. Errors: EUNDERFLOW, ENOJOB, EDEVICE. */
SCHEDGPU_API int schedgpu_core_give_back(schedgpu_core *core, uint32_t slot, uint32_t device,
                                         uint64_t bytes, uint64_t now_ns);
/** Releases the contexts of the process on the device. Errors: EUNDERFLOW: it has none; ENOJOB,
 * EDEVICE. */
SCHEDGPU_API int schedgpu_core_context_leave(schedgpu_core *core, uint32_t slot, uint32_t device,
                                             uint64_t now_ns);

/** As schedgpu_admin_set_overrun() and schedgpu_admin_set_foreign(). */
SCHEDGPU_API int schedgpu_core_set_overrun(schedgpu_core *core, uint64_t job_id, uint32_t device,
                                           uint64_t bytes, uint64_t now_ns);
SCHEDGPU_API int schedgpu_core_set_foreign(schedgpu_core *core, uint32_t device, uint64_t bytes,
                                           uint64_t now_ns);

/** Changes the policy and serves all waiters. Errors: EINVAL. */
SCHEDGPU_API int schedgpu_core_policy_set(schedgpu_core *core, uint32_t policy, uint64_t now_ns);
/** Serves all devices. Call it after time has passed, since budgets may have become idle. */
SCHEDGPU_API void schedgpu_core_serve(schedgpu_core *core, uint64_t now_ns);

/**
 * Everything that may be compared, in one call, as 64-bit words: the number of devices, jobs,
 * processes and waiters, of the waiters that the last transition woke, and of jobs that ended; then
 *
 *   per device:   free, used, contexts of all jobs (bytes)
 *   per job:      id, admitted (0, 1), budget held (0, 1), waits that are over, their time, since
 *                 when it holds memory (0: it does not), for how long it did before, refused
 *                 allocations, bytes of the largest; then its peaks per device, then
 *                 those of its contexts
 *   per process:  slot, id of its job or SCHEDGPU_CORE_NO_JOB, then per device: bytes in use,
 *                 bytes of its contexts
 *   per waiter:   ticket, granted and not yet taken (0, 1)
 *   per woken:    ticket
 *   per ended:    the last SCHEDGPU_CORE_ENDED of them, the youngest first: id, end, waits, their
 *                 time, held time, refused allocations, bytes of the largest; then its peaks
 *                 per device, then those of its contexts
 *
 * Returns the number of words, or EINVAL if `capacity` is too small.
 */
SCHEDGPU_API int schedgpu_core_read(const schedgpu_core *core, uint64_t *words, uint32_t capacity);

/** Checks every invariant. OK, or ECORRUPT with the violated one in `text` of `size` bytes. */
SCHEDGPU_API int schedgpu_core_check(const schedgpu_core *core, char *text, uint64_t size);

#ifdef __cplusplus
}
#endif
#endif
