/*
 * serve.c - hand-off: the process that frees memory reserves it for the next waiter and wakes that.
 */
#include "account.h"
#include "rules.h"
#include "queue.h"
#include "growth.h"
#include "../lanes/lanes.h"

/** Counts the overtaking; true if a waiter has reached the overtake limit: it comes first from now
 * on. */
static bool note_overtaking(struct sg_region *r, uint32_t granted) {
  struct sg_waiter *w = &r->waiter[granted];
  bool reached = false;
  SG_EACH_DEVICE (d, sg_waiter_mask(r, w)) {
    struct sg_queue q = {r, d, sg_queue_of(r, w)};
    uint32_t oldest = sg_queue_oldest(&q);
    if (oldest == SG_NONE || oldest == granted || r->waiter[oldest].ticket > w->ticket)
      continue;
    SG_PUT(r->waiter[oldest].overtaken, r->waiter[oldest].overtaken + 1);
    reached |= r->waiter[oldest].overtaken == r->h.overtake_limit;
  }
  return reached;
}

/** True if the request is next on all of its devices. */
static bool next_on_all_devices(const struct sg_region *r, uint32_t index, uint32_t except,
                                struct sg_running *running) {
  const struct sg_waiter *w = &r->waiter[index];
  SG_EACH_DEVICE (d, sg_waiter_mask(r, w) & ~(1u << except)) {
    struct sg_queue q = {r, d, sg_queue_of(r, w)};
    if (sg_next_in(&q, running) != index)
      return false;
  }
  return true;
}

/** Serves a queue until a waiter reaches the overtake limit. True if a request was granted. */
static bool serve_queue(struct sg_region *r, uint32_t device, uint32_t class, uint64_t now_ns,
                        struct sg_running *running, struct sg_wakes *wakes) {
  struct sg_scan scan;
  bool served = false;
  if (r->device[device].waiting[class] == 0)
    return false;
  if (class == SG_QUEUE_CONTEXT)
    sg_note_needs(r);
  sg_scan_start(&scan, &(struct sg_queue){r, device, class}, running);
  for (bool reached = false; !reached;) {
    uint32_t index = sg_scan_next(&scan);
    if (index == SG_NONE || !next_on_all_devices(r, index, device, running))
      break;
    running->valid = false;
    reached = note_overtaking(r, index);
    if (!sg_grant(r, index, now_ns, wakes))
      break;
    served = true;
  }
  return served;
}

/** `running` stays valid while nothing changes, as in most queues of a full node. */
static bool serve_device(struct sg_region *r, uint32_t device, uint64_t now_ns,
                         struct sg_running *running, struct sg_wakes *wakes) {
  const struct sg_device *d = &r->device[device];
  if (!sg_device_present(r, device) || !sg_device_is_needed(r, device))
    return false;
  bool served = false, changed = false;
  if (d->held_budgets != 0) {
    /* A request that waits on another device may wait for memory that is released here. */
    served = sg_reclaim_idle(r, device, now_ns) != 0;
    changed = sg_release_growth(r, device, &served) || served;
  }
  if (d->waiting[SG_QUEUE_CONTEXT] != 0)
    served |= sg_grant_covered(r, device, now_ns, wakes);
  if (changed || served)
    running->valid = false;
  served |= serve_queue(r, device, SG_QUEUE_CONTEXT, now_ns, running, wakes);
  served |= serve_queue(r, device, SG_QUEUE_MEMORY, now_ns, running, wakes);
  return served;
}

static void serve_queues(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes) {
  struct sg_running running;
  bool again = r->h.queue_length != 0;
  running.valid = false; /* clears the flag alone: the rest is large */
  sg_pull_back_leases(r);
  for (uint32_t i = 0; again && i < SG_SLOTS + SCHEDGPU_MAX_JOBS; i++) {
    again = false;
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
      again |= serve_device(r, d, now_ns, &running, wakes);
  }
}

/** A turn that is returned may free memory; a budget that is given back may leave a turn. */
void sg_serve(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes) {
  sg_serve_turns(r, now_ns, wakes);
  serve_queues(r, now_ns, wakes);
  sg_serve_turns(r, now_ns, wakes);
}

uint32_t sg_place(const struct sg_region *r, uint32_t index) {
  const struct sg_waiter *w = &r->waiter[index];
  struct sg_queue q = {r, sg_waiter_device(w), sg_queue_of(r, w)};
  uint32_t place = 1;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (i != index && sg_queue_has(&q, i) && r->waiter[i].ticket < w->ticket)
      place++;
  return place;
}

int sg_policy_set(struct sg_region *r, uint32_t policy, uint64_t now_ns, struct sg_wakes *wakes) {
  if (!schedgpu_policy_name(policy))
    return SCHEDGPU_EINVAL;
  SG_PUT(r->h.policy, policy);
  sg_serve(r, now_ns, wakes);
  return SCHEDGPU_OK;
}
