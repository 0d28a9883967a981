/* serve.c - hand-off: whoever frees reserves on behalf of the next waiter and has it woken. */
#include "queue.h"

static bool budgets_fit(const struct sg_region *r, const struct sg_job *job) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((job->device_mask & 1u << d) && job->budget_bytes[d] > sg_free(&r->device[d]))
      return false;
  return true;
}

bool sg_fits(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w), device = sg_waiter_device(w);
  if (job == SG_NONE || !sg_device_present(r, device))
    return false;
  if (!r->job[job].admitted)
    return sg_admission_fits(r, job);
  switch (w->kind) {
  case SG_PEAK:
    return r->job[job].held_mask != 0 || budgets_fit(r, &r->job[job]);
  case SG_ONDEMAND:
    return w->bytes <= sg_free(&r->device[device]);
  case SG_CONTEXT:
    return sg_context_covered(r, job, device) || sg_context_fits(r, job, device, w->bytes);
  default:
    return false;
  }
}

static void note_overtaking(struct sg_region *r, uint32_t granted) {
  struct sg_waiter *w = &r->waiter[granted];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    if (!(w->device_mask & 1u << d))
      continue;
    struct sg_queue q = {r, d, sg_queue_of(r, w)};
    uint32_t oldest = sg_queue_oldest(&q);
    if (oldest != SG_NONE && oldest != granted && r->waiter[oldest].ticket < w->ticket)
      SG_PUT(r->waiter[oldest].overtaken, r->waiter[oldest].overtaken + 1);
  }
}

void sg_count_waiting(struct sg_region *r, const struct sg_waiter *w, int by) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (w->device_mask & 1u << d)
      atomic_fetch_add(&r->device[d].waiting[sg_queue_of(r, w)], (uint32_t)by);
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
    if (r->waiter[i].state == SG_WAITING && r->waiter[i].kind == SG_PEAK &&
        sg_waiter_job(r, &r->waiter[i]) == job)
      mark_granted(r, i, wakes);
}

/** The contexts that the admission reserved are not waited for any longer. */
static void grant_covered_contexts(struct sg_region *r, uint32_t job, struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (w->state == SG_WAITING && w->kind == SG_CONTEXT && sg_waiter_job(r, w) == job &&
        sg_context_covered(r, job, sg_waiter_device(w)))
      mark_granted(r, i, wakes);
  }
}

static void grant(struct sg_region *r, uint32_t index, struct sg_wakes *wakes) {
  struct sg_waiter *w = &r->waiter[index];
  struct sg_device *d = &r->device[sg_waiter_device(w)];
  uint32_t job = sg_waiter_job(r, w);
  note_overtaking(r, index);
  if (!r->job[job].admitted) {
    sg_admit(r, job);
    sg_recount(r); /* its waiters stand in other queues now */
    grant_covered_contexts(r, job, wakes);
  } else if (w->kind == SG_PEAK) {
    grant_peak(r, job, wakes);
  } else if (w->kind == SG_CONTEXT) {
    mark_granted(r, index, wakes);
    sg_recount(r);
  } else {
    SG_PUT(d->used_bytes, d->used_bytes + w->bytes);
    mark_granted(r, index, wakes);
  }
}

/** A request over several devices is next only if it is next on each of them. */
static bool next_everywhere(const struct sg_region *r, uint32_t index) {
  const struct sg_waiter *w = &r->waiter[index];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    struct sg_queue q = {r, d, sg_queue_of(r, w)};
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

static bool serve_device(struct sg_region *r, uint32_t device, uint32_t *mask, uint64_t now_ns,
                         struct sg_wakes *wakes) {
  bool served = false;
  const struct sg_device *d = &r->device[device];
  bool in_mask = *mask & 1u << device;
  /* Admissions look at all devices of a job: they are looked at whatever was freed. */
  bool memory = in_mask && d->waiting[SG_QUEUE_MEMORY], admission = d->waiting[SG_QUEUE_CONTEXT];
  if (!sg_device_present(r, device) || (!memory && !admission))
    return false;
  *mask |= sg_reclaim_idle(r, device, now_ns); /* a budget may span devices */
  if (admission)
    served |= serve_one(r, device, SG_QUEUE_CONTEXT, mask, wakes);
  if (d->waiting[SG_QUEUE_MEMORY])
    served |= serve_one(r, device, SG_QUEUE_MEMORY, mask, wakes);
  return served;
}

void sg_serve(struct sg_region *r, uint32_t mask, uint64_t now_ns, struct sg_wakes *wakes) {
  /* Each round that goes on admits or grants: the bound only guards against a damaged region. */
  bool again = true;
  for (uint32_t i = 0; again && i < SCHEDGPU_MAX_WAITERS + SCHEDGPU_MAX_JOBS; i++) {
    again = false;
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
      again |= serve_device(r, d, &mask, now_ns, wakes);
  }
}

uint32_t sg_place(const struct sg_region *r, uint32_t index) {
  const struct sg_waiter *w = &r->waiter[index];
  struct sg_queue q = {r, sg_waiter_device(w), sg_queue_of(r, w)};
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
