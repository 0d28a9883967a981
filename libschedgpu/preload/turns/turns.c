/* turns.c - see turns.h. */
#include "turns.h"
#include "../../shell/region/attach.h"
#include "../account/contexts.h"
#include "../account/charge.h"
#include "../hooks/capture.h"
#include "../join/message.h"
#include "../join/schedule.h"
#include "schedgpu/schedgpu.h"
#include <pthread.h>

/** A job with a share has one device. */
#define DEVICE 0

_Atomic uint32_t sgp_gate;
_Thread_local uint32_t sgp_own_turn = SGP_NO_TURN;
_Atomic(struct sg_reader_slots *) sgp_launching;

/** One thread opens or closes the gate; it has this lock while it waits for the turn. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
/** Behind `opening`: no capture begins while the device is synchronized. */
static pthread_mutex_t closing = PTHREAD_MUTEX_INITIALIZER;
static uint32_t captures; /* under `closing` */
static pthread_mutex_t contexts = PTHREAD_MUTEX_INITIALIZER;
static uint32_t turns; /* under `opening`; the number of the last one */
/** Launches take no turns: the job has no share, or it cannot be scheduled any more. */
static atomic_bool off;

void sgp_turns_lock_contexts(void) {
  pthread_mutex_lock(&contexts);
}

void sgp_turns_unlock_contexts(void) {
  pthread_mutex_unlock(&contexts);
}

void sgp_turn_capture_begins(void) {
  pthread_mutex_lock(&closing);
  captures++;
  pthread_mutex_unlock(&closing);
}

void sgp_turn_capture_ends(void) {
  pthread_mutex_lock(&closing);
  captures -= captures > 0;
  pthread_mutex_unlock(&closing);
}

/* --- the gate opens --- */

static int open_locked(void) {
  if (atomic_load(&sgp_gate) != 0)
    return SCHEDGPU_OK;
  struct sg_reader_slots *slots = sg_share_launches();
  if (!slots || !sgp_keeper_start())
    return SCHEDGPU_ESYSTEM;
  atomic_store(&sgp_launching, slots);
  int rc = sg_share_begin(DEVICE);
  if (rc != SCHEDGPU_OK)
    return rc;
  turns = turns + 1 < SGP_NO_TURN ? turns + 1 : 1;
  atomic_store(&sgp_gate, turns);
  sg_futex_wake(&sgp_gate, 1);
  return SCHEDGPU_OK;
}

/** True if the gate is open; else `*refused` says whether the launch may go on. */
static bool open_gate(bool *refused) {
  pthread_mutex_lock(&opening);
  int rc = open_locked();
  pthread_mutex_unlock(&opening);
  if (rc == SCHEDGPU_OK)
    return true;
  *refused = rc != SCHEDGPU_ETURN && sgp_mode_after(rc) == SGP_MODE_REFUSE;
  if (!*refused)
    atomic_store(&off, true);
  return false;
}

/** Within a launch a thread has the turn already. */
static bool launches(void) {
  const struct sg_reader_slot *slot = sg_own_reader_slot;
  return sg_is_own_reader_slot(slot) && (atomic_load(&slot->launch) & 1);
}

static struct sgp_turn take(void) {
  bool refused = false;
  while (open_gate(&refused)) {
    if (sgp_own_turn != atomic_load(&sgp_gate))
      sgp_current_place(); /* from now on the keeper knows the context of this thread */
    struct sg_reader_slots *slots = atomic_load(&sgp_launching);
    sg_launch_begin(slots);
    uint32_t turn = atomic_load_explicit(&sgp_gate, memory_order_acquire);
    if (turn != 0) {
      sgp_own_turn = turn;
      return (struct sgp_turn){.held = slots};
    }
    sg_launch_end(slots);
  }
  return (struct sgp_turn){.refused = refused};
}

/* Into a capturing stream nothing is launched: the turn is that of the graph, later. */
struct sgp_turn sgp_turn_take(CUstream stream) {
  if (atomic_load_explicit(&off, memory_order_relaxed) || sgp_mode() != SGP_MODE_ON || launches() ||
      sgp_is_capturing(stream))
    return (struct sgp_turn){0};
  bool inside = sgp_inside;
  sgp_inside = true;
  struct sgp_turn turn = take();
  sgp_inside = inside;
  return turn;
}

/* --- the gate closes --- */

static void synchronize(CUcontext context) {
  sgp_cuCtxPushCurrent_v2 push = SGP_CALL(cuCtxPushCurrent_v2);
  sgp_cuCtxPopCurrent_v2 pop = SGP_CALL(cuCtxPopCurrent_v2);
  CUresult (*wait)(void) = (CUresult(*)(void))sgp_real(SGP_cuCtxSynchronize);
  if (!push || !pop || !wait || push(context) != CUDA_SUCCESS)
    return;
  wait();
  pop(&context);
}

static void synchronize_all(void) {
  struct sgp_context record = {.id = 0};
  sgp_turns_lock_contexts();
  while (sgp_context_after(record.id, &record))
    synchronize(record.context);
  sgp_turns_unlock_contexts();
}

void sgp_turn_close(void) {
  pthread_mutex_lock(&opening);
  pthread_mutex_lock(&closing);
  bool closes = captures == 0 && atomic_exchange(&sgp_gate, 0) != 0;
  if (closes) {
    sg_launches_wait(atomic_load(&sgp_launching));
    synchronize_all();
  }
  pthread_mutex_unlock(&closing);
  if (closes)
    sg_share_end(DEVICE);
  pthread_mutex_unlock(&opening);
}

void sgp_turns_after_fork(void) {
  opening = closing = contexts = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  captures = 0;
  atomic_store(&sgp_gate, 0);
  atomic_store(&sgp_launching, NULL);
  atomic_store(&off, false);
  sgp_keeper_after_fork();
}
