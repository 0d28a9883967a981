/* queue.c - see queue.h */
#include "queue.h"

bool sg_queue_has(const struct sg_queue *q, uint32_t w) {
  const struct sg_waiter *waiter = &q->region->waiter[w];
  return waiter->state == SG_WAITING && sg_queue_of(q->region, waiter) == q->class &&
         (waiter->device_mask & 1u << q->device);
}

bool sg_queue_fits(const struct sg_queue *q, uint32_t w) {
  return sg_fits(q->region, &q->region->waiter[w]);
}

static bool older(const struct sg_queue *q, uint32_t a, uint32_t b) {
  return b == SG_NONE || q->region->waiter[a].ticket < q->region->waiter[b].ticket;
}

/** Fitting is looked at last: it is the dear part. */
static uint32_t oldest(const struct sg_queue *q, bool any_priority, int32_t priority,
                       bool must_fit) {
  uint32_t best = SG_NONE;
  for (uint32_t w = 0; w < sg_waiters_end(q->region); w++)
    if (sg_queue_has(q, w) && (any_priority || q->region->waiter[w].priority == priority) &&
        older(q, w, best) && (!must_fit || sg_queue_fits(q, w)))
      best = w;
  return best;
}

uint32_t sg_queue_oldest(const struct sg_queue *q) {
  return oldest(q, true, 0, false);
}

uint32_t sg_queue_oldest_fitting(const struct sg_queue *q) {
  return oldest(q, true, 0, true);
}

uint32_t sg_queue_oldest_fitting_of(const struct sg_queue *q, int32_t priority) {
  return oldest(q, false, priority, true);
}

int32_t sg_queue_top_priority(const struct sg_queue *q) {
  int32_t top = INT32_MIN;
  for (uint32_t w = 0; w < sg_waiters_end(q->region); w++)
    if (sg_queue_has(q, w) && q->region->waiter[w].priority > top)
      top = q->region->waiter[w].priority;
  return top;
}

uint32_t sg_queue_highest_fitting(const struct sg_queue *q) {
  uint32_t best = SG_NONE;
  for (uint32_t w = 0; w < sg_waiters_end(q->region); w++) {
    if (!sg_queue_has(q, w))
      continue;
    int32_t mine = q->region->waiter[w].priority;
    bool better = best == SG_NONE || mine > q->region->waiter[best].priority ||
                  (mine == q->region->waiter[best].priority && older(q, w, best));
    if (better && sg_queue_fits(q, w))
      best = w;
  }
  return best;
}

static bool holds_memory(const struct sg_queue *q, const struct sg_waiter *w) {
  const struct sg_client *c = &q->region->client[sg_waiter_client(w)];
  uint64_t leased = 0; /* on any device: somebody of this queue may wait for that one, too */
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    leased |= sg_leased(atomic_load(&c->lease[d]));
  return w->kind == SG_ONDEMAND && leased != 0;
}

uint32_t sg_queue_oldest_holder_fitting(const struct sg_queue *q) {
  uint32_t best = SG_NONE;
  for (uint32_t w = 0; w < sg_waiters_end(q->region); w++)
    if (sg_queue_has(q, w) && holds_memory(q, &q->region->waiter[w]) && older(q, w, best) &&
        sg_queue_fits(q, w))
      best = w;
  return best;
}
