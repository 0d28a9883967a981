/*
 * grant.c - reserves what fits and wakes the process that asked. What is reserved depends on the
 * mode.
 */
#include "account.h"
#include "growth.h"
#include "need.h"
#include "queue.h"
#include "rules.h"

bool sg_reserve(struct sg_region *r, const struct sg_waiter *w, uint64_t now_ns) {
  uint32_t job = sg_waiter_job(r, w), device = sg_waiter_device(w);
  if (job == SG_NONE)
    return false;
  switch (w->kind) {
  case SG_PEAK:
    if (r->job[job].held_mask == 0)
      sg_account_hold(r, job, now_ns);
    return !sg_budget_grows(r, job) || sg_grow_budget(r, w);
  case SG_ONDEMAND:
    sg_account_memory(r, job, device, w->bytes, 0, now_ns);
    return true;
  default:
    sg_account_context(r, job, device, w->bytes, 0);
    return true;
  }
}

static void mark_granted(struct sg_region *r, uint32_t index, uint64_t now_ns,
                         struct sg_wakes *wakes) {
  struct sg_waiter *w = &r->waiter[index];
  uint32_t place = sg_account_unqueued(r, index);
  atomic_store(&w->state, SG_GRANTED);
  sg_crash_point();
  sg_account_wait(r, sg_waiter_job(r, w), w, place, now_ns);
  if (w->kind != SG_PEAK) /* from here on the waiter's record counts it */
    sg_reserve(r, w, now_ns);
  r->h.grants++;
  sg_add_wake(wakes, index);
}

/** True if the request is for memory that the job's held budget covers: it reserves nothing. */
static bool needs_nothing(const struct sg_region *r, const struct sg_waiter *w) {
  return w->kind == SG_PEAK && sg_need(r, NULL, w, sg_waiter_device(w)) == 0;
}

static bool is_covered(const struct sg_region *r, const struct sg_waiter *w) {
  return sg_is_covered(r, NULL, w);
}

/** Grants every waiting request of the job that `which` chooses, oldest first. */
static void grant_all_of(struct sg_region *r, uint32_t job,
                         bool (*which)(const struct sg_region *r, const struct sg_waiter *w),
                         uint64_t now_ns, struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < sg_queue_end(r) && r->job[job].waiting != 0;) {
    uint32_t index = sg_queue_at(r, i);
    const struct sg_waiter *w = &r->waiter[index];
    uint32_t length = r->h.queue_length;
    if (w->state == SG_WAITING && sg_waiter_job(r, w) == job && which(r, w))
      mark_granted(r, index, now_ns, wakes);
    i += r->h.queue_length == length; /* else the next waiter has moved to this place */
  }
}

bool sg_grant_covered(struct sg_region *r, uint32_t device, uint64_t now_ns,
                      struct sg_wakes *wakes) {
  struct sg_queue q = {r, device, SG_QUEUE_CONTEXT};
  bool served = false;
  for (uint32_t i = 0; i < sg_queue_end(r);) {
    uint32_t index = sg_queue_at(r, i);
    bool covered = sg_queue_has(&q, index) && is_covered(r, &r->waiter[index]);
    if (covered)
      mark_granted(r, index, now_ns, wakes);
    served |= covered;
    i += !covered; /* else the next waiter has moved to this place */
  }
  return served;
}

bool sg_grant(struct sg_region *r, uint32_t index, uint64_t now_ns, struct sg_wakes *wakes) {
  const struct sg_waiter *w = &r->waiter[index];
  uint32_t job = sg_waiter_job(r, w);
  if (!r->job[job].admitted) {
    sg_account_admission(r, job, true); /* its waiters are in other queues now */
    grant_all_of(r, job, is_covered, now_ns, wakes);
    return true;
  }
  bool budget = w->kind == SG_PEAK && r->job[job].held_mask == 0;
  if (w->kind == SG_PEAK && !sg_reserve(r, w, now_ns))
    return false;
  mark_granted(r, index, now_ns, wakes);
  if (budget) /* the budget belongs to the job: its processes that fit into it go on, too */
    grant_all_of(r, job, needs_nothing, now_ns, wakes);
  return true;
}
