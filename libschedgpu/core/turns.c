/* turns.c - whose turn it is: holders first, within the bound on overtaking, then the policy. */
#include "queue.h"
#include "overflow.h"

void sg_turns_start(struct sg_turns *t, const struct sg_queue *q, struct sg_running *running) {
  t->q = *q;
  t->running = running;
  t->count = t->oldest = t->holder = t->at = t->roomless = 0;
  t->last = SG_NONE;
  t->missed = t->ordered = t->passed = false;
  for (uint32_t i = 0; i < sg_queue_end(q->region); i++) {
    uint32_t w = sg_queue_at(q->region, i);
    if (sg_queue_has(q, w))
      t->line[t->count++] = (uint16_t)w;
  }
}

/** Before the first turn nothing has changed since the line was formed. */
static bool waits(const struct sg_turns *t, uint32_t w) {
  return t->last == SG_NONE || sg_queue_has(&t->q, w);
}

static bool fits(const struct sg_turns *t, uint32_t w) {
  return sg_fits(t->q.region, &t->q.region->waiter[w]);
}

static uint32_t oldest(struct sg_turns *t) {
  while (t->oldest < t->count && !waits(t, t->line[t->oldest]))
    t->oldest++;
  return t->oldest < t->count ? t->line[t->oldest] : SG_NONE;
}

/** Who waits, waits for those who hold: stopping a holder for their sake would be a deadlock. */
static uint32_t holder(struct sg_turns *t) {
  for (; t->holder < t->count; t->holder++) {
    uint32_t w = t->line[t->holder];
    if (waits(t, w) && sg_is_holder(t->q.region, &t->q.region->waiter[w]) && fits(t, w))
      return w;
  }
  return SG_NONE;
}

static bool covered_beside_outside_memory(const struct sg_region *r, struct sg_reduction *running,
                                          const struct sg_waiter *w) {
  SG_EACH_DEVICE (d, UINT32_MAX) {
    running->outside[d] = r->device[d].outside_bytes;
  }
  bool covered = sg_reduction_covers(r, running, w);
  SG_EACH_DEVICE (d, UINT32_MAX) {
    running->outside[d] = 0;
  }
  return covered;
}

/** Apart from who calls it: each reduction is large, and threads may have small stacks. */
__attribute__((noinline)) static bool claims_are_covered(const struct sg_region *r,
                                                         const struct sg_reduction *running,
                                                         const struct sg_waiter *w) {
  struct sg_reduction used_up = *running;
  return sg_claims_are_covered(r, &used_up, w);
}

/**
 * Whether a request that does not fit would, once all that do not wait have given back what they
 * hold. If not, it waits for somebody who waits, or for outside memory, of which nobody knows when
 * it comes back: for its sake nobody may be kept waiting.
 */
bool sg_turns_keeps_back(struct sg_turns *t, uint32_t w) {
  const struct sg_region *r = t->q.region;
  const struct sg_waiter *waiter = &r->waiter[w];
  if (!t->running->reduced) {
    sg_reduction_start(r, &t->running->red);
    sg_reduction_run(r, &t->running->red);
    t->running->reduced = true;
  }
  if (!covered_beside_outside_memory(r, &t->running->red, waiter))
    return false;
  return waiter->kind != SG_ONDEMAND || !sg_has_claim(r, sg_waiter_job(r, waiter)) ||
         claims_are_covered(r, &t->running->red, waiter);
}

static bool is_passed(struct sg_turns *t, uint32_t w) {
  if (t->misfit == SG_MISFIT_IS_PASSED)
    return true;
  bool passed = !sg_turns_keeps_back(t, w);
  t->passed |= passed;
  return passed;
}

static uint32_t by_policy(struct sg_turns *t) {
  const struct sg_region *r = t->q.region;
  if (!t->ordered)
    t->misfit = sg_policy_order(r, t->line, t->count, t->order);
  t->ordered = true;
  for (; t->at < t->count; t->at++) {
    uint32_t w = t->order[t->at];
    if (!waits(t, w))
      continue;
    if (t->missed && r->waiter[w].priority != t->missed_priority)
      return SG_NONE;
    if (fits(t, w))
      return w;
    if (t->missed || is_passed(t, w))
      continue;
    if (t->misfit == SG_MISFIT_STOPS)
      return SG_NONE;
    t->missed = true; /* of its own priority others may still pass it */
    t->missed_priority = r->waiter[w].priority;
  }
  return SG_NONE;
}

/**
 * What a grant changes, beside the memory: a job with a claim may hold now, or a job be admitted,
 * and its other requests come first; and somebody runs now, for whose end others may be kept back,
 * or whose end leaves a way out beside one more context.
 */
static void note_grant(struct sg_turns *t) {
  const struct sg_region *r = t->q.region;
  uint32_t job = t->last == SG_NONE ? SG_NONE : sg_waiter_job(r, &r->waiter[t->last]);
  if (job != SG_NONE && r->job[job].waiting != 0 &&
      (t->q.class == SG_QUEUE_CONTEXT || sg_has_claim(r, job)))
    t->holder = 0;
  if (t->last != SG_NONE)
    t->running->reduced = false;
  if (job != SG_NONE && sg_overflow_waits(r, job)) { /* its other requests stand elsewhere now */
    sg_turns_start(t, &(struct sg_queue){r, t->q.device, t->q.class}, t->running);
    return;
  }
  if (t->passed || t->missed || t->q.class == SG_QUEUE_CONTEXT) {
    t->at = 0;
    t->missed = t->passed = false;
  }
}

/** Who was overtaken as often as may be, here or in another queue that it stands in. */
static bool is_at_the_bound(const struct sg_turns *t, uint32_t w) {
  const struct sg_region *r = t->q.region;
  return r->waiter[w].overtaken >= r->h.overtake_limit && waits(t, w);
}

/** Position in `line` of the oldest of them. */
static uint32_t find_bound(const struct sg_turns *t) {
  for (uint32_t i = t->oldest; i < t->count; i++)
    if (is_at_the_bound(t, t->line[i]))
      return i;
  return SG_NONE;
}

/** A grant counts for the oldest of each queue that it stood in: for most grants of this one alone.
 */
static void look_for_bound(struct sg_turns *t, uint32_t first) {
  const struct sg_region *r = t->q.region;
  uint32_t limit = r->h.overtake_limit;
  uint32_t mask = t->last == SG_NONE ? 0 : r->waiter[t->last].device_mask;
  bool several = (mask & (mask - 1)) != 0;
  if (limit == 0)
    t->bound = SG_NONE;
  else if (t->last == SG_NONE || several || t->bound != SG_NONE ||
           r->waiter[first].overtaken >= limit)
    t->bound = find_bound(t);
}

/** Who waits for somebody who waits is passed over, so that all queues of a request over several
 * devices see the same one. */
uint32_t sg_turns_at_bound(struct sg_turns *t) {
  uint32_t first = oldest(t);
  if (first == SG_NONE)
    return SG_NONE;
  look_for_bound(t, first);
  for (uint32_t i = t->bound; i < t->count; i++) {
    uint32_t w = t->line[i];
    if (is_at_the_bound(t, w) && (fits(t, w) || sg_turns_keeps_back(t, w)))
      return w;
  }
  return SG_NONE;
}

/**
 * Most often nobody has, and then it is of no interest whom the first one keeps back: to find that
 * out is dear. Who had no room has none after a grant either: an admission, or a budget that is
 * held, takes the same room for each request of its job.
 */
static bool somebody_has_room(struct sg_turns *t) {
  const struct sg_region *r = t->q.region;
  for (; t->roomless < t->count; t->roomless++) {
    uint32_t w = t->line[t->roomless];
    if (waits(t, w) && sg_has_room(r, &r->waiter[w]))
      return true;
  }
  return false;
}

static uint32_t next(struct sg_turns *t) {
  uint32_t at_bound = sg_turns_at_bound(t);
  if (at_bound != SG_NONE)
    return fits(t, at_bound) ? at_bound : SG_NONE;
  uint32_t holding = holder(t);
  return holding != SG_NONE ? holding : by_policy(t);
}

uint32_t sg_turns_next(struct sg_turns *t) {
  note_grant(t);
  t->last = somebody_has_room(t) ? next(t) : SG_NONE;
  return t->last;
}

uint32_t sg_policy_next(const struct sg_queue *q, struct sg_running *running) {
  struct sg_turns turns;
  sg_turns_start(&turns, q, running);
  return sg_turns_next(&turns);
}
