/* requests.c - a client asks, waits, takes or leaves, and gives back. */
#include "core.h"

static bool adds_up_beyond(uint64_t a, uint64_t b, uint64_t limit) {
  return a > limit || b > limit - a;
}

static uint64_t own_contexts(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && r->client[i].job == job)
      bytes += r->client[i].contexts[device];
  return bytes;
}

/** What other threads and processes of the job are already queued for counts against its budget. */
static uint64_t queued_by_job(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (w->state != SG_WAITER_FREE && w->job == job && w->device == device &&
        w->kind == SG_ONDEMAND)
      bytes += w->bytes;
  }
  return bytes;
}

/** What can never be granted is refused at once: waiting for it would have no end. */
static int check_possible(const struct sg_region *r, uint32_t job_index, uint32_t kind,
                          uint32_t device, uint64_t bytes) {
  const struct sg_job *job = &r->job[job_index];
  uint64_t usable = sg_usable(&r->device[device]);
  uint64_t budget = sg_round_up(job->budget_bytes[device]);
  switch (kind) {
  case SG_PEAK:
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
      if ((job->device_mask & 1u << d) && job->budget_bytes[d] > sg_usable(&r->device[d]))
        return SCHEDGPU_ETOOBIG;
    return adds_up_beyond(sg_job_in_use(r, job_index, device), bytes, budget) ? SCHEDGPU_EBUDGET
                                                                              : SCHEDGPU_OK;
  case SG_ONDEMAND:
    if (budget > 0 &&
        adds_up_beyond(sg_job_in_use(r, job_index, device) + queued_by_job(r, job_index, device),
                       bytes, budget))
      return SCHEDGPU_EBUDGET;
    return bytes > usable ? SCHEDGPU_ETOOBIG : SCHEDGPU_OK;
  default: {
    uint64_t contexts = own_contexts(r, job_index, device);
    uint64_t beside = job->mode == SCHEDGPU_MODE_PEAK ? budget : 0;
    if (adds_up_beyond(contexts, bytes, usable))
      return SCHEDGPU_ETOOBIG;
    return adds_up_beyond(contexts + bytes, beside, usable) ? SCHEDGPU_ETOOBIG : SCHEDGPU_OK;
  }
  }
}

static uint32_t free_waiter(struct sg_region *r) {
  for (uint32_t i = 0; i < SCHEDGPU_MAX_WAITERS; i++) {
    if (r->waiter[i].state != SG_WAITER_FREE)
      continue;
    if (i >= r->h.waiter_high)
      SG_PUT(r->h.waiter_high, i + 1);
    return i;
  }
  return SG_NONE;
}

static void fill(struct sg_region *r, struct sg_waiter *w, const struct sg_request *q,
                 uint32_t kind, uint64_t bytes, uint64_t now_ns) {
  const struct sg_job *job = &r->job[r->client[q->client].job];
  SG_PUT(w->client, q->client);
  SG_PUT(w->job, r->client[q->client].job);
  SG_PUT(w->device, q->device);
  SG_PUT(w->device_mask, kind == SG_PEAK ? job->device_mask : 1u << q->device);
  SG_PUT(w->kind, kind);
  SG_PUT(w->priority, job->priority);
  SG_PUT(w->overtaken, 0);
  SG_PUT(w->bytes, bytes);
  SG_PUT(w->since_ns, now_ns);
  SG_PUT(w->deadline_ns, q->deadline_ns);
  SG_PUT(w->ticket, r->h.ticket + 1);
  SG_PUT(r->h.ticket, w->ticket);
}

/** Moves what was granted from the waiter's record (or the job's budget) to its client. */
static int take(struct sg_region *r, const struct sg_waiter *w) {
  struct sg_client *c = &r->client[w->client];
  uint64_t units = w->bytes / SG_UNIT_BYTES;
  switch (w->kind) {
  case SG_PEAK:
    return sg_lease_extend(r, w->client, w->device, units);
  case SG_ONDEMAND:
    sg_lease_grow(&c->lease[w->device], units, units);
    return SCHEDGPU_OK;
  default:
    SG_PUT(c->contexts[w->device], c->contexts[w->device] + w->bytes);
    return SCHEDGPU_OK;
  }
}

static void free_record(struct sg_waiter *w) {
  atomic_store(&w->state, SG_WAITER_FREE);
  sg_crash_point();
}

static int settle_granted(struct sg_region *r, struct sg_waiter *w, uint64_t now_ns,
                          struct sg_wakes *wakes) {
  int rc = take(r, w);
  uint32_t mask = w->device_mask;
  free_record(w);
  if (rc != SCHEDGPU_OK)
    sg_serve(r, mask, now_ns, wakes); /* the budget may be idle now */
  return rc;
}

int sg_settle(struct sg_region *r, uint32_t waiter, uint64_t ticket, uint32_t slot, uint64_t now_ns,
              struct sg_wakes *wakes) {
  if (waiter >= SCHEDGPU_MAX_WAITERS || slot >= SG_SLOTS)
    return SCHEDGPU_EINVAL;
  struct sg_waiter *w = &r->waiter[waiter];
  bool mine = w->client == slot && w->ticket == ticket && w->state != SG_WAITER_FREE;
  if (!mine || !sg_job_active(r, r->client[slot].job) || w->job != r->client[slot].job)
    return SCHEDGPU_ENOJOB;
  if (!sg_device_present(r, w->device))
    return SCHEDGPU_ECORRUPT;
  if (w->state == SG_GRANTED)
    return settle_granted(r, w, now_ns, wakes);
  free_record(w);
  sg_count_waiting(r, w, -1);
  sg_serve(r, w->device_mask, now_ns, wakes); /* it may have been what blocked the next one */
  return SCHEDGPU_EWOULDBLOCK;
}

/** Nobody waits and it fits: no record is needed. */
static bool take_at_once(struct sg_region *r, const struct sg_waiter *w, int *rc) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((w->device_mask & 1u << d) && r->device[d].waiting[sg_queue_of(w->kind)] != 0)
      return false;
  if (!sg_fits(r, w))
    return false;
  struct sg_device *d = &r->device[w->device];
  if (w->kind == SG_PEAK) {
    sg_hold_budget(r, &r->job[w->job]);
  } else {
    SG_PUT(d->used_bytes, d->used_bytes + w->bytes);
    if (w->kind == SG_CONTEXT)
      SG_PUT(d->context_used_bytes, d->context_used_bytes + w->bytes);
  }
  *rc = take(r, w);
  return true;
}

static int enqueue(struct sg_region *r, const struct sg_request *q, const struct sg_waiter *draft,
                   uint64_t now_ns, uint32_t *waiter, struct sg_wakes *wakes) {
  uint32_t i = free_waiter(r);
  if (i == SG_NONE)
    return SCHEDGPU_EFULL;
  struct sg_waiter *w = &r->waiter[i];
  fill(r, w, q, draft->kind, draft->bytes, now_ns);
  /* Counted before it is seen: who frees without the lock looks at the count after freeing. */
  sg_count_waiting(r, w, 1);
  atomic_store(&w->state, SG_WAITING);
  sg_crash_point();
  sg_serve(r, w->device_mask, now_ns, wakes);
  if (w->state == SG_GRANTED)
    return settle_granted(r, w, now_ns, wakes);
  int refused = !q->may_wait             ? SCHEDGPU_EWOULDBLOCK
                : !sg_wait_can_end(r, i) ? SCHEDGPU_EDEADLOCK
                                         : SCHEDGPU_OK;
  if (refused != SCHEDGPU_OK) {
    sg_settle(r, i, w->ticket, q->client, now_ns, wakes);
    return refused;
  }
  *waiter = i;
  return SCHEDGPU_EWOULDBLOCK;
}

int sg_ask(struct sg_region *r, const struct sg_request *q, uint64_t now_ns, uint32_t *waiter,
           struct sg_wakes *wakes) {
  *waiter = SG_NONE;
  if (q->client >= SG_SLOTS || r->client[q->client].state != SG_ACTIVE)
    return SCHEDGPU_EINVAL;
  uint32_t job = r->client[q->client].job;
  if (!sg_job_active(r, job))
    return SCHEDGPU_ENOJOB;
  if (!sg_device_present(r, q->device) || !(r->job[job].device_mask & 1u << q->device))
    return SCHEDGPU_EDEVICE;
  bool peak = r->job[job].mode == SCHEDGPU_MODE_PEAK;
  uint64_t bytes = sg_round_up(q->context ? r->device[q->device].context_bytes : q->bytes);
  struct sg_waiter draft = {.client = q->client,
                            .job = job,
                            .device = q->device,
                            .kind = q->context ? SG_CONTEXT
                                    : peak     ? SG_PEAK
                                               : SG_ONDEMAND,
                            .bytes = bytes};
  draft.device_mask = draft.kind == SG_PEAK ? r->job[job].device_mask : 1u << q->device;
  if (bytes == 0)
    return SCHEDGPU_OK;
  if (bytes / SG_UNIT_BYTES > UINT32_MAX)
    return SCHEDGPU_ETOOBIG;
  int rc = check_possible(r, job, draft.kind, q->device, bytes);
  if (rc != SCHEDGPU_OK)
    return rc;
  if (draft.kind == SG_PEAK && r->job[job].held_mask != 0)
    return sg_lease_extend(r, q->client, q->device, bytes / SG_UNIT_BYTES);
  if (take_at_once(r, &draft, &rc))
    return rc;
  return enqueue(r, q, &draft, now_ns, waiter, wakes);
}

int sg_give_back(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t bytes,
                 uint64_t now_ns, struct sg_wakes *wakes) {
  if (slot >= SG_SLOTS || !sg_device_present(r, device))
    return SCHEDGPU_EINVAL;
  struct sg_client *c = &r->client[slot];
  if (!sg_job_active(r, c->job))
    return SCHEDGPU_ENOJOB;
  uint64_t units = sg_round_up(bytes) / SG_UNIT_BYTES;
  uint64_t word = atomic_load(&c->lease[device]);
  if (units > sg_in_use(word) || units > sg_leased(word))
    return SCHEDGPU_EUNDERFLOW;
  atomic_fetch_sub(&c->lease[device], units << 32 | units);
  sg_crash_point();
  SG_PUT(r->device[device].used_bytes, r->device[device].used_bytes - units * SG_UNIT_BYTES);
  sg_serve(r, 1u << device, now_ns, wakes);
  return SCHEDGPU_OK;
}

int sg_context_leave(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t now_ns,
                     struct sg_wakes *wakes) {
  if (slot >= SG_SLOTS || !sg_device_present(r, device))
    return SCHEDGPU_EINVAL;
  struct sg_client *c = &r->client[slot];
  uint64_t bytes = c->contexts[device];
  if (bytes == 0)
    return SCHEDGPU_EUNDERFLOW;
  SG_PUT(c->contexts[device], 0);
  SG_PUT(r->device[device].used_bytes, r->device[device].used_bytes - bytes);
  SG_PUT(r->device[device].context_used_bytes, r->device[device].context_used_bytes - bytes);
  sg_serve(r, 1u << device, now_ns, wakes);
  return SCHEDGPU_OK;
}
