/*
 * orphans.c - orphans: memory of live processes whose records are lost. The liveness file says that
 * such a process lives; the caches say how much memory was in use. One job stands for all these
 * processes. It holds what no record accounts for, as contexts, until each process has restored its
 * record. Contexts, not leases: a process takes from its lease without the lock, and would not know
 * of this one.
 */
#include "integrity.h"
#include <string.h>

static uint64_t seal_of(const struct sg_saved_caches *before) {
  uint64_t sum = sg_mix(SG_MAGIC, before->granted_bytes, sizeof before->granted_bytes);
  return sg_mix(sum, before->clients, sizeof before->clients) | 1;
}

static void take(const struct sg_region *r, struct sg_saved_caches *before) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    const struct sg_device *device = &r->device[d];
    bool possible = device->unreserved_bytes <= device->used_bytes;
    before->granted_bytes[d] = possible ? sg_granted_bytes(device) : UINT64_MAX;
  }
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    before->clients[j] = r->job[j].clients;
  atomic_store(&before->seal, seal_of(before));
}

/** Raises the saved values to the present ones: other processes went on after a repair that only
 * the root side can finish. */
static void raise_saved(struct sg_saved_caches *before, const struct sg_saved_caches *now) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (now->granted_bytes[d] > before->granted_bytes[d] && now->granted_bytes[d] != UINT64_MAX)
      before->granted_bytes[d] = now->granted_bytes[d];
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (now->clients[j] > before->clients[j] && now->clients[j] <= SG_SLOTS)
      before->clients[j] = now->clients[j];
}

bool sg_caches_save(struct sg_region *r, struct sg_saved_caches *before) {
  struct sg_saved_caches now;
  *before = r->before;
  take(r, &now);
  if (atomic_load(&before->seal) == seal_of(before)) {
    raise_saved(before, &now);
    return true;
  }
  *before = now;
  atomic_store(&r->before.seal, 0);
  sg_crash_point();
  memcpy(r->before.granted_bytes, before->granted_bytes, sizeof before->granted_bytes);
  memcpy(r->before.clients, before->clients, sizeof before->clients);
  sg_crash_point();
  atomic_store(&r->before.seal, atomic_load(&before->seal));
  sg_crash_point();
  return false;
}

void sg_caches_forget(struct sg_region *r) {
  atomic_store(&r->before.seal, 0);
  sg_crash_point();
}

/** True if the record is right except for its state, which says that it is free. */
static bool only_state_lost(const struct sg_region *r, const struct sg_live_slot *live) {
  const struct sg_client *c = &r->client[live->slot];
  uint32_t gen = atomic_load(&c->gen);
  return gen != 0 && c->agen == gen && sg_client_signed(r, live->slot) &&
         c->live_ino == live->live_ino && c->live_dev == r->h.live_dev;
}

static void activate(struct sg_region *r, uint32_t slot) {
  SG_PUT(r->client[slot].state, SG_ACTIVE);
  if (slot >= r->h.client_high)
    SG_PUT(r->h.client_high, slot + 1);
}

/** Gives up the held budget of a job that lost records of processes: otherwise the budget would
 * count as idle. */
static void give_up_budgets(struct sg_region *r, const struct sg_saved_caches *before) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    struct sg_job *job = &r->job[j];
    if (sg_job_active(r, j) && job->mode == SCHEDGPU_MODE_PEAK &&
        job->clients < before->clients[j] && before->clients[j] <= SG_SLOTS)
      SG_PUT(job->held_mask, 0);
  }
}

static void leave_empty_jobs(struct sg_region *r) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_active(r, j))
      sg_job_end_admission(r, j);
}

/** Bytes in use before that no record has now. If the caches were impossible, all of the device
 * counts. */
static uint64_t missing(const struct sg_region *r, uint32_t device,
                        const struct sg_saved_caches *before) {
  const struct sg_device *d = &r->device[device];
  uint64_t usable = sg_usable(d), was = before->granted_bytes[device];
  if (!sg_device_present(r, device))
    return 0;
  if (was > usable)
    was = usable;
  return was > sg_granted_bytes(d) ? sg_round_up(was - sg_granted_bytes(d)) : 0;
}

void sg_caches_hold(struct sg_region *r, const struct sg_saved_caches *before) {
  sg_recount(r);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    SG_PUT(r->device[d].used_bytes, r->device[d].used_bytes + missing(r, d, before));
}

static uint32_t find_job(const struct sg_region *r) {
  return sg_job_find(r, SG_ORPHAN_KIND, 0);
}

static uint32_t present_devices(const struct sg_region *r) {
  uint32_t mask = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    mask |= sg_device_present(r, d) ? 1u << d : 0;
  return mask;
}

static uint32_t make_orphan_job(struct sg_region *r, uint64_t now_ns) {
  uint32_t j = find_job(r);
  if (j != SG_NONE || (j = sg_job_place(r)) == SG_NONE)
    return j;
  struct sg_job *job = &r->job[j];
  memset((char *)job + sizeof job->state, 0, sizeof *job - sizeof job->state);
  job->seal = SG_SEAL_ENDED; /* until it has begun */
  job->kind = SG_ORPHAN_KIND;
  job->mode = SCHEDGPU_MODE_ONDEMAND;
  job->device_mask = present_devices(r);
  job->processes = 1;
  job->begun_ns = now_ns;
  strcpy(job->name, "unknown processes");
  sg_seal_job(r, j);
  if (j >= r->h.job_high)
    SG_PUT(r->h.job_high, j + 1);
  SG_PUT(job->state, SG_ACTIVE);
  return j;
}

/**
 * Writes a record for a live process. It keeps the generation; if that is lost, only the liveness
 * byte says whether the process lives. A broker client has its byte in a file of its own
 * (liveness.c), so its record must be signed.
 */
static void make_orphan(struct sg_region *r, const struct sg_live_slot *live, uint32_t job,
                        const uint64_t *contexts) {
  struct sg_client *c = &r->client[live->slot];
  bool served = live->live_ino != sg_live_ino(r, live->slot);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    atomic_store(&c->lease[d], 0);
    c->contexts[d] = contexts[d];
    c->idle_since_ns[d] = 0;
  }
  c->agen = atomic_load(&c->gen);
  c->agen_seal = sg_gen_seal(live->slot, c->agen);
  if (served)
    c->gen_seal = c->agen_seal;
  c->pid = 0;
  c->uid = 0;
  c->live_dev = r->h.live_dev;
  c->live_ino = live->live_ino;
  SG_PUT(c->job, job);
  activate(r, live->slot);
}

/** Writes the first record last: with it all missing bytes are accounted for, and an interrupted
 * repair would not look for the others. */
static void make_orphans(struct sg_region *r, const struct sg_live_slot *live, uint32_t count,
                         uint32_t job, const uint64_t *bytes) {
  const uint64_t none[SCHEDGPU_MAX_DEVICES] = {0};
  for (uint32_t i = count; i-- > 0;)
    make_orphan(r, &live[i], job, i == 0 ? bytes : none);
}

bool sg_orphans_keep(struct sg_region *r, struct sg_live_slot *live, uint32_t count,
                     const struct sg_saved_caches *before, uint64_t now_ns) {
  uint32_t lost = 0;
  for (uint32_t i = 0; i < count; i++)
    if (only_state_lost(r, &live[i]))
      activate(r, live[i].slot);
    else
      live[lost++] = live[i];
  sg_recount(r);
  if (lost == 0)
    return lost < count;
  give_up_budgets(r, before);
  leave_empty_jobs(r);
  sg_recount(r);
  uint64_t bytes[SCHEDGPU_MAX_DEVICES], any = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    any |= bytes[d] = missing(r, d, before);
  uint32_t job = any ? make_orphan_job(r, now_ns) : SG_NONE;
  if (job != SG_NONE)
    make_orphans(r, live, lost, job, bytes);
  sg_recount(r);
  sg_account_held_of_all(r, now_ns);
  return any != 0 || lost < count;
}

static uint32_t other_client(const struct sg_region *r, uint32_t job, uint32_t slot) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (i != slot && r->client[i].state == SG_ACTIVE && r->client[i].job == job)
      return i;
  return SG_NONE;
}

/** Moves the orphan memory of `slot` to the next orphan. False if `slot` is no orphan. */
static bool pass_orphans_on(struct sg_region *r, uint32_t slot) {
  uint32_t job = find_job(r);
  struct sg_client *c = &r->client[slot];
  if (job == SG_NONE || c->state != SG_ACTIVE || c->job != job)
    return false;
  uint32_t heir = other_client(r, job, slot);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    if (heir != SG_NONE)
      SG_PUT(r->client[heir].contexts[d], r->client[heir].contexts[d] + c->contexts[d]);
    SG_PUT(c->contexts[d], 0);
  }
  SG_PUT(c->job, SG_NONE);
  SG_PUT(c->state, SG_FREE);
  return true;
}

/** Ends the job after the last orphan. */
static void end_if_empty(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes) {
  uint32_t job = find_job(r);
  if (job != SG_NONE && other_client(r, job, SG_NONE) == SG_NONE)
    sg_job_end(r, job, now_ns, wakes);
}

void sg_orphans_leave(struct sg_region *r, uint32_t slot, uint64_t now_ns, struct sg_wakes *wakes) {
  if (!pass_orphans_on(r, slot))
    return;
  sg_recount(r);
  end_if_empty(r, now_ns, wakes);
}

static uint32_t job_of(const struct sg_region *r, const struct sg_backup *backup) {
  uint32_t j = backup->kind ? sg_job_find(r, backup->kind, backup->id) : SG_NONE;
  return j != SG_NONE && r->job[j].begun_ns == backup->begun_ns ? j : SG_NONE;
}

bool sg_backup_matches(const struct sg_region *r, const struct sg_backup *backup) {
  const struct sg_client *c = &r->client[backup->slot];
  return c->state == SG_ACTIVE && c->agen == backup->gen && atomic_load(&c->gen) == backup->gen &&
         sg_client_job(r, c) == job_of(r, backup);
}

static void write_client(struct sg_region *r, const struct sg_backup *backup, uint32_t job) {
  struct sg_client *c = &r->client[backup->slot];
  bool known = job != SG_NONE;
  SG_PUT(c->state, SG_FREE);
  atomic_store(&c->gen, backup->gen);
  c->gen_seal = c->agen_seal = sg_gen_seal(backup->slot, backup->gen);
  c->agen = backup->gen;
  c->uid = backup->uid;
  c->pid = backup->pid;
  c->pid_namespace = backup->pid_namespace;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    bool mine = known && (r->job[job].device_mask & 1u << d);
    atomic_store(&c->lease[d], mine ? backup->lease[d] : 0);
    c->contexts[d] = mine ? backup->contexts[d] : 0;
    atomic_store(&c->peak_units[d], 0); /* the old peak is lost */
  }
  atomic_store(&c->refused, 0);
  SG_PUT(c->job, job);
  activate(r, backup->slot);
}

/** True if its processes may have leased more than the job holds in its record. */
static bool may_have_more(const struct sg_region *r, uint32_t j) {
  return sg_budget_grows(r, j) || (sg_is_lane_job(r, j) && r->job[j].held_mask != 0);
}

/** Corrects the job's record: leased memory implies a held budget, and any memory implies
 * admission. */
static void write_job(struct sg_region *r, const struct sg_backup *backup, uint32_t j,
                      uint64_t now_ns) {
  uint64_t leased = 0, any = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    leased |= sg_leased(backup->lease[d]);
    any |= backup->lease[d] | backup->contexts[d];
  }
  if (leased != 0 && sg_reserves_whole_budget(r, j) && r->job[j].held_mask == 0)
    sg_account_hold(r, j, now_ns);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES && may_have_more(r, j); d++) {
    uint64_t *held = &r->job[j].reserved_bytes[d], has = sg_job_leased(r, j, d) * SG_UNIT_BYTES;
    if (has > *held)
      SG_PUT(*held, has);
  }
  if (any != 0)
    SG_PUT(r->job[j].admitted, 1);
}

/** Subtracts the memory that the restored record accounts for from the orphans. */
static void reduce_orphans(struct sg_region *r, const uint64_t *before) {
  uint32_t job = find_job(r), slot = job == SG_NONE ? SG_NONE : other_client(r, job, SG_NONE);
  if (slot == SG_NONE)
    return;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t now = r->device[d].used_bytes, found = now > before[d] ? now - before[d] : 0;
    for (uint32_t i = slot; i < sg_clients_end(r) && found > 0; i++) {
      if (r->client[i].state != SG_ACTIVE || r->client[i].job != job)
        continue;
      uint64_t *has = &r->client[i].contexts[d], less = found < *has ? found : *has;
      SG_PUT(*has, *has - less);
      found -= less;
    }
  }
}

void sg_backup_write(struct sg_region *r, const struct sg_backup *backup, uint64_t now_ns,
                     struct sg_wakes *wakes) {
  uint64_t before[SCHEDGPU_MAX_DEVICES];
  uint32_t j = job_of(r, backup);
  pass_orphans_on(r, backup->slot);
  sg_recount(r);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    before[d] = r->device[d].used_bytes;
  write_client(r, backup, j);
  if (j != SG_NONE)
    write_job(r, backup, j, now_ns);
  sg_recount(r);
  reduce_orphans(r, before);
  sg_recount(r);
  sg_account_held_of_all(r, now_ns);
  end_if_empty(r, now_ns, wakes);
  sg_serve(r, now_ns, wakes);
}
