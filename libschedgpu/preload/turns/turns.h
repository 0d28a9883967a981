/*
 * turns.h - in a job with a share a process computes only while it has the turn of its device
 * (docs/reference/lanes.md, "Compute turns"). A launch passes the gate of the process by a look at
 * one word. The thread of keeper.c closes the gate when the turn is over: once no thread is in a
 * launch, and the device has finished, another process may have it. The next launch waits for the
 * turn and opens the gate.
 */
#ifndef SGP_TURNS_H
#define SGP_TURNS_H

#include "../../shell/client/compute_turn.h"
#include "../hooks/hooks.h"

/** The number of the turn in which the gate is open; 0: it is closed. */
extern _Atomic uint32_t sgp_gate;
/** The last turn in which this thread has launched, so that its context of that turn is known. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) uint32_t sgp_own_turn;
#define SGP_NO_TURN UINT32_MAX

/** What a launch may do. Until sgp_turn_end() the turn stays, if it is held. */
struct sgp_turn {
  struct sg_reader_slots *held; /**< NULL: the launch needs no turn */
  bool refused;                 /**< return CUDA_ERROR_NOT_PERMITTED */
};

/** Waits until this thread may launch. `stream`: the true one. */
struct sgp_turn sgp_turn_take(CUstream stream);
static inline void sgp_turn_end(const struct sgp_turn *turn) {
  if (turn->held)
    sg_launch_end(turn->held);
}

/**
 * The whole cost of a launch in a job that is alone: true if the gate is open, and then call
 * sgp_turn_passed() after the launch. False if it is closed, at the first launch of the thread in a
 * turn, and at a launch within a launch. `slot` is that of this thread.
 */
static inline bool sgp_turn_passes(struct sg_reader_slot *slot) {
  if (__builtin_expect(!sg_is_own_reader_slot(slot), 0))
    return false;
  uint32_t launch = atomic_load_explicit(&slot->launch, memory_order_relaxed);
  if (__builtin_expect(launch & 1, 0))
    return false;
  atomic_store_explicit(&slot->launch, launch + 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst); /* the CPU's part is done by sg_launches_wait() */
  if (__builtin_expect(atomic_load_explicit(&sgp_gate, memory_order_acquire) == sgp_own_turn, 1))
    return true;
  atomic_store_explicit(&slot->launch, launch + 2, memory_order_release);
  return false;
}

static inline void sgp_turn_passed(struct sg_reader_slot *slot) {
  uint32_t launch = atomic_load_explicit(&slot->launch, memory_order_relaxed);
  atomic_store_explicit(&slot->launch, launch + 1, memory_order_release);
}

/** In a hook of a function that exists: `real` is the driver's. */
#define SGP_REAL(name)                                                                             \
  sgp_type_##name real = (sgp_type_##name)sgp_real(SGP_##name);                                    \
  if (!real)                                                                                       \
  return CUDA_ERROR_STUB_LIBRARY

/** In a hook that is always there: the rest of the function is a launch. */
#define SGP_TURN(stream)                                                                           \
  __attribute__((cleanup(sgp_turn_end))) const struct sgp_turn sgp_turn =                          \
      sgp_turns_are_asked() ? sgp_turn_take(stream) : (struct sgp_turn){0};                        \
  if (sgp_turn.refused)                                                                            \
  return CUDA_ERROR_NOT_PERMITTED

/** A capture begins, and no turn ends before it has ended: the device is not synchronized
 * meanwhile, as that would break the capture. */
void sgp_turn_capture_begins(void);
void sgp_turn_capture_ends(void);
/** With a context its captures end. */
void sgp_turn_context_ended(CUcontext context);

/** A function of the host waits in a stream, or runs; and has ended. One that a graph has never
 * ends. */
void sgp_turn_host_function(bool begins);

/** While a thread has this lock, no context is synchronized, so one may be destroyed. */
void sgp_turns_lock_contexts(void);
void sgp_turns_unlock_contexts(void);

/** Where threads say that they launch; NULL before the first turn. */
extern _Atomic(struct sg_reader_slots *) sgp_launching;

/** Starts the thread that ends turns, once. It calls `closes` to close the gate and to give the
 * turn away, when the device has finished. False if there can be no thread. */
bool sgp_keeper_start(void (*closes)(void));

void sgp_turns_after_fork(void);
void sgp_captures_after_fork(void);
void sgp_keeper_after_fork(void);

#endif
