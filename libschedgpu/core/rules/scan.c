/*
 * scan.c - the candidate scan: one pass over the waiters of a queue that looks for the next one.
 * First come waiters that reached the overtake limit, then holders, then all in the policy's order.
 */
#include "rules.h"
#include "banker.h"
#include "need.h"
#include "queue.h"

static bool fits(const struct sg_scan *s, uint32_t w) {
  return sg_fits(s->q.region, &s->q.region->waiter[w]);
}

static bool has_reached_the_limit(const struct sg_region *r, uint32_t w) {
  return r->h.overtake_limit != 0 && r->waiter[w].overtaken >= r->h.overtake_limit;
}

/** Waiters wait for holders: a holder that waited behind them would be a deadlock. */
static bool is_holder(const struct sg_region *r, uint32_t w) {
  return sg_is_holder(r, &r->waiter[w]);
}

/** Appends the waiters of the queue for which `is` returns true. */
static void append(struct sg_scan *s, uint32_t count,
                   bool (*is)(const struct sg_region *r, uint32_t w)) {
  for (uint32_t i = 0; i < count; i++)
    if (is(s->q.region, s->waiters[i]))
      s->order[s->end++] = s->waiters[i];
}

/** True if the memory of any remaining candidate is free. Usually none is, and then the scan need
 * not find out which requests the first one blocks: that is expensive. */
static bool any_memory_is_free(const struct sg_scan *s) {
  const struct sg_region *r = s->q.region;
  for (uint32_t i = s->from; i < s->end; i++)
    if (sg_queue_has(&s->q, s->order[i]) && sg_has_room(r, &r->waiter[s->order[i]]))
      return true;
  return false;
}

void sg_scan_start(struct sg_scan *s, const struct sg_queue *q, struct sg_running *running) {
  const struct sg_region *r = q->region;
  uint32_t count = 0;
  bool room = false;
  for (uint32_t i = 0; i < sg_queue_end(r); i++) {
    uint32_t w = sg_queue_at(r, i);
    if (!sg_queue_has(q, w))
      continue;
    s->waiters[count++] = (uint16_t)w;
    room = room || sg_has_room(r, &r->waiter[w]);
  }
  s->q = *q;
  s->running = running;
  s->at = s->from = s->end = s->bound_end = s->holders_end = 0;
  s->blocker = SG_NONE;
  if (!room) /* then no order is needed */
    return;
  append(s, count, has_reached_the_limit);
  s->bound_end = s->end;
  append(s, count, is_holder);
  s->holders_end = s->end;
  s->on_no_fit = sg_policy_order(r, s->waiters, count, s->order + s->end);
  s->end += count;
}

static bool covered_beside_unreserved(const struct sg_region *r, struct sg_reduction *running,
                                      const struct sg_waiter *w) {
  SG_EACH_DEVICE (d, UINT32_MAX) {
    running->unreserved[d] = r->device[d].unreserved_bytes;
  }
  bool covered = sg_need_is_free(r, running, w);
  SG_EACH_DEVICE (d, UINT32_MAX) {
    running->unreserved[d] = 0;
  }
  return covered;
}

/** A separate function: each reduction is large, and threads may have small stacks. */
__attribute__((noinline)) static bool claims_are_covered(const struct sg_region *r,
                                                         const struct sg_reduction *running,
                                                         const struct sg_waiter *w) {
  struct sg_reduction used_up = *running;
  return sg_claims_are_covered(r, &used_up, w);
}

/**
 * True if a request that does not fit now would fit once every running process had released its
 * memory. Otherwise it waits for another waiter, or for unreserved memory, which may be freed at
 * any time or never: such a request blocks no other.
 */
static bool blocks(struct sg_scan *s, uint32_t w) {
  const struct sg_region *r = s->q.region;
  const struct sg_waiter *waiter = &r->waiter[w];
  if (!s->running->valid) {
    sg_reduction_start(r, &s->running->red);
    sg_reduction_run(r, &s->running->red);
    s->running->valid = true;
  }
  if (!covered_beside_unreserved(r, &s->running->red, waiter))
    return false;
  return waiter->kind != SG_ONDEMAND || !sg_has_claim(r, sg_waiter_job(r, waiter)) ||
         claims_are_covered(r, &s->running->red, waiter);
}

bool sg_scan_is_at_bound(const struct sg_scan *s) {
  return s->at < s->bound_end;
}

static enum sg_on_no_fit on_no_fit(const struct sg_scan *s) {
  if (sg_scan_is_at_bound(s))
    return SG_NO_FIT_STOPS;
  return s->at < s->holders_end ? SG_NO_FIT_IS_SKIPPED : s->on_no_fit;
}

/** True if another request blocks this one. Requests of the blocker's own priority may still be
 * next. */
static bool is_blocked(const struct sg_scan *s, uint32_t w) {
  const struct sg_region *r = s->q.region;
  return s->blocker != SG_NONE && r->waiter[w].priority != r->waiter[s->blocker].priority;
}

/** True if the pass ends with this request, which does not fit. */
static bool ends_with(struct sg_scan *s, uint32_t w) {
  if (s->blocker != SG_NONE || on_no_fit(s) == SG_NO_FIT_IS_SKIPPED || !blocks(s, w))
    return false;
  s->blocker = w;
  return on_no_fit(s) == SG_NO_FIT_STOPS;
}

uint32_t sg_scan_next(struct sg_scan *s) {
  if (!any_memory_is_free(s))
    s->from = s->end;
  for (s->at = s->from; s->at < s->end; s->at++) {
    uint32_t w = s->order[s->at];
    if (!sg_queue_has(&s->q, w))
      continue; /* granted by now, or in other queues */
    if (is_blocked(s, w))
      break;
    if (fits(s, w)) {
      s->from = s->at + 1;
      return w;
    }
    if (ends_with(s, w))
      break;
  }
  s->from = s->end;
  return SG_NONE;
}

uint32_t sg_next_in(const struct sg_queue *q, struct sg_running *running) {
  struct sg_scan scan;
  sg_scan_start(&scan, q, running);
  return sg_scan_next(&scan);
}
