/*
 * seats.h - which threads are just now using what another thread wants to take away. A thread says
 * so in a seat of its own, by plain stores; who takes away pays instead, with a membarrier(2)
 * (docs/explanation/seats.md). Internal to the shell.
 *
 * Lives in a page that is wiped in a forked child: all zero = nobody sits, nobody is inside.
 */
#ifndef SG_SEATS_H
#define SG_SEATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SG_SEATS 64u

struct sg_seat {
  _Alignas(64) _Atomic(const void *) owner; /**< what is at one address in one thread alone */
  _Atomic int32_t tid;                      /**< of the owner; 0: free */
  _Atomic uint32_t inside;                  /**< how often the owner is; written by it alone */
};

struct sg_seats {
  _Atomic uint32_t standing; /**< threads inside that got no seat: counted together */
  _Atomic uint32_t end;      /**< seats at and above have never been used */
  struct sg_seat seat[SG_SEATS];
};

/** This thread's seat; NULL: none yet, or none to be had. Never on the way of the host's malloc. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) struct sg_seat *sg_own_seat;

/** Finds this thread a seat, or counts it as standing; then it is inside. */
void sg_seats_enter_slowly(struct sg_seats *seats);

/** This thread is inside from here on: what it loads next is newer than that. Nothing may block. */
static inline void sg_seats_enter(struct sg_seats *seats) {
  struct sg_seat *seat = sg_own_seat;
  /* in a forked child the seat is nobody's, or somebody else's */
  if (__builtin_expect(
          !seat || atomic_load_explicit(&seat->owner, memory_order_relaxed) != &sg_own_seat, 0)) {
    sg_seats_enter_slowly(seats);
    return;
  }
  uint32_t inside = atomic_load_explicit(&seat->inside, memory_order_relaxed);
  atomic_store_explicit(&seat->inside, inside + 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst); /* the CPU's part is done by sg_seats_wait() */
}

static inline void sg_seats_exit(struct sg_seats *seats) {
  struct sg_seat *seat = sg_own_seat;
  if (__builtin_expect(!seat, 0)) {
    atomic_fetch_sub_explicit(&seats->standing, 1, memory_order_release);
    return;
  }
  uint32_t inside = atomic_load_explicit(&seat->inside, memory_order_relaxed);
  atomic_store_explicit(&seat->inside, inside - 1, memory_order_release);
}

/**
 * Whoever enters from now on sees what was stored before; who entered earlier is waited for. The
 * caller is not inside.
 */
void sg_seats_wait(struct sg_seats *seats);

#endif
