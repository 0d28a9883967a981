/*
 * client_wait.c - waits in the queue. The futex word is the state of the waiter's record: a grant
 * is one store into it. Of the death of another process the oldest waiters are told
 * (death_watch.c). All sleep in slices, too: that bounds the cost of a lost wake-up (its sender may
 * have been killed), and of a death that nobody was told of.
 */
#include "client_lock.h"
#include "notice.h"
#include "../region/check.h"

#define FIRST_SLICE_NS UINT64_C(2000000)
#define LAST_SLICE_NS UINT64_C(320000000)
#define SCAN_EVERY_NS UINT64_C(100000000)

/** True if the region seems damaged. Read without the lock, so the reap checks again. */
static bool seems_damaged(const struct sg_region *r) {
  struct sg_report report = {0};
  sg_damage(r, &report);
  return report.findings > 0;
}

/**
 * True if the lock's owner is dead. It may have died when its own record was gone already, or not
 * there yet.
 */
static bool lock_is_orphaned(const struct sg_handle *h) {
  uint32_t word = atomic_load(&h->r->h.lock);
  return word != 0 && sg_owner_dead(h, word);
}

enum finding { NOTHING_TO_DO, MUST_REAP, REGION_GONE };

static enum finding scan_and_check(const struct sg_self *self, struct sg_region *r) {
  const struct sg_handle *h = &self->h;
  if (!atomic_load(&self->record) || h->r != r)
    return NOTHING_TO_DO; /* detached: the wait is over */
  if (!sg_region_exists(h))
    return REGION_GONE;
  if (!sg_dead_scan_due(r, sg_now_ns(), SCAN_EVERY_NS))
    return NOTHING_TO_DO;
  return lock_is_orphaned(h) || r->h.grace_ns > 0 || sg_dead_scan(h) || seems_damaged(r)
             ? MUST_REAP
             : NOTHING_TO_DO;
}

/** If the region is gone, the request is never served there. */
bool sg_self_check_others(struct sg_self *self, struct sg_region *r,
                          struct sg_lock_timeout *timeout) {
  pthread_mutex_lock(&self->mutex);
  enum finding finding = scan_and_check(self, r);
  pthread_mutex_unlock(&self->mutex);
  if (finding == MUST_REAP) { /* the holder of the lock is stopped: tried again in the next slice */
    struct sg_lock_timeout little = {.give_up_ns = 0, .reported = timeout->reported};
    sg_self_do(self, &little, sg_self_reap_locked, NULL);
    timeout->reported = little.reported;
  }
  return finding != REGION_GONE;
}

static bool still_waiting(const struct sg_waiter *w, uint64_t ticket) {
  return atomic_load_explicit(&w->state, memory_order_acquire) == SG_WAITING && w->ticket == ticket;
}

static int settle_wait(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  const struct sg_wait *wait = argument;
  if (self->h.r != wait->region)
    return SCHEDGPU_ENOJOB;
  return sg_settle(self->h.r, self->h.slot, wait->ticket, sg_now_ns(), wakes);
}

/**
 * Settles the wait. Waits for the lock without a limit, because a grant must not be lost, unless
 * the region is gone.
 */
static int settle(struct sg_self *self, const struct sg_wait *wait, bool gone, bool reported) {
  struct sg_lock_timeout timeout = {.give_up_ns = gone ? 0 : SG_NO_DEADLINE,
                                    .reported = gone || reported};
  int rc = sg_self_do(self, &timeout, settle_wait, (void *)(uintptr_t)wait);
  if (gone && rc != SCHEDGPU_OK)
    return SCHEDGPU_ENOREGION;
  return rc == SCHEDGPU_EWOULDBLOCK ? SCHEDGPU_ETIMEDOUT : rc;
}

static bool is_among_the_oldest(const struct sg_region *r, uint32_t waiter) {
  uint32_t end = sg_queue_end(r) < SG_WATCHERS ? sg_queue_end(r) : SG_WATCHERS, i = 0;
  while (i < end && sg_queue_at(r, i) != waiter)
    i++;
  return i < end;
}

/** Sleeps until the wait can be settled. False if the region is gone. */
static bool sleep_in_queue(struct sg_self *self, const struct sg_wait *wait,
                           struct sg_lock_timeout *timeout) {
  struct sg_waiter *w = &wait->region->waiter[wait->waiter];
  uint64_t slice_ns = FIRST_SLICE_NS;
  while (still_waiting(w, wait->ticket)) {
    uint64_t now_ns = sg_now_ns();
    if (now_ns >= wait->deadline_ns)
      break;
    uint64_t left_ns = wait->deadline_ns - now_ns;
    if (sg_futex_wait(&w->state, SG_WAITING, left_ns < slice_ns ? left_ns : slice_ns))
      continue;
    if (!sg_self_check_others(self, wait->region, timeout))
      return false;
    if (is_among_the_oldest(wait->region, wait->waiter))
      sg_watch_deaths(self);
    slice_ns = slice_ns * 2 < LAST_SLICE_NS ? slice_ns * 2 : LAST_SLICE_NS;
  }
  return true;
}

int sg_queue_wait(struct sg_self *self, struct sg_wait *wait, struct sg_lock_timeout *timeout) {
  uint64_t start_ns = sg_now_ns();
  if (!still_waiting(&wait->region->waiter[wait->waiter], wait->ticket))
    return settle(self, wait, false, timeout->reported); /* served meanwhile: no wait to tell of */
  sg_notice_start(wait->region, wait->ordinal, wait->waiter, &wait->notice);
  bool gone = !sleep_in_queue(self, wait, timeout);
  int rc = settle(self, wait, gone, timeout->reported);
  sg_notice_end(&wait->notice, sg_now_ns() - start_ns, rc);
  return rc;
}
