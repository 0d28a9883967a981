/* queue.c - see queue.h. h.queue has all waiters, oldest first. */
#include "queue.h"

uint32_t sg_queue_oldest(const struct sg_queue *q) {
  for (uint32_t i = 0; i < sg_queue_end(q->region); i++)
    if (sg_queue_has(q, sg_queue_at(q->region, i)))
      return sg_queue_at(q->region, i);
  return SG_NONE;
}

bool sg_is_holder(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w);
  if (job == SG_NONE || w->kind == SG_PEAK)
    return sg_is_beyond_budget(r, w);
  if (w->kind == SG_CONTEXT) /* others may wait for memory of the process that asks */
    return r->job[job].admitted;
  bool whole_job = sg_has_claim(r, job);
  const struct sg_client *c = &r->client[sg_waiter_client(w)];
  uint64_t held = 0; /* on any device: a waiter of this queue may wait for that device too */
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    held |= whole_job ? r->job[job].held_bytes[d] : sg_leased(atomic_load(&c->lease[d]));
  }
  return held != 0;
}
