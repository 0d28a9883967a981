/* recount.c - the caches are recomputed from what is authoritative; and every invariant, for tests.
 */
#include "core.h"
#include <stdio.h>

struct totals {
  uint64_t used[SCHEDGPU_MAX_DEVICES];
  uint64_t contexts[SCHEDGPU_MAX_DEVICES];
  uint32_t waiting[SCHEDGPU_MAX_DEVICES][SG_QUEUES];
};

static void add_budgets(const struct sg_region *r, struct totals *t) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    for (uint32_t d = 0; sg_job_active(r, j) && d < SCHEDGPU_MAX_DEVICES; d++)
      if (r->job[j].held_mask & 1u << d)
        t->used[d] += r->job[j].reserved_bytes[d];
}

/** In one pass over the clients: sg_job_context_cost() for each job would be quadratic. */
static void sum_contexts(const struct sg_region *r, uint32_t device, uint64_t *by_job) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    uint32_t job = c->state == SG_ACTIVE ? sg_client_job(r, c) : SG_NONE;
    if (job != SG_NONE)
      by_job[job] += c->contexts[device];
  }
  for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    uint32_t job = sg_waiter_job(r, w);
    if (w->state == SG_GRANTED && w->kind == SG_CONTEXT && job != SG_NONE &&
        sg_waiter_device(w) == device)
      by_job[job] += w->bytes;
  }
}

/** Contexts job by job: an admitted job has at least one on each of its devices reserved. */
static void add_contexts(const struct sg_region *r, struct totals *t, uint32_t device) {
  uint64_t by_job[SCHEDGPU_MAX_JOBS] = {0}, reserved = r->device[device].context_bytes;
  sum_contexts(r, device, by_job);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    const struct sg_job *job = &r->job[j];
    bool admitted = sg_job_active(r, j) && job->admitted && (job->device_mask & 1u << device);
    uint64_t cost = admitted && by_job[j] < reserved ? reserved : by_job[j];
    t->contexts[device] += cost;
    t->used[device] += cost;
  }
}

static void add_clients(const struct sg_region *r, struct totals *t) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    uint32_t job = c->state == SG_ACTIVE ? sg_client_job(r, c) : SG_NONE;
    if (job == SG_NONE || sg_job_peak(r, job))
      continue;
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
      t->used[d] += sg_leased(atomic_load(&c->lease[d])) * SG_UNIT_BYTES;
  }
}

static void add_waiters(const struct sg_region *r, struct totals *t) {
  for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (w->state == SG_GRANTED && w->kind == SG_ONDEMAND)
      t->used[sg_waiter_device(w)] += w->bytes;
    for (uint32_t d = 0; w->state == SG_WAITING && d < SCHEDGPU_MAX_DEVICES; d++)
      if (w->device_mask & 1u << d)
        t->waiting[d][sg_queue_of(r, w)]++;
  }
}

static void compute(const struct sg_region *r, struct totals *t) {
  *t = (struct totals){0};
  add_budgets(r, t);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (sg_device_present(r, d))
      add_contexts(r, t, d);
  add_clients(r, t);
  add_waiters(r, t);
}

void sg_recount(struct sg_region *r) {
  struct totals t;
  compute(r, &t);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    SG_PUT(r->device[d].used_bytes, t.used[d]);
    SG_PUT(r->device[d].context_used_bytes, t.contexts[d]);
    for (uint32_t q = 0; q < SG_QUEUES; q++)
      atomic_store(&r->device[d].waiting[q], t.waiting[d][q]);
  }
}

void sg_recover(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes) {
  r->h.recoveries++;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (r->job[j].state == SG_ENDING)
      sg_job_end(r, j, now_ns, wakes);
  sg_recount(r);
  for (uint32_t i = 0; i < sg_waiters_end(r); i++)
    if (r->waiter[i].state == SG_GRANTED)
      sg_add_wake(wakes, i); /* whoever granted may have died before waking */
  sg_serve(r, UINT32_MAX, now_ns, wakes);
}

static int broken(char *text, uint64_t size, const char *what, uint32_t index, uint64_t is,
                  uint64_t should) {
  snprintf(text, size, "%s %u is %llu, not %llu", what, index, (unsigned long long)is,
           (unsigned long long)should);
  return SCHEDGPU_ECORRUPT;
}

static int check_devices(const struct sg_region *r, char *text, uint64_t size) {
  struct totals t;
  compute(r, &t);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    const struct sg_device *device = &r->device[d];
    if (device->used_bytes != t.used[d])
      return broken(text, size, "used bytes of device", d, device->used_bytes, t.used[d]);
    if (device->context_used_bytes != t.contexts[d])
      return broken(text, size, "context bytes of device", d, device->context_used_bytes,
                    t.contexts[d]);
    if (device->used_bytes > sg_usable(device))
      return broken(text, size, "over-committed: used bytes of device", d, device->used_bytes,
                    sg_usable(device));
    for (uint32_t q = 0; q < SG_QUEUES; q++)
      if (device->waiting[q] != t.waiting[d][q])
        return broken(text, size, "waiting count of device", d, device->waiting[q],
                      t.waiting[d][q]);
  }
  return SCHEDGPU_OK;
}

static int check_jobs(const struct sg_region *r, char *text, uint64_t size) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    const struct sg_job *job = &r->job[j];
    if (job->state != SG_ACTIVE)
      continue;
    if (job->held_mask != 0 && job->held_mask != job->device_mask)
      return broken(text, size, "held devices of job", j, job->held_mask, job->device_mask);
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
      uint64_t leased = sg_job_leased(r, j, d) * SG_UNIT_BYTES;
      bool peak = job->mode == SCHEDGPU_MODE_PEAK;
      uint64_t limit = peak ? (job->held_mask & 1u << d ? job->reserved_bytes[d] : 0)
                            : (job->budget_bytes[d] ? job->budget_bytes[d] : UINT64_MAX);
      if (leased > limit)
        return broken(text, size, "leased bytes of job", j, leased, limit);
    }
  }
  return SCHEDGPU_OK;
}

static int check_clients(const struct sg_region *r, char *text, uint64_t size) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
      uint64_t word = atomic_load(&r->client[i].lease[d]);
      if (r->client[i].state == SG_ACTIVE && sg_in_use(word) > sg_leased(word))
        return broken(text, size, "units in use of client", i, sg_in_use(word), sg_leased(word));
    }
  return SCHEDGPU_OK;
}

static int check_waiters(const struct sg_region *r, char *text, uint64_t size) {
  for (uint32_t i = 0; i < SCHEDGPU_MAX_WAITERS; i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (w->state == SG_WAITER_FREE)
      continue;
    if (i >= sg_waiters_end(r))
      return broken(text, size, "waiter beyond the high mark:", i, i, r->h.waiter_high);
    if (w->state > SG_GRANTED)
      return broken(text, size, "state of waiter", i, w->state, SG_GRANTED);
    if (w->client >= SG_SLOTS || r->client[w->client].state != SG_ACTIVE)
      return broken(text, size, "client of waiter", i, w->client, SG_NONE);
    if (w->ticket > r->h.ticket)
      return broken(text, size, "ticket of waiter", i, w->ticket, r->h.ticket);
  }
  return SCHEDGPU_OK;
}

int sg_check(const struct sg_region *r, char *text, uint64_t size) {
  int rc = check_devices(r, text, size);
  if (rc == SCHEDGPU_OK)
    rc = check_jobs(r, text, size);
  if (rc == SCHEDGPU_OK)
    rc = check_clients(r, text, size);
  if (rc == SCHEDGPU_OK)
    rc = check_waiters(r, text, size);
  return rc;
}
