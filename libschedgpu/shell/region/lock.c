/*
 * lock.c - the region's lock: a futex word that names its owner.
 *
 * word = waiters bit (31) | generation of the slot (20 bits) | slot + 1 (11 bits); 0 = free
 *
 * A waiter sleeps in slices. After a slice with the same owner at both ends it checks whether the
 * owner is dead (liveness.c), and only then takes the lock over and repairs. Slices grow, so that a
 * thousand waiters leave the CPUs to the owner. A live owner never loses the lock, however long it
 * is stopped. Robust mutexes and file locks were tried and have gaps
 * (docs/explanation/liveness.md).
 */
#include "check.h"
#include <pthread.h>

#define WAITERS_BIT 0x80000000u
#define FIRST_SLICE_NS UINT64_C(10000000)
#define LAST_SLICE_NS UINT64_C(160000000)
#define SPINS 200

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void begin_writing(struct sg_region *r) {
  uint64_t seq = atomic_load_explicit(&r->h.seq, memory_order_relaxed);
  atomic_store_explicit(&r->h.seq, seq | 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
}

static void end_writing(struct sg_region *r) {
  uint64_t seq = atomic_load_explicit(&r->h.seq, memory_order_relaxed);
  atomic_store_explicit(&r->h.seq, (seq | 1) + 1, memory_order_release);
}

static bool try_lock(struct sg_handle *h, uint32_t word) {
  uint32_t unlocked = 0;
  if (!atomic_compare_exchange_strong_explicit(&h->r->h.lock, &unlocked, word, memory_order_acquire,
                                               memory_order_relaxed))
    return false;
  begin_writing(h->r);
  sg_crash_point();
  return true;
}

static bool spin(struct sg_handle *h) {
  for (int i = 0; i < SPINS; i++) {
    relax();
    if (atomic_load_explicit(&h->r->h.lock, memory_order_relaxed) == 0 && try_lock(h, h->word))
      return true;
  }
  return false;
}

static void wake_all(struct sg_region *r, const struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < wakes->count; i++)
    sg_futex_wake(sg_wake_word(r, wakes->waiter[i]), INT_MAX);
}

/** Call with the lock: removes dead clients, and adds the waiters that this served to `wakes`. */
static uint32_t remove_dead(struct sg_handle *h, struct sg_wakes *wakes, uint64_t *bytes) {
  uint16_t dead[SG_SLOTS];
  uint32_t n = sg_find_dead(h, dead, SG_SLOTS), removed = 0;
  /* before any of them is removed, so that none of them gets a grant */
  for (uint32_t i = 0; i < n; i++)
    if (sg_slot_dead(h, dead[i]))
      sg_client_leave_queue(h->r, dead[i], sg_now_ns(), wakes);
  for (uint32_t i = 0; i < n; i++) {
    if (!sg_slot_dead(h, dead[i]))
      continue;
    sg_orphans_leave(h->r, dead[i], sg_now_ns(), wakes);
    *bytes += sg_client_remove(h->r, dead[i], sg_now_ns(), wakes);
    h->r->h.reaped_clients++;
    removed++;
  }
  return removed;
}

/** Repairs after a death, before anything is granted from incomplete sums. Leaves what only the
 * root side can repair. */
static void recover(struct sg_handle *h) {
  struct sg_wakes wakes;
  struct sg_report report;
  sg_wakes_clear(&wakes);
  uint64_t bytes = 0;
  h->r->h.recoveries++;
  if (sg_check_region(h, true, &report, &wakes) == SCHEDGPU_OK)
    remove_dead(h, &wakes, &bytes);
  wake_all(h->r, &wakes);
}

/** Takes the lock over from `word`'s dead owner. */
static bool take_over(struct sg_handle *h, uint32_t word) {
  if (!sg_slot_current(h) && h->r->client[h->slot].state != SG_ACTIVE)
    return false; /* our slot may belong to another process now: attaching tries again */
  if (!sg_owner_dead(h, word) ||
      !atomic_compare_exchange_strong(&h->r->h.lock, &word, h->word | WAITERS_BIT))
    return false;
  begin_writing(h->r);
  sg_crash_point();
  recover(h);
  return true;
}

static int32_t pid_of(const struct sg_handle *h, uint32_t word) {
  uint32_t slot = (word & 0x7ff) - 1;
  return slot < SG_SLOTS ? h->r->client[slot].pid : 0;
}

static uint64_t next_slice(uint64_t slice_ns, uint64_t left_ns) {
  uint64_t most_ns = left_ns < LAST_SLICE_NS ? left_ns : LAST_SLICE_NS;
  return slice_ns < most_ns ? slice_ns : most_ns;
}

static int lock_slowly(struct sg_handle *h, int64_t timeout_ns) {
  uint64_t end = timeout_ns < 0 ? UINT64_MAX : sg_now_ns() + (uint64_t)timeout_ns;
  uint64_t slice_ns = FIRST_SLICE_NS;
  for (;;) {
    uint32_t word = atomic_load(&h->r->h.lock);
    if (word == 0) {
      if (try_lock(h, h->word | WAITERS_BIT)) /* others may sleep and must be woken */
        return SCHEDGPU_OK;
      continue;
    }
    if (!(word & WAITERS_BIT) &&
        !atomic_compare_exchange_strong(&h->r->h.lock, &word, word | WAITERS_BIT))
      continue;
    word |= WAITERS_BIT;
    bool slept = !sg_futex_wait(&h->r->h.lock, word, slice_ns);
    if (slept && atomic_load(&h->r->h.lock) == word && take_over(h, word))
      return SCHEDGPU_OK;
    uint64_t now_ns = sg_now_ns();
    if (now_ns >= end) {
      h->lock_holder = pid_of(h, word);
      return SCHEDGPU_ELOCK;
    }
    slice_ns = next_slice(slept ? slice_ns * 2 : slice_ns, end - now_ns);
  }
}

/** Releases the lock if it is still ours; another owner is never affected. */
static void release(struct sg_handle *h) {
  uint32_t mine = h->word;
  end_writing(h->r);
  sg_crash_point();
  if (!atomic_compare_exchange_strong_explicit(&h->r->h.lock, &mine, 0, memory_order_release,
                                               memory_order_relaxed)) {
    mine = h->word | WAITERS_BIT;
    atomic_compare_exchange_strong_explicit(&h->r->h.lock, &mine, 0, memory_order_release,
                                            memory_order_relaxed);
    sg_futex_wake(&h->r->h.lock, 1);
  }
  sg_crash_point();
}

int sg_lock(struct sg_handle *h, int64_t timeout_ns) {
  int cancel_state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  int rc = try_lock(h, h->word) || spin(h) ? SCHEDGPU_OK : lock_slowly(h, timeout_ns);
  if (rc == SCHEDGPU_OK && !sg_slot_current(h) && !sg_slot_renew(h)) {
    release(h);
    rc = SCHEDGPU_ECORRUPT; /* the slot was lost with the liveness file */
  }
  if (rc == SCHEDGPU_OK)
    h->cancel_state = cancel_state;
  else
    pthread_setcancelstate(cancel_state, NULL);
  return rc;
}

void sg_unlock(struct sg_handle *h) {
  int cancel_state = h->cancel_state; /* the next holder may write the handle after the unlock */
  release(h);
  pthread_setcancelstate(cancel_state, NULL);
}

void sg_unlock_and_wake(struct sg_handle *h, const struct sg_wakes *wakes) {
  sg_unlock(h);
  wake_all(h->r, wakes);
}

static uint32_t active_jobs(const struct sg_region *r) {
  uint32_t n = 0;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    n += r->job[j].state == SG_ACTIVE;
  return n;
}

int sg_reap_locked(struct sg_handle *h, struct sg_wakes *wakes, struct schedgpu_reaped *reaped) {
  struct sg_report report;
  *reaped = (struct schedgpu_reaped){0};
  int rc = sg_check_region(h, false, &report, wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t jobs = active_jobs(h->r);
  uint64_t grants = h->r->h.grants;
  reaped->clients = remove_dead(h, wakes, &reaped->bytes);
  sg_serve(h->r, sg_now_ns(), wakes);
  reaped->jobs = jobs - active_jobs(h->r);
  reaped->granted = (uint32_t)(h->r->h.grants - grants);
  return SCHEDGPU_OK;
}

int sg_reap(struct sg_handle *h, int64_t timeout_ns, struct schedgpu_reaped *reaped) {
  struct schedgpu_reaped found;
  struct sg_wakes wakes;
  sg_wakes_clear(&wakes);
  int rc = sg_lock(h, timeout_ns);
  if (rc != SCHEDGPU_OK)
    return rc;
  rc = sg_reap_locked(h, &wakes, &found);
  sg_unlock_and_wake(h, &wakes);
  if (reaped)
    *reaped = found;
  return rc;
}
