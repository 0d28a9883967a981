/*
 * turns.h - in a job with a share a process computes only while it has the turn of its device
 * (docs/reference/lanes.md, "Compute turns"). A launch passes the gate of the process by a look at
 * one word. The thread of keeper.c closes the gate when the turn is over: once no thread is in a
 * launch, and the device has finished, another process may have it. The next launch waits for the
 * turn and opens the gate.
 */
#ifndef SGP_TURNS_H
#define SGP_TURNS_H

#include "../../shell/client/share.h"
#include "../hooks/hooks.h"

/** The number of the turn in which the gate is open; 0: it is closed. */
extern _Atomic uint32_t sgp_gate;
/** The last turn in which this thread has launched: its context of that turn is known. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) uint32_t sgp_own_turn;
/** Where threads say that they launch; NULL before the first turn. */
extern _Atomic(struct sg_reader_slots *) sgp_launching;

/** What a launch may do. Until sgp_turn_end() the turn stays, if it is held. */
struct sgp_turn {
  struct sg_reader_slots *held; /**< NULL: the launch needs no turn */
  bool refused;                 /**< return CUDA_ERROR_NOT_PERMITTED */
};

/** The gate is closed, or this thread launches in this turn for the first time. May wait. */
struct sgp_turn sgp_turn_take(CUstream stream);

/** Call it only in a job with a share, and not in a hook. `stream`: the true one. */
static inline struct sgp_turn sgp_turn_begin(CUstream stream) {
  struct sg_reader_slots *slots = atomic_load_explicit(&sgp_launching, memory_order_acquire);
  if (__builtin_expect(!slots, 0))
    return sgp_turn_take(stream);
  sg_launch_begin(slots);
  uint32_t turn = atomic_load_explicit(&sgp_gate, memory_order_acquire);
  if (__builtin_expect(turn != 0 && turn == sgp_own_turn, 1))
    return (struct sgp_turn){.held = slots};
  sg_launch_end(slots);
  return sgp_turn_take(stream);
}

static inline void sgp_turn_end(const struct sgp_turn *turn) {
  if (turn->held)
    sg_launch_end(turn->held);
}

/** In a hook that is always there: the rest of the function is a launch. */
#define SGP_TURN(stream)                                                                           \
  __attribute__((cleanup(sgp_turn_end))) const struct sgp_turn sgp_turn =                          \
      sgp_share_is_asked() ? sgp_turn_begin(stream) : (struct sgp_turn){0};                        \
  if (sgp_turn.refused)                                                                            \
  return CUDA_ERROR_NOT_PERMITTED

/** A capture begins, and no turn ends before it has ended: the device is not synchronized
 * meanwhile, as that would break the capture. */
void sgp_turn_capture_begins(void);
void sgp_turn_capture_ends(void);

/** While a thread has this lock, no context is synchronized, so one may be destroyed. */
void sgp_turns_lock_contexts(void);
void sgp_turns_unlock_contexts(void);

/** Starts the thread that ends turns, once. False if there can be none. */
bool sgp_keeper_start(void);
/** Closes the gate and gives the turn away, when the device has finished. Called by the keeper. */
void sgp_turn_close(void);

void sgp_turns_after_fork(void);
void sgp_keeper_after_fork(void);

#endif
