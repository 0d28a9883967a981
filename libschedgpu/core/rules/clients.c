/* clients.c - processes attach and detach; `used` changes by what they held. */
#include "core.h"
#include "../history/history.h"
#include "../lanes/lanes.h"

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
    atomic_store(&c->peak_units[d], 0);
  }
  atomic_store(&c->refused, 0);
  SG_PUT(r->turn[slot].lane_bytes, UINT64_C(0));
  SG_PUT(c->job, job);
  SG_PUT(c->uid, uid);
  SG_PUT(c->pid, pid);
  SG_PUT(c->pid_namespace, pid_namespace);
  SG_PUT(c->agen, atomic_load(&c->gen));
  if (slot >= r->h.client_high)
    SG_PUT(r->h.client_high, slot + 1);
  atomic_store(&c->state, SG_ACTIVE);
  sg_crash_point();
  if (job != SG_NONE)
    SG_PUT(r->job[job].clients, r->job[job].clients + 1);
  return SCHEDGPU_OK;
}

/** Takes back a grant that the client did not take before it detached or died. */
static void take_back_grant(struct sg_region *r, const struct sg_waiter *w, uint64_t now_ns) {
  uint32_t job = sg_waiter_job(r, w);
  if (job == SG_NONE)
    return;
  if (w->kind == SG_ONDEMAND)
    sg_account_memory(r, job, sg_waiter_device(w), 0, w->bytes, now_ns);
  else if (w->kind == SG_CONTEXT)
    sg_account_context(r, job, sg_waiter_device(w), 0, w->bytes);
}

/** Wakes the thread of a client that detaches while it waits. */
void sg_client_leave_queue(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                           struct sg_wakes *wakes) {
  struct sg_waiter *w = &r->waiter[slot];
  uint32_t state = atomic_load(&w->state);
  if (state == SG_WAITER_FREE)
    return;
  uint32_t place = state == SG_WAITING ? sg_account_unqueued(r, slot) : 0;
  atomic_store(&w->state, SG_WAITER_FREE);
  sg_crash_point();
  if (state == SG_GRANTED)
    take_back_grant(r, w, now_ns);
  else
    sg_account_wait(r, sg_waiter_job(r, w), w, place, now_ns);
  sg_add_wake(wakes, slot);
}

/** Empties the record and returns the bytes that it held. The lease of a peak job goes back to the
 * job's budget. */
static uint64_t drop_memory(struct sg_region *r, struct sg_client *c, uint64_t now_ns) {
  uint64_t freed = 0;
  uint32_t job = sg_client_job(r, c);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t word = atomic_load(&c->lease[d]), context = c->contexts[d];
    if (word == 0 && context == 0)
      continue;
    word = atomic_exchange(&c->lease[d], 0);
    sg_crash_point();
    SG_PUT(c->contexts[d], 0);
    freed += sg_in_use(word) * SG_UNIT_BYTES + context;
    if (job == SG_NONE)
      continue;
    sg_account_context(r, job, d, 0, context);
    if (!sg_reserves_whole_budget(r, job))
      sg_account_memory(r, job, d, 0, sg_leased(word) * SG_UNIT_BYTES, now_ns);
  }
  return freed;
}

bool sg_owner_attached(const struct sg_region *r, const struct sg_job *job) {
  uint32_t slot = sg_read_once(&job->owner_slot);
  return slot < SG_SLOTS && r->client[slot].state == SG_ACTIVE &&
         r->client[slot].agen == job->owner_gen;
}

/** Ends each owned job (`schedgpu run`) whose owner and processes are all gone. */
static void end_ownerless_jobs(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes) {
  for (uint32_t j = 0; j < sg_jobs_end(r) && r->h.owned_jobs != 0; j++) {
    const struct sg_job *job = &r->job[j];
    if (job->state == SG_ACTIVE && (job->flags & SCHEDGPU_JOB_FLAG_OWNED) && job->clients == 0 &&
        !sg_owner_attached(r, job))
      sg_job_end(r, j, now_ns, wakes);
  }
}

void sg_job_end_admission(struct sg_region *r, uint32_t job) {
  const struct sg_job *j = &r->job[job];
  if (j->clients == 0 && !(j->mode == SCHEDGPU_MODE_GATE && j->held_mask != 0))
    sg_account_admission(r, job, false);
}

static void leave_job(struct sg_region *r, uint32_t slot) {
  struct sg_client *c = &r->client[slot];
  uint32_t job = sg_client_job(r, c);
  SG_PUT(c->job, SG_NONE);
  if (job == SG_NONE)
    return;
  SG_PUT(r->job[job].clients, r->job[job].clients - 1);
  sg_job_end_admission(r, job);
}

uint64_t sg_client_remove(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                          struct sg_wakes *wakes) {
  if (slot >= SG_SLOTS || r->client[slot].state == SG_FREE)
    return 0;
  struct sg_client *c = &r->client[slot];
  uint32_t woken = wakes->count;
  sg_client_leave_queue(r, slot, now_ns, wakes);
  sg_turn_drop(r, slot, now_ns, wakes);
  sg_note_peaks_of(r, slot);
  sg_note_refusals_of(r, slot);
  uint64_t freed = drop_memory(r, c, now_ns);
  /* A bystander frees no memory for others: for example a hook, which has no job. */
  bool bystander = sg_client_job(r, c) == SG_NONE && freed == 0 && wakes->count == woken;
  leave_job(r, slot);
  atomic_store(&c->state, SG_FREE);
  sg_crash_point();
  sg_lower_client_mark(r);
  end_ownerless_jobs(r, now_ns, wakes);
  if (!bystander)
    sg_serve(r, now_ns, wakes);
  return freed;
}
