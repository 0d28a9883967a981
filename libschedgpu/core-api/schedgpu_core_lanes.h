/*
 * schedgpu_core_lanes.h - lanes and turns in a core of one process (docs/reference/lanes.md).
 * Units, threads and errors as in schedgpu_core.h.
 *
 * A process begins an iteration with schedgpu_core_ask() and the kind SCHEDGPU_CORE_GATE. That
 * call, a request for memory, and schedgpu_core_settle() return ETURN if the process now waits for
 * the turn of its lane.
 */
#ifndef SCHEDGPU_CORE_LANES_H
#define SCHEDGPU_CORE_LANES_H

#include "schedgpu_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Begins a lane job on one device. `policy`: enum schedgpu_lane_policy. Errors: as
 * schedgpu_core_job_begin(). */
SCHEDGPU_API int schedgpu_core_lane_job_begin(schedgpu_core *core, uint64_t job_id, uint32_t uid,
                                              uint32_t device, uint64_t budget_bytes,
                                              uint64_t persistent_bytes, uint32_t policy,
                                              uint32_t share, int64_t length_ns, int32_t priority,
                                              uint64_t now_ns);
/** Ends the wait for a turn. OK: given. EWOULDBLOCK: not given. ENOJOB: the process did not wait.
 */
SCHEDGPU_API int schedgpu_core_turn_settle(schedgpu_core *core, uint32_t slot, uint64_t now_ns);
/** Ends an iteration. OK, or EKEPT. */
SCHEDGPU_API int schedgpu_core_turn_end(schedgpu_core *core, uint32_t slot, uint64_t now_ns);
/**
 * Begins an iteration as schedgpu_iteration_begin() does: a process that has the turn serves
 * nothing. Otherwise, and errors: as schedgpu_core_ask() of the kind SCHEDGPU_CORE_GATE that may
 * wait; the job holds.
 */
SCHEDGPU_API int schedgpu_core_iteration_begin(schedgpu_core *core, uint32_t slot, uint32_t device,
                                               uint64_t now_ns);
/** Ends an iteration as schedgpu_iteration_end() does: serves nothing if nobody waits for the turn.
 * OK, or EKEPT. */
SCHEDGPU_API int schedgpu_core_iteration_end(schedgpu_core *core, uint32_t slot, uint64_t now_ns);
/** Removes the only process of a job, and ends the job. Errors: ENOJOB. */
SCHEDGPU_API int schedgpu_core_lane_job_end(schedgpu_core *core, uint32_t slot, uint64_t job_id,
                                            uint64_t now_ns);
/**
 * Leaves the core so many lanes: all other records of the node count as taken. Call it before there
 * is a lane, and end jobs with schedgpu_core_lane_job_end(): schedgpu_core_job_end() counts the
 * lanes anew, and schedgpu_core_check() reports them. Errors: EINVAL.
 */
SCHEDGPU_API int schedgpu_core_lanes_limit(schedgpu_core *core, uint32_t lanes);
/** The job of the process shares its lane from now on: as schedgpu_lane_share(). */
SCHEDGPU_API int schedgpu_core_lane_share(schedgpu_core *core, uint32_t slot);
/** The process maps so much of its shared lane; 0: nothing. Errors: EINVAL, ETURN, EBUDGET. */
SCHEDGPU_API int schedgpu_core_lane_map(schedgpu_core *core, uint32_t slot, uint64_t bytes,
                                        uint64_t now_ns);
/** A waiting process looks: everything is served. */
SCHEDGPU_API int schedgpu_core_look(schedgpu_core *core, uint64_t now_ns);
/**
 * Writes the slots of the processes to which the last transition granted memory or gave a turn, in
 * this order. Such a process ends its wait with schedgpu_core_settle() or
 * schedgpu_core_turn_settle(). Returns their number, or EINVAL if `capacity` is too small.
 */
SCHEDGPU_API int schedgpu_core_woken(schedgpu_core *core, uint32_t *slots, uint32_t capacity);
/** Sets the quantum of the turns. Errors: EINVAL if it is not positive. */
SCHEDGPU_API int schedgpu_core_quantum_set(schedgpu_core *core, int64_t quantum_ns);
/**
 * Writes the state of the lanes as words: the number of lanes with members; for each its index,
 * device, policy, bytes, members, slot of the turn's process (2^32 - 1: nobody) and 1 if that is
 * busy. Then the number of jobs in lanes; for each its id, lane, persistent bytes, service in ns
 * and turns. Then the number of waits for a turn; for each slot, lane, ticket, overtaken and 1 if
 * the turn was given. Ordered by index, record and slot. Returns the number of words, or EINVAL if
 * `capacity` is too small.
 */
SCHEDGPU_API int schedgpu_core_read_lanes(const schedgpu_core *core, uint64_t *words,
                                          uint32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
