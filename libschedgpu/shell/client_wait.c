/*
 * client_wait.c - waiting in the queue. The futex word is the waiter's own state: a grant is one
 * store into it. Sleeping in slices bounds the cost of a lost wake-up (its sender may have been
 * killed) and gives every waiter the duty to look for the dead, one of them at a time.
 */
#include "client.h"
#include "notice.h"

#define FIRST_SLICE_NS UINT64_C(20000000)
#define LAST_SLICE_NS UINT64_C(320000000)
#define SCAN_EVERY_NS UINT64_C(100000000)
#define LOCK_PATIENCE_NS INT64_C(3000000000)

int sg_lock_patiently(struct sg_handle *h) {
  int rc = sg_lock(h, LOCK_PATIENCE_NS);
  if (rc != SCHEDGPU_ELOCK)
    return rc;
  sg_notice_lock(h->lock_holder, sg_proc_state(h->lock_holder));
  return sg_lock(h, SCHEDGPU_FOREVER);
}

/** True for one caller per period, whoever it is. */
static bool my_turn_to_scan(struct sg_region *r, uint64_t now_ns) {
  uint64_t last = atomic_load(&r->h.scanned_ns);
  if (last <= now_ns && now_ns - last < SCAN_EVERY_NS)
    return false;
  return atomic_compare_exchange_strong(&r->h.scanned_ns, &last, now_ns);
}

static void look_after_others(struct sg_self *self) {
  uint16_t dead[SG_SLOTS];
  struct sg_handle *h = &self->h;
  pthread_mutex_lock(&self->mutex);
  if (atomic_load(&self->record) && my_turn_to_scan(h->r, sg_now_ns()) &&
      (h->r->h.grace_ns > 0 || sg_find_dead(h, dead, SG_SLOTS) > 0))
    sg_reap(h, LOCK_PATIENCE_NS, NULL); /* a stopped holder: the next slice tries again */
  pthread_mutex_unlock(&self->mutex);
}

static bool still_waiting(const struct sg_waiter *w, uint64_t ticket) {
  return atomic_load_explicit(&w->state, memory_order_acquire) == SG_WAITING && w->ticket == ticket;
}

static int settle(struct sg_self *self, uint32_t waiter, uint64_t ticket) {
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  pthread_mutex_lock(&self->mutex);
  int rc = atomic_load(&self->record) ? sg_lock_patiently(&self->h) : SCHEDGPU_ENOJOB;
  if (rc == SCHEDGPU_OK) {
    rc = sg_settle(self->h.r, waiter, ticket, self->h.slot, sg_now_ns(), &wakes);
    sg_unlock_and_wake(&self->h, &wakes);
  }
  pthread_mutex_unlock(&self->mutex);
  return rc == SCHEDGPU_EWOULDBLOCK ? SCHEDGPU_ETIMEDOUT : rc;
}

int sg_self_wait(struct sg_self *self, int ordinal, uint32_t waiter, uint64_t ticket,
                 uint64_t deadline_ns) {
  struct sg_waiter *w = &self->h.r->waiter[waiter];
  struct schedgpu_wait_notice notice;
  uint64_t start_ns = sg_now_ns(), slice_ns = FIRST_SLICE_NS;
  sg_notice_start(self->h.r, ordinal, waiter, &notice);
  while (still_waiting(w, ticket)) {
    uint64_t now_ns = sg_now_ns();
    if (now_ns >= deadline_ns)
      break;
    uint64_t left_ns = deadline_ns - now_ns;
    if (sg_futex_wait(&w->state, SG_WAITING, left_ns < slice_ns ? left_ns : slice_ns))
      continue;
    look_after_others(self);
    slice_ns = slice_ns * 2 < LAST_SLICE_NS ? slice_ns * 2 : LAST_SLICE_NS;
  }
  int rc = settle(self, waiter, ticket);
  sg_notice_end(&notice, sg_now_ns() - start_ns, rc);
  return rc;
}
