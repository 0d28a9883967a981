/*
 * reader_slots.h - which threads are just now using what another thread wants to take away. A
 * thread says so in a slot of its own, by plain stores; who takes away pays instead, with a
 * membarrier(2) (docs/explanation/seats.md). Internal to the shell.
 *
 * Lives in a page that is wiped in a forked child: all zero = nobody sits, nobody is inside.
 */
#ifndef SG_READER_SLOTS_H
#define SG_READER_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SG_READER_SLOTS 64u

struct sg_reader_slot {
  _Alignas(64) _Atomic(const void *) owner; /**< what is at one address in one thread alone */
  _Atomic int32_t tid;                      /**< of the owner; 0: free */
  _Atomic uint32_t inside;                  /**< how often the owner is; written by it alone */
};

struct sg_reader_slots {
  _Atomic uint32_t without_slot; /**< threads inside that got no slot: counted together */
  _Atomic uint32_t end;          /**< slots at and above have never been used */
  struct sg_reader_slot slot[SG_READER_SLOTS];
};

/** This thread's slot; NULL: none yet, or none to be had. Never on the way of the host's malloc. */
extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct sg_reader_slot *sg_own_reader_slot;

/** Finds this thread a slot, or counts it as without_slot; then it is inside. */
void sg_readers_enter_slowly(struct sg_reader_slots *slots);

/** This thread is inside from here on: what it loads next is newer than that. Nothing may block. */
static inline void sg_readers_enter(struct sg_reader_slots *slots) {
  struct sg_reader_slot *slot = sg_own_reader_slot;
  /* in a forked child the slot is nobody's, or somebody else's */
  if (__builtin_expect(!slot || atomic_load_explicit(&slot->owner, memory_order_relaxed) !=
                                    &sg_own_reader_slot,
                       0)) {
    sg_readers_enter_slowly(slots);
    return;
  }
  uint32_t inside = atomic_load_explicit(&slot->inside, memory_order_relaxed);
  atomic_store_explicit(&slot->inside, inside + 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst); /* the CPU's part is done by sg_readers_wait() */
}

static inline void sg_readers_exit(struct sg_reader_slots *slots) {
  struct sg_reader_slot *slot = sg_own_reader_slot;
  if (__builtin_expect(!slot, 0)) {
    atomic_fetch_sub_explicit(&slots->without_slot, 1, memory_order_release);
    return;
  }
  uint32_t inside = atomic_load_explicit(&slot->inside, memory_order_relaxed);
  atomic_store_explicit(&slot->inside, inside - 1, memory_order_release);
}

/**
 * Whoever enters from now on sees what was stored before; who entered earlier is waited for. The
 * caller is not inside.
 */
void sg_readers_wait(struct sg_reader_slots *slots);

#endif
