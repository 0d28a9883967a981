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

/** Threads of a client that detaches while they wait are told. */
static void drop_waiters(struct sg_region *r, uint32_t slot, struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
    struct sg_waiter *w = &r->waiter[i];
    if (w->state == SG_WAITER_FREE || sg_waiter_client(w) != slot)
      continue;
    atomic_store(&w->state, SG_WAITER_FREE);
    sg_crash_point();
    sg_add_wake(wakes, i);
  }
}

/** Empties the record; returns the bytes it held. A peak lease stays with the job, as its budget.
 */
static uint64_t drop_memory(struct sg_client *c) {
  uint64_t freed = 0;
  for (uint32_t i = 0; i < SCHEDGPU_MAX_DEVICES; i++) {
    freed += sg_in_use(atomic_exchange(&c->lease[i], 0)) * SG_UNIT_BYTES + c->contexts[i];
    sg_crash_point();
    SG_PUT(c->contexts[i], 0);
  }
  return freed;
}

static bool has_clients_beside(const struct sg_region *r, uint32_t job, uint32_t slot) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (i != slot && r->client[i].state == SG_ACTIVE && sg_client_job(r, &r->client[i]) == job)
      return true;
  return false;
}

static bool owner_lives(const struct sg_region *r, const struct sg_job *job) {
  uint32_t slot = sg_read_once(&job->owner_slot);
  return slot < SG_SLOTS && r->client[slot].state == SG_ACTIVE &&
         r->client[slot].agen == job->owner_gen;
}

/** An owned job (`schedgpu run`) ends when its owner and all its processes are gone. */
static void end_orphans(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    const struct sg_job *job = &r->job[j];
    if (job->state == SG_ACTIVE && (job->flags & SCHEDGPU_JOB_FLAG_OWNED) && !owner_lives(r, job) &&
        !has_clients_beside(r, j, SG_NONE))
      sg_job_end(r, j, now_ns, wakes);
  }
}

/** A job without processes needs no context: it is admitted anew when one comes. */
static void leave_job(struct sg_region *r, uint32_t slot) {
  struct sg_client *c = &r->client[slot];
  uint32_t job = sg_client_job(r, c);
  if (job != SG_NONE && !has_clients_beside(r, job, slot))
    SG_PUT(r->job[job].admitted, 0);
  SG_PUT(c->job, SG_NONE);
}

uint64_t sg_client_remove(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                          struct sg_wakes *wakes) {
  if (slot >= SG_SLOTS || r->client[slot].state == SG_FREE)
    return 0;
  struct sg_client *c = &r->client[slot];
  drop_waiters(r, slot, wakes);
  uint64_t freed = drop_memory(c);
  leave_job(r, slot);
  atomic_store(&c->state, SG_FREE);
  sg_crash_point();
  sg_recount(r); /* simpler than undoing each part; processes end rarely */
  end_orphans(r, now_ns, wakes);
  sg_serve(r, UINT32_MAX, now_ns, wakes);
  return freed;
}
