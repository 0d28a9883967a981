/* core_api.c - the transitions of the core for one process: schedgpu_core.h. */
#include "core_api.h"
#include "../core/history/history.h"
#include "../core/rules/growth.h"
#include "../core/lanes/lanes.h"
#include <string.h>
#include <sys/mman.h>

static void copy_devices(struct schedgpu_setup *s, const uint64_t *total_bytes,
                         const uint64_t *reserved_bytes, const uint64_t *context_bytes) {
  for (uint32_t i = 0; i < s->device_count && i < SCHEDGPU_MAX_DEVICES; i++) {
    s->device[i].index = i;
    s->device[i].total_bytes = total_bytes[i];
    s->device[i].reserved_bytes = reserved_bytes[i];
    s->device[i].context_bytes = context_bytes[i];
    memcpy(s->device[i].uuid, "GPU-A", 5);
    s->device[i].uuid[4] = (char)('A' + i);
  }
}

/** The core that was destroyed last, or NULL. Who makes thousands of cores one after the other, as
 * the random histories do, would otherwise spend a third of the time on faults of new pages. */
static _Atomic(schedgpu_core *) spare;

/** All zeros; NULL if there is no memory. */
static schedgpu_core *empty_core(void) {
  schedgpu_core *made = atomic_exchange(&spare, NULL);
  if (made)
    return memset(made, 0, sizeof *made);
  /* Pages that a core never uses stay untouched: a simulator has a thousand cores. calloc() would
   * clear memory that it gives out for the second time. */
  made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    return NULL;
  madvise(made, sizeof *made, MADV_NOHUGEPAGE);
  return made;
}

int schedgpu_core_create(uint32_t device_count, const uint64_t *total_bytes,
                         const uint64_t *reserved_bytes, const uint64_t *context_bytes,
                         uint32_t policy, uint32_t overtake_limit, int64_t grace_ns,
                         uint32_t deadlock_rule, schedgpu_core **core) {
  struct schedgpu_setup setup = {.policy = policy,
                                 .device_count = device_count,
                                 .overtake_limit = overtake_limit,
                                 .group = -1,
                                 .deadlock_rule = deadlock_rule,
                                 .grace_ns = grace_ns};
  *core = NULL;
  copy_devices(&setup, total_bytes, reserved_bytes, context_bytes);
  schedgpu_core *made = empty_core();
  if (!made)
    return SCHEDGPU_ESYSTEM;
  int rc = sg_region_init(&made->region, &setup, 0);
  if (rc == SCHEDGPU_OK)
    *core = made;
  else
    schedgpu_core_destroy(made);
  return rc;
}

void schedgpu_core_destroy(schedgpu_core *core) {
  schedgpu_core *old = core ? atomic_exchange(&spare, core) : NULL;
  if (old)
    munmap(old, sizeof *old);
}

/** The empty list of waiters to wake, for the next transition. */
static struct sg_wakes *fresh(schedgpu_core *core) {
  core->wakes.count = 0;
  return &core->wakes;
}

static uint32_t job_of(const schedgpu_core *core, uint64_t job_id) {
  return sg_job_find(&core->region, SCHEDGPU_JOB_SLURM, job_id);
}

int schedgpu_core_job_begin(schedgpu_core *core, uint64_t job_id, uint32_t uid, uint32_t mode,
                            uint32_t overflow_waits, const uint64_t *budget_bytes, int32_t priority,
                            uint32_t processes, uint32_t device_mask, uint32_t owner_slot,
                            uint64_t now_ns) {
  struct schedgpu_job_spec spec = {.job_id = job_id,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = uid,
                                   .priority = priority,
                                   .mode = mode,
                                   .device_mask = device_mask,
                                   .processes = processes,
                                   .wait_ns = SCHEDGPU_FOREVER,
                                   .name = "job"};
  if (owner_slot < SG_SLOTS)
    spec.flags |= SCHEDGPU_JOB_FLAG_OWNED;
  if (overflow_waits)
    spec.flags |= SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
  for (uint32_t d = 0; d < core->region.h.device_count; d++)
    spec.budget_bytes[d] = budget_bytes[d];
  return sg_job_begin(&core->region, &spec, owner_slot, now_ns, fresh(core));
}

int schedgpu_core_job_end(schedgpu_core *core, uint64_t job_id, uint64_t now_ns) {
  struct sg_wakes *wakes = fresh(core);
  uint32_t job = job_of(core, job_id);
  return job == SG_NONE ? SCHEDGPU_ENOJOB : sg_job_end(&core->region, job, now_ns, wakes);
}

static uint32_t free_slot(const struct sg_region *r) {
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (r->client[i].state == SG_FREE)
      return i;
  return SG_NONE;
}

int schedgpu_core_attach(schedgpu_core *core, uint64_t job_id) {
  struct sg_region *r = &core->region;
  fresh(core);
  bool root_side = job_id == SCHEDGPU_CORE_NO_JOB;
  uint32_t job = root_side ? SG_NONE : job_of(core, job_id);
  if (job == SG_NONE && !root_side)
    return SCHEDGPU_ENOJOB;
  uint32_t slot = free_slot(r);
  if (slot == SG_NONE)
    return SCHEDGPU_EFULL;
  atomic_fetch_add(&r->client[slot].gen, 1);
  int rc = sg_client_attach(r, slot, job, root_side ? 0 : r->job[job].uid, 1, 1);
  return rc == SCHEDGPU_OK ? (int)slot : rc;
}

uint64_t schedgpu_core_remove(schedgpu_core *core, uint32_t slot, uint64_t now_ns) {
  return sg_client_remove(&core->region, slot, now_ns, fresh(core));
}

/** OK, ENOJOB or EDEVICE: the checks that the shell makes before it calls the core. */
static int check_device(const struct sg_region *r, uint32_t slot, uint32_t device) {
  uint32_t job = slot < SG_SLOTS ? sg_client_job(r, &r->client[slot]) : SG_NONE;
  if (job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  bool has = device < SCHEDGPU_MAX_DEVICES && (r->job[job].device_mask & 1u << device);
  return has ? SCHEDGPU_OK : SCHEDGPU_EDEVICE;
}

/**
 * Takes memory that the process has leased of its job's budget, as client.c does without the lock.
 * A process that waits takes nothing here, though other threads of it could take what it releases
 * meanwhile.
 */
static bool take_leased(struct sg_region *r, const struct sg_request *q) {
  struct sg_client *c = &r->client[q->client];
  return !q->context && !q->gate && sg_reserves_whole_budget(r, c->job) &&
         !sg_client_has_request(r, q->client) &&
         sg_lease_take(c, q->device, sg_round_up(q->bytes) / SG_UNIT_BYTES);
}

/**
 * Takes back what the processes of a lane job leased and do not use. Otherwise a process without
 * the turn could go on with what it leased before a sibling used more in its turn: no harm, but the
 * answer would depend on leases, of which the rules know nothing.
 */
static void drop_leases_in_lane(struct sg_region *r, uint32_t job) {
  for (uint32_t i = 0; sg_is_lane_job(r, job) && i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && sg_client_job(r, &r->client[i]) == job)
      sg_lease_take_back(&r->client[i].lease[sg_lane_device(r, job)]);
}

/** Counts a refusal as client.c does, and notes it at once. */
static int count_refusal(struct sg_region *r, uint32_t slot, uint64_t bytes, int rc) {
  if (sg_is_refusal(rc)) {
    sg_refusal_mark(&r->client[slot], bytes);
    sg_note_refusals_of(r, slot);
  }
  return rc;
}

int schedgpu_core_ask(schedgpu_core *core, uint32_t slot, uint32_t device, uint64_t bytes,
                      uint32_t kind, uint32_t may_wait, uint64_t now_ns, uint64_t *ticket) {
  struct sg_region *r = &core->region;
  struct sg_wakes *wakes = fresh(core);
  struct sg_request q = {.client = slot,
                         .device = device,
                         .bytes = bytes,
                         .context = kind == SCHEDGPU_CORE_CONTEXT,
                         .gate = kind == SCHEDGPU_CORE_GATE,
                         .may_wait = may_wait != 0,
                         .deadline_ns = SG_NO_DEADLINE};
  uint32_t waiter = SG_NONE;
  *ticket = 0;
  if (kind > SCHEDGPU_CORE_GATE)
    return SCHEDGPU_EINVAL;
  if (check_device(r, slot, device) == SCHEDGPU_OK) {
    drop_leases_in_lane(r, sg_client_job(r, &r->client[slot]));
    if (take_leased(r, &q))
      return SCHEDGPU_OK;
  }
  int rc = sg_ask(r, &q, now_ns, &waiter, wakes);
  if (waiter != SG_NONE)
    *ticket = r->waiter[waiter].ticket;
  return kind == SCHEDGPU_CORE_MEMORY ? count_refusal(r, slot, bytes, rc) : rc;
}

int schedgpu_core_settle(schedgpu_core *core, uint32_t slot, uint64_t ticket, uint64_t now_ns) {
  struct sg_region *r = &core->region;
  uint64_t bytes = slot < SG_SLOTS ? r->waiter[slot].bytes : 0;
  int rc = sg_settle(r, slot, ticket, now_ns, fresh(core));
  return bytes > 0 ? count_refusal(r, slot, bytes, rc) : rc; /* contexts are never refused here */
}

/** Releases memory inside the budget. Serves the queues only if the process released the last of
 * it, or if other processes of the job may wait for a part of the budget. */
static int give_back_leased(schedgpu_core *core, struct sg_client *c, uint32_t device,
                            uint64_t bytes, uint64_t now_ns) {
  struct sg_region *r = &core->region;
  bool idle;
  if (!sg_lease_give(&c->lease[device], sg_round_up(bytes) / SG_UNIT_BYTES, &idle))
    return SCHEDGPU_EUNDERFLOW;
  if (idle)
    c->idle_since_ns[device] = now_ns;
  else if (!sg_budget_grows(r, c->job))
    return SCHEDGPU_OK;
  sg_serve(r, now_ns, &core->wakes);
  return SCHEDGPU_OK;
}

int schedgpu_core_give_back(schedgpu_core *core, uint32_t slot, uint32_t device, uint64_t bytes,
                            uint64_t now_ns) {
  struct sg_region *r = &core->region;
  struct sg_wakes *wakes = fresh(core);
  int rc = check_device(r, slot, device);
  if (rc != SCHEDGPU_OK)
    return rc;
  struct sg_client *c = &r->client[slot];
  return sg_reserves_whole_budget(r, c->job) ? give_back_leased(core, c, device, bytes, now_ns)
                                             : sg_give_back(r, slot, device, bytes, now_ns, wakes);
}

int schedgpu_core_context_leave(schedgpu_core *core, uint32_t slot, uint32_t device,
                                uint64_t now_ns) {
  struct sg_wakes *wakes = fresh(core);
  int rc = check_device(&core->region, slot, device);
  return rc == SCHEDGPU_OK ? sg_context_leave(&core->region, slot, device, now_ns, wakes) : rc;
}

int schedgpu_core_set_overrun(schedgpu_core *core, uint64_t job_id, uint32_t device, uint64_t bytes,
                              uint64_t now_ns) {
  struct sg_wakes *wakes = fresh(core);
  return sg_set_overrun(&core->region, job_of(core, job_id), device, bytes, now_ns, wakes);
}

int schedgpu_core_set_foreign(schedgpu_core *core, uint32_t device, uint64_t bytes,
                              uint64_t now_ns) {
  return sg_set_foreign(&core->region, device, bytes, now_ns, fresh(core));
}

int schedgpu_core_policy_set(schedgpu_core *core, uint32_t policy, uint64_t now_ns) {
  return sg_policy_set(&core->region, policy, now_ns, fresh(core));
}

void schedgpu_core_serve(schedgpu_core *core, uint64_t now_ns) {
  sg_serve(&core->region, now_ns, fresh(core));
}

int schedgpu_core_check(const schedgpu_core *core, char *text, uint64_t size) {
  return sg_check(&core->region, text, size);
}
