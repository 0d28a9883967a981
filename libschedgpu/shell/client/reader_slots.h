/*
 * reader_slots.h - which threads are using the client record without the mutex. A thread says so in
 * its own reader slot by plain stores. The thread that wants to take the record away pays for that
 * with membarrier(2) (docs/explanation/reader-slots.md). Internal to the shell.
 *
 * The slots are in a page that is wiped in a forked child: all zero = no slot in use, no thread
 * inside.
 */
#ifndef SG_READER_SLOTS_H
#define SG_READER_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SG_READER_SLOTS 64u

struct sg_reader_slot {
  _Alignas(64) _Atomic(const void *)
      owner;               /**< address of a thread-local variable, which identifies the thread */
  _Atomic int32_t tid;     /**< thread id of the owner; 0: free */
  _Atomic uint32_t inside; /**< how often the owner is inside; only the owner writes it */
  _Atomic uint32_t launch; /**< odd while the owner launches work; counts both ends of a launch */
};

struct sg_reader_slots {
  _Atomic uint32_t without_slot;          /**< threads inside without a slot, counted together */
  _Atomic uint32_t end;                   /**< slots from here on have never been used */
  _Atomic uint32_t launches_without_slot; /**< threads that launch without a slot */
  _Atomic uint32_t launched_without_slot; /**< how often that happened */
  struct sg_reader_slot slot[SG_READER_SLOTS];
};

/**
 * This thread's slot; NULL: none yet, or none available. Never allocates by the malloc of the
 * program.
 */
extern _Thread_local
    __attribute__((tls_model("initial-exec"))) struct sg_reader_slot *sg_own_reader_slot;

/** Finds a slot for this thread, or counts it without one; then the thread is inside. */
void sg_readers_enter_slowly(struct sg_reader_slots *slots);

/** False in a forked child, where the slot is free, or belongs to another thread. */
static inline bool sg_is_own_reader_slot(const struct sg_reader_slot *slot) {
  return slot && atomic_load_explicit(&slot->owner, memory_order_relaxed) == &sg_own_reader_slot;
}

/** This thread is inside from now on: whatever it loads next is newer. Nothing may block. */
static inline void sg_readers_enter(struct sg_reader_slots *slots) {
  struct sg_reader_slot *slot = sg_own_reader_slot;
  if (__builtin_expect(!sg_is_own_reader_slot(slot), 0)) {
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

/* --- launches: the same for threads that launch work on a device, which may block meanwhile --- */

/** Finds a slot for this thread, or counts it without one; then the thread launches. */
void sg_launch_begin_slowly(struct sg_reader_slots *slots);

/** This thread launches from now on: what it loads next is newer. It must not do so already. */
static inline void sg_launch_begin(struct sg_reader_slots *slots) {
  struct sg_reader_slot *slot = sg_own_reader_slot;
  if (__builtin_expect(!sg_is_own_reader_slot(slot), 0)) {
    sg_launch_begin_slowly(slots);
    return;
  }
  uint32_t launch = atomic_load_explicit(&slot->launch, memory_order_relaxed);
  atomic_store_explicit(&slot->launch, launch + 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst); /* the CPU's part is done by sg_launches_wait() */
}

static inline void sg_launch_end(struct sg_reader_slots *slots) {
  struct sg_reader_slot *slot = sg_own_reader_slot;
  if (__builtin_expect(!slot, 0)) {
    atomic_fetch_sub_explicit(&slots->launches_without_slot, 1, memory_order_release);
    return;
  }
  uint32_t launch = atomic_load_explicit(&slot->launch, memory_order_relaxed);
  atomic_store_explicit(&slot->launch, launch + 1, memory_order_release);
}

/** Returns when every launch has ended that began earlier; later ones see what was stored before
 * the call. The caller must not launch. */
void sg_launches_wait(struct sg_reader_slots *slots);

/** True if a thread launches. */
bool sg_launches_any(struct sg_reader_slots *slots);
/** Changes with every launch of the process. */
uint32_t sg_launches_count(struct sg_reader_slots *slots);

/**
 * Returns when no thread is inside that entered earlier. Threads that enter later see what was
 * stored before the call. The caller must not be inside.
 */
void sg_readers_wait(struct sg_reader_slots *slots);

#endif
