/* serve.c - hand-off: whoever frees reserves on behalf of the next waiter and has it woken. */
#include "queue.h"

/** Largest budget among the jobs that have a context on `device`, and `job` itself. */
static uint64_t largest_budget(const struct sg_region *r, uint32_t device, uint32_t job) {
  uint64_t largest = 0;
  if (sg_job_active(r, job) && r->job[job].mode == SCHEDGPU_MODE_PEAK)
    largest = r->job[job].budget_bytes[device];
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    if (c->state != SG_ACTIVE || c->contexts[device] == 0 || !sg_job_active(r, c->job) ||
        r->job[c->job].mode != SCHEDGPU_MODE_PEAK)
      continue;
    if (r->job[c->job].budget_bytes[device] > largest)
      largest = r->job[c->job].budget_bytes[device];
  }
  return largest;
}

/**
 * The safety condition (Salus, section 3.3.2): contexts are what a process holds while it waits, so
 * beside all of them the largest budget must still fit, else nobody might ever be served.
 */
static bool context_fits(const struct sg_region *r, const struct sg_waiter *w) {
  const struct sg_device *d = &r->device[w->device];
  uint64_t rest = sg_usable(d) > d->context_used_bytes ? sg_usable(d) - d->context_used_bytes : 0;
  uint64_t largest = largest_budget(r, w->device, w->job);
  return w->bytes <= sg_free(d) && w->bytes <= rest && largest <= rest - w->bytes;
}

static bool budgets_fit(const struct sg_region *r, const struct sg_job *job) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((job->device_mask & 1u << d) && job->budget_bytes[d] > sg_free(&r->device[d]))
      return false;
  return true;
}

bool sg_fits(const struct sg_region *r, const struct sg_waiter *w) {
  if (!sg_device_present(r, w->device) || !sg_job_active(r, w->job))
    return false;
  switch (w->kind) {
  case SG_PEAK:
    return r->job[w->job].held_mask != 0 || budgets_fit(r, &r->job[w->job]);
  case SG_ONDEMAND:
    return w->bytes <= sg_free(&r->device[w->device]);
  case SG_CONTEXT:
    return context_fits(r, w);
  default:
    return false;
  }
}

static void note_overtaking(struct sg_region *r, uint32_t granted) {
  struct sg_waiter *w = &r->waiter[granted];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    if (!(w->device_mask & 1u << d))
      continue;
    struct sg_queue q = {r, d, sg_queue_of(w->kind)};
    uint32_t oldest = sg_queue_oldest(&q);
    if (oldest != SG_NONE && oldest != granted && r->waiter[oldest].ticket < w->ticket)
      SG_PUT(r->waiter[oldest].overtaken, r->waiter[oldest].overtaken + 1);
  }
}

void sg_count_waiting(struct sg_region *r, const struct sg_waiter *w, int by) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (w->device_mask & 1u << d)
      atomic_fetch_add(&r->device[d].waiting[sg_queue_of(w->kind)], (uint32_t)by);
  sg_crash_point();
}

static void mark_granted(struct sg_region *r, uint32_t index, struct sg_wakes *wakes) {
  struct sg_waiter *w = &r->waiter[index];
  sg_count_waiting(r, w, -1);
  atomic_store(&w->state, SG_GRANTED);
  sg_crash_point();
  r->h.grants++;
  sg_add_wake(wakes, index);
}

void sg_hold_budget(struct sg_region *r, struct sg_job *job) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    if (!(job->device_mask & 1u << d))
      continue;
    SG_PUT(job->reserved_bytes[d], job->budget_bytes[d]);
    SG_PUT(r->device[d].used_bytes, r->device[d].used_bytes + job->budget_bytes[d]);
  }
  SG_PUT(job->held_mask, job->device_mask);
}

/** The budget belongs to the job: all of its processes that wait for it go on together. */
static void grant_peak(struct sg_region *r, uint32_t job, struct sg_wakes *wakes) {
  if (r->job[job].held_mask == 0)
    sg_hold_budget(r, &r->job[job]);
  for (uint32_t i = 0; i < sg_waiters_end(r); i++)
    if (r->waiter[i].state == SG_WAITING && r->waiter[i].kind == SG_PEAK && r->waiter[i].job == job)
      mark_granted(r, i, wakes);
}

static void grant(struct sg_region *r, uint32_t index, struct sg_wakes *wakes) {
  struct sg_waiter *w = &r->waiter[index];
  struct sg_device *d = &r->device[w->device];
  note_overtaking(r, index);
  if (w->kind == SG_PEAK) {
    grant_peak(r, w->job, wakes);
    return;
  }
  SG_PUT(d->used_bytes, d->used_bytes + w->bytes);
  if (w->kind == SG_CONTEXT)
    SG_PUT(d->context_used_bytes, d->context_used_bytes + w->bytes);
  mark_granted(r, index, wakes);
}

/** A request over several devices is next only if it is next on each of them. */
static bool next_everywhere(const struct sg_region *r, uint32_t index) {
  const struct sg_waiter *w = &r->waiter[index];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    struct sg_queue q = {r, d, sg_queue_of(w->kind)};
    if ((w->device_mask & 1u << d) && sg_policy_next(&q) != index)
      return false;
  }
  return true;
}

static bool serve_one(struct sg_region *r, uint32_t device, uint32_t class, uint32_t *mask,
                      struct sg_wakes *wakes) {
  struct sg_queue q = {r, device, class};
  uint32_t index = sg_policy_next(&q);
  if (index == SG_NONE)
    return false;
  bool several = (r->waiter[index].device_mask & (r->waiter[index].device_mask - 1)) != 0;
  if (several && !next_everywhere(r, index))
    return false;
  *mask |= r->waiter[index].device_mask;
  grant(r, index, wakes);
  return true;
}

void sg_serve(struct sg_region *r, uint32_t mask, uint64_t now_ns, struct sg_wakes *wakes) {
  /* Each round that goes on grants a waiter: the bound only guards against a damaged region. */
  bool again = true;
  for (uint32_t round = 0; again && round < SCHEDGPU_MAX_WAITERS + 1; round++) {
    again = false;
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
      if (!(mask & 1u << d) || !sg_device_present(r, d))
        continue;
      bool waits = r->device[d].waiting[SG_QUEUE_MEMORY] || r->device[d].waiting[SG_QUEUE_CONTEXT];
      if (!waits)
        continue;
      mask |= sg_reclaim_idle(r, d, now_ns); /* a budget may span devices */
      /* Contexts first: they are small, and what waits for memory already has one. */
      for (uint32_t class = SG_QUEUES; class -- > 0;)
        if (r->device[d].waiting[class])
          again |= serve_one(r, d, class, &mask, wakes);
    }
  }
}

uint32_t sg_place(const struct sg_region *r, uint32_t index) {
  const struct sg_waiter *w = &r->waiter[index];
  struct sg_queue q = {r, w->device, sg_queue_of(w->kind)};
  uint32_t place = 1;
  for (uint32_t i = 0; i < sg_waiters_end(r); i++)
    if (i != index && sg_queue_has(&q, i) && r->waiter[i].ticket < w->ticket)
      place++;
  return place;
}

int sg_policy_set(struct sg_region *r, uint32_t policy, uint64_t now_ns, struct sg_wakes *wakes) {
  if (!schedgpu_policy_name(policy))
    return SCHEDGPU_EINVAL;
  SG_PUT(r->h.policy, policy);
  sg_serve(r, UINT32_MAX, now_ns, wakes);
  return SCHEDGPU_OK;
}
