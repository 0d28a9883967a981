/* jobs.c - the root side begins and ends jobs. */
#include "core.h"
#include "../history/history.h"
#include "../lanes/lanes.h"
#include "shares.h"

static uint32_t processes_of(const struct schedgpu_job_spec *s) {
  return s->processes ? s->processes : 1;
}

static int check_device(const struct sg_region *r, const struct schedgpu_job_spec *s, uint32_t d) {
  if (!sg_device_present(r, d))
    return SCHEDGPU_EDEVICE;
  uint64_t usable = sg_usable(&r->device[d]), context = r->device[d].context_bytes;
  uint64_t budget = s->budget_bytes[d], n = processes_of(s);
  if (s->mode != SCHEDGPU_MODE_ONDEMAND && budget == 0)
    return SCHEDGPU_EINVAL;
  if (budget == 0)
    return SCHEDGPU_OK;
  bool contexts_fit = context == 0 || n <= usable / context;
  return contexts_fit && budget <= usable - n * context ? SCHEDGPU_OK : SCHEDGPU_ETOOBIG;
}

static uint32_t growable(const struct schedgpu_job_spec *s) {
  return s->flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
}

static uint32_t share_of(const struct schedgpu_job_spec *s) {
  return s->share ? s->share : 1;
}

/** A lane job reserves its budget in two parts, on one device; nothing of it grows in the queue. */
static bool lane_possible(const struct schedgpu_job_spec *s) {
  if (s->lane == SCHEDGPU_LANE_NONE)
    return s->share == 0 && s->persistent_bytes == 0 && s->length_ns == 0;
  bool one_device = s->device_mask != 0 && (s->device_mask & (s->device_mask - 1)) == 0;
  return s->lane < SCHEDGPU_LANE_POLICIES && s->mode == SCHEDGPU_MODE_PEAK && !growable(s) &&
         one_device && s->share <= SG_MAX_SHARE && s->length_ns >= 0 &&
         s->persistent_bytes <=
             s->budget_bytes[(uint32_t)__builtin_ctz(s->device_mask) % SCHEDGPU_MAX_DEVICES];
}

static int check_spec(const struct sg_region *r, const struct schedgpu_job_spec *s) {
  bool known_mode = s->mode == SCHEDGPU_MODE_PEAK || s->mode == SCHEDGPU_MODE_ONDEMAND ||
                    s->mode == SCHEDGPU_MODE_GATE;
  if (s->device_mask == 0 || !known_mode || s->priority < 0 || s->priority > 100 ||
      s->processes > SCHEDGPU_MAX_CLIENTS || (growable(s) && s->mode != SCHEDGPU_MODE_PEAK) ||
      (s->kind != SCHEDGPU_JOB_SLURM && s->kind != SCHEDGPU_JOB_RUN) || !lane_possible(s))
    return SCHEDGPU_EINVAL;
  for (uint32_t d = 0; d < 32; d++) {
    int rc = s->device_mask & 1u << d ? check_device(r, s, d) : SCHEDGPU_OK;
    if (rc != SCHEDGPU_OK)
      return rc;
  }
  return SCHEDGPU_OK;
}

static bool uses_region(const struct sg_region *r, uint32_t job) {
  /* the mode must not change: each process knows the mode under which it attached */
  return r->job[job].held_mask != 0 || r->job[job].clients != 0 || r->job[job].waiting != 0;
}

static bool same_memory(const struct sg_job *job, const struct schedgpu_job_spec *s) {
  if (job->mode != s->mode || job->device_mask != s->device_mask ||
      job->processes != processes_of(s) || job->lane_policy != s->lane ||
      job->persistent_bytes != sg_round_up(s->persistent_bytes) ||
      (job->flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS) != growable(s))
    return false;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((s->device_mask & 1u << d) && job->budget_bytes[d] != sg_round_up(s->budget_bytes[d]))
      return false;
  return true;
}

static void copy_name(char *to, const char *from) {
  uint32_t i = 0;
  for (; i < SCHEDGPU_NAME_SIZE - 1 && from[i] != 0; i++)
    to[i] = from[i];
  for (; i < SCHEDGPU_NAME_SIZE; i++)
    to[i] = 0;
}

static void write_memory(struct sg_job *job, const struct schedgpu_job_spec *s) {
  SG_PUT(job->mode, s->mode);
  SG_PUT(job->device_mask, s->device_mask);
  SG_PUT(job->processes, processes_of(s));
  SG_PUT(job->lane_policy, s->lane);
  SG_PUT(job->shares_lane, 0); /* its parts may be others now */
  SG_PUT(job->persistent_bytes, sg_round_up(s->persistent_bytes));
  SG_PUT(job->flags, (job->flags & ~SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS) | growable(s));
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    SG_PUT(job->budget_bytes[d],
           s->device_mask & 1u << d ? sg_round_up(s->budget_bytes[d]) : UINT64_C(0));
}

static int update(struct sg_region *r, uint32_t j, const struct schedgpu_job_spec *s,
                  uint64_t now_ns, struct sg_wakes *wakes) {
  struct sg_job *job = &r->job[j];
  bool same = same_memory(job, s);
  if (!same && uses_region(r, j))
    return SCHEDGPU_EINVAL; /* limits must not change while the job uses memory */
  /* a process killed in between leaves a half-written record, not a damaged one */
  sg_unseal_job(r, j);
  if (!same)
    write_memory(job, s);
  SG_PUT(job->priority, s->priority);
  SG_PUT(job->wait_ns, s->wait_ns);
  SG_PUT(job->share, share_of(s));
  SG_PUT(job->length_ns, s->length_ns);
  copy_name(job->name, s->name);
  sg_seal_job(r, j);
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->waiter[i].state == SG_WAITING && sg_waiter_job(r, &r->waiter[i]) == j)
      SG_PUT(r->waiter[i].priority, s->priority);
  sg_serve(r, now_ns, wakes);
  return SCHEDGPU_OK;
}

static uint32_t owned(const struct sg_job *job) {
  return (job->flags & SCHEDGPU_JOB_FLAG_OWNED) != 0;
}

#define BEGIN(figure) job->figure = 0;
/** Empties the caches of a new job's record. */
static void forget_caches(struct sg_job *job) {
  SG_JOB_FIGURES(BEGIN)
  job->clients = job->waiting = 0;
  job->held_since_ns = job->ended_as = 0;
  job->refused_bytes = job->refusals = 0;
  job->lane = job->shares_lane = 0;
  job->joined = job->service_ns = job->turns = job->switches = 0;
  job->credit_ns = job->turn_waited_ns = job->kept_bytes = job->measures = job->marked = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    job->reserved_bytes[d] = job->overrun_bytes[d] = job->held_bytes[d] = job->queued_bytes[d] =
        job->context_used_bytes[d] = job->peak_bytes[d] = job->context_peak_bytes[d] = 0;
  sg_crash_point();
}

int sg_job_begin(struct sg_region *r, const struct schedgpu_job_spec *s, uint32_t owner_slot,
                 uint64_t now_ns, struct sg_wakes *wakes) {
  int rc = check_spec(r, s);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint32_t j = sg_job_find(r, s->kind, s->job_id);
  if (j != SG_NONE && r->job[j].uid == s->uid)
    return update(r, j, s, now_ns, wakes);
  if (j != SG_NONE)
    sg_job_end(r, j, now_ns, wakes); /* Slurm used the id again: the record is stale */
  j = sg_job_place(r);
  if (j == SG_NONE || !sg_may_begin(r, s->kind, s->uid))
    return SCHEDGPU_EFULL;
  struct sg_job *job = &r->job[j];
  SG_PUT(job->kind, s->kind);
  SG_PUT(job->id, s->job_id);
  SG_PUT(job->uid, s->uid);
  SG_PUT(job->priority, s->priority);
  SG_PUT(job->flags, s->flags);
  SG_PUT(job->held_mask, 0);
  SG_PUT(job->admitted, 0);
  SG_PUT(job->owner_slot, owner_slot);
  SG_PUT(job->owner_gen, owner_slot < SG_SLOTS ? r->client[owner_slot].agen : 0);
  SG_PUT(job->begun_ns, now_ns);
  SG_PUT(job->wait_ns, s->wait_ns);
  SG_PUT(job->share, share_of(s));
  SG_PUT(job->length_ns, s->length_ns);
  write_memory(job, s);
  copy_name(job->name, s->name);
  forget_caches(job);
  sg_seal_job(r, j);
  if (j >= r->h.job_high)
    SG_PUT(r->h.job_high, j + 1);
  atomic_store(&job->state, SG_ACTIVE);
  sg_crash_point();
  SG_PUT(r->h.job_key[j], sg_job_key(r, j));
  SG_PUT(r->h.owned_jobs, r->h.owned_jobs + owned(job));
  return SCHEDGPU_OK;
}

static void detach_clients(struct sg_region *r, uint32_t j) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    struct sg_client *c = &r->client[i];
    if (c->state != SG_ACTIVE || c->job != j)
      continue;
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
      /* a live process then finds its lease empty, asks, and gets ENOJOB */
      atomic_store(&c->lease[d], 0);
      sg_crash_point();
      SG_PUT(c->contexts[d], 0);
    }
    SG_PUT(c->job, SG_NONE);
  }
}

static void dismiss_waiters(struct sg_region *r, uint32_t j, uint64_t now_ns,
                            struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    struct sg_waiter *w = &r->waiter[i];
    uint32_t state = atomic_load(&w->state);
    if (state == SG_WAITER_FREE || w->job != j)
      continue;
    atomic_store(&w->state, SG_WAITER_FREE);
    sg_crash_point();
    if (state == SG_WAITING)
      sg_account_wait(r, j, w, 0, now_ns);
    sg_add_wake(wakes, i);
  }
}

/** Removes the job's requests while the job still counts as waiting: later the job does not show in
 * which queues they were. */
static void leave_queues(struct sg_region *r, uint32_t j) {
  for (uint32_t i = 0; i < sg_clients_end(r) && r->job[j].waiting != 0; i++)
    if (r->waiter[i].state == SG_WAITING && r->waiter[i].job == j)
      sg_account_unqueued(r, i);
}

static void leave_turns(struct sg_region *r, uint32_t j, uint64_t now_ns, struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && r->client[i].job == j)
      sg_turn_drop(r, i, now_ns, wakes);
}

/** True if the job has no memory: then its end frees nothing for others and changes no sum. */
static bool job_is_empty(const struct sg_job *job) {
  uint64_t overrun = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    overrun |= job->overrun_bytes[d];
  return job->held_mask == 0 && job->admitted == 0 && job->clients == 0 && job->waiting == 0 &&
         overrun == 0;
}

/** Clears the key of a free record. */
static void clear_key(struct sg_region *r, uint32_t j, bool counted) {
  SG_PUT(r->h.job_key[j], 0);
  if (counted && owned(&r->job[j]) && r->h.owned_jobs > 0)
    SG_PUT(r->h.owned_jobs, r->h.owned_jobs - 1);
}

/** `by_sums`: subtract the job from the sums; else count the sums again. */
static int end(struct sg_region *r, uint32_t j, bool by_sums, uint64_t now_ns,
               struct sg_wakes *wakes) {
  struct sg_job *job = &r->job[j];
  bool nothing = job_is_empty(job);
  bool counted = job->state == SG_ACTIVE; /* false if this finishes an end that was begun before */
  uint32_t lane = sg_job_lane(r, j);
  if (lane != SG_NONE)
    leave_turns(r, j, now_ns, wakes);
  if (by_sums)
    leave_queues(r, j);
  /* from here on, a process that recovers the lock finishes the end */
  atomic_store(&job->state, SG_ENDING);
  sg_crash_point();
  if (!nothing) {
    sg_note_peaks(r, j);
    sg_note_refusals(r, j);
    dismiss_waiters(r, j, now_ns, wakes);
  }
  sg_ended_add(r, j, now_ns);
  if (!nothing)
    detach_clients(r, j);
  if (by_sums)
    sg_account_ended(r, j);
  SG_PUT(job->held_mask, 0);
  if (by_sums && lane != SG_NONE)
    sg_account_lane(r, sg_lane_device(r, j), 0, sg_lane_leave(r, j, lane));
  SG_PUT(job->admitted, 0);
  sg_seal_ended(r, j); /* a free record with a job's seal would count as damaged */
  atomic_store(&job->state, SG_FREE);
  sg_crash_point();
  if (nothing || by_sums)
    clear_key(r, j, counted);
  else
    sg_recount(r); /* simpler than to undo each part */
  sg_lower_job_mark(r);
  if (!nothing || sg_lanes_end(r) != 0) /* a turn may have been idle for long by now */
    sg_serve(r, now_ns, wakes);
  return SCHEDGPU_OK;
}

int sg_job_end(struct sg_region *r, uint32_t j, uint64_t now_ns, struct sg_wakes *wakes) {
  if (j >= SCHEDGPU_MAX_JOBS || r->job[j].state == SG_FREE)
    return SCHEDGPU_ENOJOB;
  return end(r, j, false, now_ns, wakes);
}

int sg_job_end_in_copy(struct sg_region *r, uint32_t j, uint64_t now_ns, struct sg_wakes *wakes) {
  return sg_job_active(r, j) ? end(r, j, true, now_ns, wakes) : SCHEDGPU_ENOJOB;
}

void sg_job_describe(const struct sg_job *job, struct schedgpu_job_spec *s) {
  *s = (struct schedgpu_job_spec){.job_id = job->id,
                                  .kind = job->kind,
                                  .uid = job->uid,
                                  .priority = job->priority,
                                  .mode = job->mode,
                                  .device_mask = job->device_mask,
                                  .flags = job->flags,
                                  .processes = job->processes,
                                  .lane = job->lane_policy,
                                  .share = job->lane_policy != SCHEDGPU_LANE_NONE ? job->share : 0,
                                  .wait_ns = job->wait_ns,
                                  .length_ns = job->length_ns,
                                  .persistent_bytes = job->persistent_bytes};
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    s->budget_bytes[d] = job->budget_bytes[d];
  copy_name(s->name, job->name);
}
