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
#include <sched.h>

/** A job with a share has one device. */
#define DEVICE 0

_Atomic uint32_t sgp_gate;
_Thread_local uint32_t sgp_own_turn = SGP_NO_TURN;
_Atomic(struct sg_reader_slots *) sgp_launching;

/** How long a thread waits for the device, if it may be the one for which the device waits. */
#define PATIENCE_NS UINT64_C(1000000000)

/** One thread opens or closes the gate; it has this lock while it waits for the turn. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
/** Behind `opening`: no capture begins while the device is synchronized. */
static pthread_mutex_t closing = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t unlocked; /**< counts the unlocks of both: a futex word */
/** The keeper waits for the device; a thread may change it to REOPENED. */
static _Atomic uint32_t step;
enum { STAYS, CLOSES, REOPENED };
static _Atomic uint32_t captures;
static _Atomic uint32_t host_functions; /**< that have not ended, or that graphs may run */
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

void sgp_turn_host_function(bool begins) {
  if (begins)
    atomic_fetch_add(&host_functions, 1);
  else
    atomic_fetch_sub(&host_functions, 1);
}

static void unlock(pthread_mutex_t *lock) {
  pthread_mutex_unlock(lock);
  atomic_fetch_add(&unlocked, 1);
  sg_futex_wake(&unlocked, INT32_MAX);
}

/**
 * The keeper waits for a function of the host, which may wait for a lock of the program that this
 * thread has. Then the gate opens again; the process still has the turn. True if it is open: this
 * thread opened it, or another one did.
 */
static bool reopen(void) {
  uint32_t found = CLOSES;
  if (atomic_load(&host_functions) == 0)
    return false;
  if (!atomic_compare_exchange_strong(&step, &found, REOPENED))
    return found == REOPENED && atomic_load(&sgp_gate) != 0;
  atomic_store(&sgp_gate, turns);
  return true;
}

/** Takes the lock. False: the gate was opened again instead. */
static bool lock_or_reopen(pthread_mutex_t *lock) {
  uint64_t start_ns = sg_now_ns();
  for (;;) {
    uint32_t seen = atomic_load(&unlocked);
    if (pthread_mutex_trylock(lock) == 0)
      return true;
    if (sg_now_ns() - start_ns >= PATIENCE_NS && reopen())
      return false;
    sg_futex_wait(&unlocked, seen, PATIENCE_NS);
  }
}

/* Counted first: no gate closes from now on. Then it waits for the end of one that closes already.
 */
void sgp_turn_capture_begins(void) {
  atomic_fetch_add(&captures, 1);
  if (lock_or_reopen(&closing))
    unlock(&closing);
}

void sgp_turn_capture_ends(void) {
  atomic_fetch_sub(&captures, 1);
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

/** Unless the gate was opened again: then a capture may begin, which a synchronization would break.
 */
static void synchronize_all(void) {
  struct sgp_context record = {.id = 0};
  sgp_turns_lock_contexts();
  while (atomic_load(&step) == CLOSES && sgp_context_after(record.id, &record))
    synchronize(record.context);
  sgp_turns_unlock_contexts();
}

/** The gate is closed, and the device has finished; false if the gate was opened again. */
static bool close_gate(void) {
  uint32_t closes = CLOSES;
  atomic_store(&sgp_gate, 0); /* first: a thread that opens it again does so after this store */
  atomic_store(&step, CLOSES);
  sg_launches_wait(atomic_load(&sgp_launching));
  synchronize_all();
  if (atomic_compare_exchange_strong(&step, &closes, STAYS))
    return true;
  while (atomic_load(&sgp_gate) == 0) /* the thread that reopens it is about to do so */
    sched_yield();
  atomic_store(&step, STAYS);
  return false;
}

static void close_turn(void) {
  pthread_mutex_lock(&opening);
  pthread_mutex_lock(&closing);
  bool closed = atomic_load(&captures) == 0 && atomic_load(&sgp_gate) != 0 && close_gate();
  unlock(&closing);
  if (closed)
    sg_compute_turn_end(DEVICE);
  unlock(&opening);
}

/* --- the gate opens --- */

static int open_locked(void) {
  if (atomic_load(&sgp_gate) != 0)
    return SCHEDGPU_OK;
  struct sg_reader_slots *slots = sg_compute_turn_launches();
  if (!slots || !sgp_keeper_start(close_turn))
    return SCHEDGPU_ESYSTEM;
  atomic_store(&sgp_launching, slots);
  int rc = sg_compute_turn_begin(DEVICE);
  if (rc != SCHEDGPU_OK)
    return rc;
  turns = turns + 1 < SGP_NO_TURN ? turns + 1 : 1;
  atomic_store(&sgp_gate, turns);
  sg_futex_wake(&sgp_gate, 1);
  return SCHEDGPU_OK;
}

/** True if the gate is open; else `*refused` says whether the launch may go on. */
static bool open_gate(bool *refused) {
  if (!lock_or_reopen(&opening))
    return true;
  int rc = open_locked();
  unlock(&opening);
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

/** The whole, if the gate is open and this thread has launched in this turn. */
static struct sgp_turn pass(void) {
  bool passes = sgp_turn_passes(sg_own_reader_slot);
  return (struct sgp_turn){.held = passes ? atomic_load(&sgp_launching) : NULL, .refused = false};
}

/* Into a capturing stream nothing is launched: the turn is that of the graph, later. */
struct sgp_turn sgp_turn_take(CUstream stream) {
  struct sgp_turn turn = pass();
  if (turn.held)
    return turn;
  if (atomic_load_explicit(&off, memory_order_relaxed) || sgp_mode() != SGP_MODE_ON || launches() ||
      sgp_is_capturing(stream))
    return (struct sgp_turn){0};
  bool inside = sgp_inside;
  sgp_inside = true;
  turn = take();
  sgp_inside = inside;
  return turn;
}

void sgp_turns_after_fork(void) {
  opening = closing = contexts = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  atomic_store(&captures, 0);
  atomic_store(&host_functions, 0);
  atomic_store(&step, STAYS);
  atomic_store(&sgp_gate, 0);
  atomic_store(&sgp_launching, NULL);
  atomic_store(&off, false);
}
