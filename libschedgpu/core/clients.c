/* clients.c - processes come and go; `used` follows what they held. */
#include "core.h"

int sg_client_attach(struct sg_region *r, uint32_t slot, uint32_t job, uint32_t uid, int32_t pid,
                     uint64_t pid_namespace) {
  if (slot >= SG_SLOTS || r->client[slot].state != SG_FREE)
    return SCHEDGPU_EINVAL;
  if (job != SG_NONE && !sg_job_active(r, job))
    return SCHEDGPU_ENOJOB;
  struct sg_client *c = &r->client[slot];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    atomic_store(&c->lease[d], 0);
    c->contexts[d] = 0;
    c->idle_since_ns[d] = 0;
  }
  SG_PUT(c->job, job);
  SG_PUT(c->uid, uid);
  SG_PUT(c->pid, pid);
  SG_PUT(c->pid_namespace, pid_namespace);
  SG_PUT(c->agen, atomic_load(&c->gen));
  if (slot >= r->h.client_high)
    SG_PUT(r->h.client_high, slot + 1);
  atomic_store(&c->state, SG_ACTIVE);
  sg_crash_point();
  return SCHEDGPU_OK;
}

static void drop_waiters(struct sg_region *r, uint32_t slot) {
  for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
    struct sg_waiter *w = &r->waiter[i];
    uint32_t state = w->state;
    if (state == SG_WAITER_FREE || w->client != slot)
      continue;
    atomic_store(&w->state, SG_WAITER_FREE);
    sg_crash_point();
    if (state == SG_WAITING) {
      sg_count_waiting(r, w, -1);
    } else if (w->kind != SG_PEAK && w->device < SCHEDGPU_MAX_DEVICES) {
      struct sg_device *d = &r->device[w->device];
      SG_PUT(d->used_bytes, d->used_bytes - w->bytes);
      if (w->kind == SG_CONTEXT)
        SG_PUT(d->context_used_bytes, d->context_used_bytes - w->bytes);
    }
  }
}

/** A peak lease is a part of the job's budget and stays with the job; anything else goes back. */
static uint64_t drop_memory(struct sg_region *r, struct sg_client *c) {
  uint64_t freed = 0;
  bool peak = sg_job_active(r, c->job) && r->job[c->job].mode == SCHEDGPU_MODE_PEAK;
  for (uint32_t i = 0; i < SCHEDGPU_MAX_DEVICES; i++) {
    struct sg_device *d = &r->device[i];
    uint64_t word = atomic_exchange(&c->lease[i], 0);
    sg_crash_point();
    uint64_t contexts = c->contexts[i];
    SG_PUT(c->contexts[i], 0);
    uint64_t back = contexts + (peak ? 0 : sg_leased(word) * SG_UNIT_BYTES);
    if (back == 0 && word == 0)
      continue;
    SG_PUT(d->used_bytes, d->used_bytes - back);
    SG_PUT(d->context_used_bytes, d->context_used_bytes - contexts);
    freed += contexts + (peak ? sg_in_use(word) : sg_leased(word)) * SG_UNIT_BYTES;
  }
  return freed;
}

static bool has_clients(const struct sg_region *r, uint32_t job) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && r->client[i].job == job)
      return true;
  return false;
}

static bool owner_lives(const struct sg_region *r, const struct sg_job *job) {
  return job->owner_slot < SG_SLOTS && r->client[job->owner_slot].state == SG_ACTIVE &&
         r->client[job->owner_slot].agen == job->owner_gen;
}

/** An owned job (`schedgpu run`) ends when its owner and all its processes are gone. */
static void end_orphans(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    const struct sg_job *job = &r->job[j];
    if (job->state == SG_ACTIVE && (job->flags & SCHEDGPU_JOB_FLAG_OWNED) && !owner_lives(r, job) &&
        !has_clients(r, j))
      sg_job_end(r, j, now_ns, wakes);
  }
}

uint64_t sg_client_remove(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                          struct sg_wakes *wakes) {
  if (slot >= SG_SLOTS || r->client[slot].state == SG_FREE)
    return 0;
  struct sg_client *c = &r->client[slot];
  drop_waiters(r, slot);
  uint64_t freed = drop_memory(r, c);
  SG_PUT(c->job, SG_NONE);
  atomic_store(&c->state, SG_FREE);
  sg_crash_point();
  end_orphans(r, now_ns, wakes);
  sg_serve(r, UINT32_MAX, now_ns, wakes);
  return freed;
}
