/*
 * compute_turn.h - the turn of a job with a weight (--schedgpu-share): its processes compute on the
 * device only while they have it (docs/reference/lanes.md, "Compute turns"). Implemented in
 * client_lane.c, for the preload library, which knows what a program launches. All of these are
 * thread-safe.
 */
#ifndef SG_COMPUTE_TURN_H
#define SG_COMPUTE_TURN_H

#include "reader_slots.h"

/** Waits until this process has the turn. OK: it has it; ETURN: its job has no share; or the errors
 * of schedgpu_iteration_begin(). */
int sg_compute_turn_begin(int device);

/** This process computes nothing any more: the turn is idle, and goes to another process if it is
 * the time of that one. */
int sg_compute_turn_end(int device);

/** The process was stopped for so long (scontrol suspend, SIGSTOP): if it has the turn, that time
 * is no service of its job. Takes no lock. */
void sg_compute_turn_leave_out(int device, uint64_t stopped_ns);

/** True if this process has the turn and another one waits for it. Takes no lock. */
bool sg_compute_turn_is_wanted(int device);

/** Sleeps for `ns`, or until another process begins to wait for the turn that this one has. */
void sg_compute_turn_await_waiter(int device, uint64_t ns);

/** True if another process may have the turn that this one began: the region was damaged, or is a
 * new one. Takes no lock. */
bool sg_compute_turn_is_lost(int device);

/** True if the turn of this process is over: its time is, or a waiter comes first. */
bool sg_compute_turn_is_due(void);

/** Where the threads of this process say that they launch work; NULL: the kernel gives no memory.
 */
struct sg_reader_slots *sg_compute_turn_launches(void);

#endif
