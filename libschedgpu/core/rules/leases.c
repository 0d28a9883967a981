/*
 * leases.c - how the processes of a peak job share its budget without a lock.
 *
 * A client's lease is one 64-bit word: units leased (high half) and units in use (low half). Its
 * owner takes and gives units with one compare-and-swap. Only the holder of the lock raises the
 * leased half; it may also lower it to the units in use. Since one word has both, taking back needs
 * no other synchronization. A dead client's word says all that it held.
 */
#include "account.h"
#include "../history/history.h"
#include "growth.h"
#include "../lanes/lanes.h"

bool sg_lease_take(struct sg_client *c, uint32_t device, uint64_t units) {
  _Atomic uint64_t *lease = &c->lease[device];
  uint64_t old = atomic_load_explicit(lease, memory_order_relaxed);
  do {
    if (sg_leased(old) < sg_in_use(old) || units > sg_leased(old) - sg_in_use(old))
      return false;
  } while (!atomic_compare_exchange_weak(lease, &old, old + units));
  sg_peak_raise(c, device, sg_in_use(old) + units);
  return true;
}

bool sg_lease_give(_Atomic uint64_t *lease, uint64_t units, bool *idle) {
  uint64_t old = atomic_load_explicit(lease, memory_order_relaxed);
  do {
    if (units > sg_in_use(old))
      return false;
  } while (!atomic_compare_exchange_weak(lease, &old, old - units));
  *idle = sg_in_use(old) == units;
  return true;
}

uint64_t sg_lease_take_back(_Atomic uint64_t *lease) {
  uint64_t old = atomic_load(lease);
  while (sg_leased(old) > sg_in_use(old)) {
    if (atomic_compare_exchange_weak(lease, &old, sg_lease_word(sg_in_use(old), sg_in_use(old)))) {
      sg_crash_point();
      return sg_leased(old) - sg_in_use(old);
    }
  }
  return 0;
}

static bool is_client_of(const struct sg_region *r, uint32_t slot, uint32_t job) {
  return r->client[slot].state == SG_ACTIVE && sg_client_job(r, &r->client[slot]) == job;
}

/** Sums `part` over the clients of a job. Runs without the lock too, so it trusts no cached
 * count. */
static uint64_t sum_leases(const struct sg_region *r, uint32_t job, uint32_t device,
                           uint64_t (*part)(uint64_t word)) {
  uint64_t units = 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (is_client_of(r, i, job))
      units += part(atomic_load(&r->client[i].lease[device]));
  return units;
}

uint64_t sg_job_leased(const struct sg_region *r, uint32_t job, uint32_t device) {
  return sum_leases(r, job, device, sg_leased);
}

uint64_t sg_job_in_use(const struct sg_region *r, uint32_t job, uint32_t device) {
  return sum_leases(r, job, device, sg_in_use) * SG_UNIT_BYTES;
}

/** The owner may take or give units in another thread meanwhile. */
void sg_lease_grow(struct sg_client *c, uint32_t device, uint64_t leased, uint64_t in_use) {
  uint64_t old = atomic_fetch_add(&c->lease[device], sg_lease_word(leased, in_use));
  sg_crash_point();
  sg_peak_raise(c, device, sg_in_use(old) + in_use);
}

/** Bytes of the held budget granted to the process and not taken yet. */
static uint64_t granted_of_budget(const struct sg_region *r, uint32_t slot, uint32_t device) {
  const struct sg_waiter *w = &r->waiter[slot];
  bool granted = w->state == SG_GRANTED && w->kind == SG_PEAK && sg_waiter_device(w) == device;
  return granted ? w->bytes : 0;
}

uint64_t sg_client_taken(const struct sg_region *r, uint32_t slot, uint32_t device) {
  return sg_leased(atomic_load(&r->client[slot].lease[device])) * SG_UNIT_BYTES +
         granted_of_budget(r, slot, device);
}

uint64_t sg_granted_of_budget(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (sg_waiter_job(r, &r->waiter[i]) == job)
      bytes += granted_of_budget(r, i, device);
  return bytes;
}

uint64_t sg_taken_by_records(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (r->client[i].state == SG_ACTIVE && r->client[i].job == job)
      bytes += sg_leased(atomic_load(&r->client[i].lease[device])) * SG_UNIT_BYTES +
               (r->waiter[i].job == job ? granted_of_budget(r, i, device) : 0);
  return bytes;
}

/** Bytes of the held budget that the process may lease. With a growable budget, granted bytes that
 * are not taken yet are left out. Otherwise the first process to ask gets them. A process in its
 * turn has the ephemeral memory too. */
static uint64_t leasable(const struct sg_region *r, uint32_t slot, uint32_t job, uint32_t device) {
  uint64_t held = r->job[job].reserved_bytes[device];
  if (sg_shares_lane(r, job))
    return held;
  if (sg_is_lane_job(r, job))
    return held + (sg_turn_is_busy(r, slot) ? sg_ephemeral(r, job) : 0);
  uint64_t granted = sg_budget_grows(r, job) ? sg_granted_of_budget(r, job, device) : 0;
  return held > granted ? held - granted : 0;
}

int sg_lease_extend(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t units) {
  struct sg_client *self = &r->client[slot];
  uint32_t job = sg_client_job(r, self);
  if (job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  uint64_t budget = leasable(r, slot, job, device) / SG_UNIT_BYTES;
  if (sg_lease_take(self, device, units))
    return SCHEDGPU_OK;
  uint64_t unused = sg_lease_take_back(&self->lease[device]);
  bool single = r->job[job].clients == 1;
  uint64_t own = sg_leased(atomic_load(&self->lease[device]));
  uint64_t leased = single ? own : sg_job_leased(r, job, device);
  uint64_t spare = budget > leased ? budget - leased : 0;
  uint64_t over = leased > budget ? leased - budget : 0; /* a sibling has the turn of the lane */
  bool alone = spare >= unused && leased == own;
  for (uint32_t i = 0; !single && i < sg_clients_end(r) && spare < units; i++) {
    if (i == slot || !is_client_of(r, i, job))
      continue;
    uint64_t taken = sg_lease_take_back(&r->client[i].lease[device]);
    uint64_t not_ours = taken < over ? taken : over;
    over -= not_ours;
    spare += taken - not_ours;
  }
  if (spare < units) {
    /* the process that asked last keeps what was taken back */
    sg_lease_grow(self, device, spare, 0);
    return SCHEDGPU_EBUDGET;
  }
  /* A process alone gets everything, so that it never asks again. Otherwise half of the rest stays
   * for the siblings. */
  uint64_t extra = alone ? spare - units : (spare - units) / 2;
  sg_lease_grow(self, device, units + extra, units);
  return SCHEDGPU_OK;
}

struct idle_scan {
  bool candidate[SCHEDGPU_MAX_JOBS];
  bool any;
};

static void find_candidates(const struct sg_region *r, uint32_t device, struct idle_scan *scan) {
  scan->any = false;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    /* a gate's budget stays until the job ends: its programs are not observed */
    scan->candidate[j] = sg_job_active(r, j) && r->job[j].mode == SCHEDGPU_MODE_PEAK &&
                         (r->job[j].held_mask & 1u << device);
    scan->any |= scan->candidate[j];
  }
  for (uint32_t w = 0; scan->any && w < sg_clients_end(r); w++) {
    const struct sg_waiter *waiter = &r->waiter[w];
    /* a granted request that its process has not taken yet: the budget is not idle */
    uint32_t job = sg_waiter_job(r, waiter);
    if (waiter->state == SG_GRANTED && waiter->kind == SG_PEAK && job != SG_NONE)
      scan->candidate[job] = false;
    job = r->client[w].state == SG_ACTIVE ? sg_client_job(r, &r->client[w]) : SG_NONE;
    if (job != SG_NONE && sg_is_lane_job(r, job) && sg_turn_in_use(r, w))
      scan->candidate[job] = false;
  }
}

static bool uses_anything(const struct sg_client *c, uint64_t now_ns, int64_t grace_ns) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    if (sg_in_use(atomic_load(&c->lease[d])) != 0)
      return true;
    uint64_t since = c->idle_since_ns[d];
    if (grace_ns > 0 && since != 0 && since <= now_ns && now_ns - since < (uint64_t)grace_ns)
      return true;
  }
  return false;
}

/** Empties the unused leases of a client; false if its owner uses one again. */
static bool empty_leases(struct sg_client *c) {
  bool empty = true;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    sg_lease_take_back(&c->lease[d]);
    /* the owner could take from a lease that is not empty */
    empty &= atomic_load(&c->lease[d]) == 0;
  }
  return empty;
}

uint32_t sg_reclaim_idle(struct sg_region *r, uint32_t device, uint64_t now_ns) {
  uint32_t freed = 0;
  struct idle_scan scan;
  find_candidates(r, device, &scan);
  if (!scan.any)
    return 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    uint32_t job = c->state == SG_ACTIVE ? sg_client_job(r, c) : SG_NONE;
    if (job != SG_NONE && scan.candidate[job] && uses_anything(c, now_ns, r->h.grace_ns))
      scan.candidate[job] = false;
  }
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    struct sg_client *c = &r->client[i];
    uint32_t job = c->state == SG_ACTIVE ? sg_client_job(r, c) : SG_NONE;
    if (job != SG_NONE && scan.candidate[job] && !empty_leases(c))
      scan.candidate[job] = false;
  }
  for (uint32_t j = 0; j < sg_jobs_end(r) && sg_lanes_end(r) != 0; j++)
    if (scan.candidate[j] && !sg_turn_give_up_idle(r, j))
      scan.candidate[j] = false;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (scan.candidate[j])
      freed |= sg_account_unhold(r, j, now_ns);
  return freed;
}
