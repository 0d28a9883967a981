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

/** True if the admission of any waiting job needs memory of this device. */
static bool admission_needs(const struct sg_region *r, uint32_t device) {
  for (uint32_t i = 0; i < sg_queue_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[sg_queue_at(r, i)];
    uint32_t job = w->state == SG_WAITING ? sg_waiter_job(r, w) : SG_NONE;
    if (job != SG_NONE && !r->job[job].admitted && (r->job[job].device_mask & 1u << device))
      return true;
  }
  return false;
}

bool sg_device_is_needed(const struct sg_region *r, uint32_t device) {
  const struct sg_device *d = &r->device[device];
  return d->waiting[SG_QUEUE_MEMORY] != 0 || d->waiting[SG_QUEUE_CONTEXT] != 0 ||
         admission_needs(r, device);
}
