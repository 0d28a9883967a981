/*
 * repair.c - repairs what damage.c finds. Fields of the root side come from the checkpoint. What a
 * process holds never counts as less than it may hold. Impossible requests are dropped; their
 * clients ask again.
 */
#include "../history/history.h"
#include "integrity.h"
#include "../rules/growth.h"
#include <string.h>

/** True if a process was killed while it changed the header: each field has its old or its new
 * value. */
static bool half_written(const struct sg_header *h) {
  return h->seal == 0 && h->magic == SG_MAGIC && h->version == SG_LAYOUT_VERSION &&
         h->stamp == sg_layout_stamp() && h->size == sizeof(struct sg_region) &&
         h->device_count <= SCHEDGPU_MAX_DEVICES && schedgpu_policy_name(h->policy) &&
         h->grace_ns >= 0 && h->deadlock_rule <= SCHEDGPU_DEADLOCK_AVOID;
}

static int repair_header(struct sg_region *r, const struct sg_checkpoint *c,
                         struct sg_report *report) {
  if (!sg_header_sealed(&r->h)) {
    sg_report(report, "header", 0);
    if (half_written(&r->h))
      sg_seal_header(r);
    else if (!c || !sg_checkpoint_header(c, r))
      return SCHEDGPU_ECORRUPT;
  }
  if (atomic_load(&r->h.ready) != 1) {
    sg_report(report, "header", 0);
    atomic_store(&r->h.ready, 1);
  }
  return SCHEDGPU_OK;
}

static int repair_device(struct sg_region *r, const struct sg_checkpoint *c, uint32_t d,
                         struct sg_report *report) {
  const struct sg_device *device = &r->device[d];
  if (sg_device_sealed(device))
    return SCHEDGPU_OK;
  sg_report(report, "device", d);
  if (c && sg_checkpoint_device(c, r, d))
    return SCHEDGPU_OK;
  if (device->seal != 0 || device->state != SG_ACTIVE || device->index != d ||
      device->total_bytes == 0 || device->reserved_bytes > device->total_bytes)
    return SCHEDGPU_ECORRUPT;
  sg_seal_device(r, d); /* half written: the device had no jobs then */
  return SCHEDGPU_OK;
}

/** The sum exceeds the device: sets 0; the next measurement sets the real value. */
static void repair_foreign(struct sg_region *r, uint32_t d, struct sg_report *report) {
  if (sg_foreign_matches(r, d))
    return;
  sg_report(report, "foreign memory of device", d);
  sg_forget_foreign(r, d);
}

static void repair_ended(struct sg_region *r, struct sg_report *report) {
  if (sg_ended_possible(r))
    return;
  sg_report(report, "count of ended jobs", 0);
  sg_ended_recount(r);
}

/** Lowers the high marks to the highest records in use. */
static void repair_marks(struct sg_region *r) {
  r->h.job_high = SCHEDGPU_MAX_JOBS;
  r->h.client_high = SG_SLOTS;
  sg_lower_job_mark(r);
  sg_lower_client_mark(r);
}

/** True if a process of the job has a lease (or a context, unless `leases_only`) in its record. */
static bool is_used(const struct sg_region *r, uint32_t job, bool leases_only) {
  for (uint32_t i = 0; i < SG_SLOTS; i++) {
    const struct sg_client *c = &r->client[i];
    for (uint32_t d = 0; c->state == SG_ACTIVE && c->job == job && d < SCHEDGPU_MAX_DEVICES; d++)
      if (atomic_load(&c->lease[d]) != 0 || (!leases_only && c->contexts[d] != 0))
        return true;
  }
  return false;
}

/** Of a lane job its persistent memory, and what its processes have beyond it. */
static uint64_t kept_at_least(const struct sg_region *r, uint32_t j, uint32_t d) {
  uint64_t kept = r->job[j].persistent_bytes, budget = r->job[j].budget_bytes[d];
  uint64_t leased = sg_taken_by_records(r, j, d);
  uint64_t least = leased > kept ? leased : kept;
  return least < budget ? least : budget;
}

/** The budget; a growable one at least as large as the processes' records say, if that is
 * possible. */
static uint64_t held_at_least(const struct sg_region *r, uint32_t j, uint32_t d) {
  if (sg_is_lane_job(r, j))
    return kept_at_least(r, j, d);
  uint64_t budget = r->job[j].budget_bytes[d], total = r->device[d].total_bytes;
  uint64_t leased = sg_budget_grows(r, j) ? sg_taken_by_records(r, j, d) : 0;
  return leased > budget && leased <= total && leased % SG_UNIT_BYTES == 0 ? leased : budget;
}

static void hold(struct sg_region *r, uint32_t j) {
  struct sg_job *job = &r->job[j];
  SG_EACH_DEVICE (d, job->device_mask) {
    SG_PUT(job->reserved_bytes[d], held_at_least(r, j, d));
  }
  SG_PUT(job->held_mask, job->device_mask);
}

/** The programs of a gate do not attach, so its whole budget counts as held. */
static void rebuild_dynamic(struct sg_region *r, uint32_t j) {
  struct sg_job *job = &r->job[j];
  bool holds =
      job->mode == SCHEDGPU_MODE_GATE || (job->mode == SCHEDGPU_MODE_PEAK && is_used(r, j, true));
  if (holds)
    hold(r, j);
  else
    SG_PUT(job->held_mask, 0);
  SG_PUT(job->admitted, holds || is_used(r, j, false));
  sg_forget_overruns(r, j);
}

static void repair_dynamic(struct sg_region *r, uint32_t j) {
  struct sg_job *job = &r->job[j];
  if (job->held_mask != 0 && sg_reserves_whole_budget(r, j))
    hold(r, j);
  else
    SG_PUT(job->held_mask, 0);
  if (job->admitted > 1)
    SG_PUT(job->admitted, 1);
  sg_forget_overruns(r, j);
}

static bool restore(struct sg_region *r, const struct sg_checkpoint *c, uint32_t j) {
  if (!c || !sg_checkpoint_job(c, r, j))
    return false;
  rebuild_dynamic(r, j);
  atomic_store(&r->job[j].state, SG_ACTIVE);
  sg_crash_point();
  return true;
}

/** True if the checkpoint has a job whose record shows neither the job nor its end. */
static bool is_lost_job(const struct sg_region *r, const struct sg_checkpoint *c, uint32_t j) {
  struct sg_job saved;
  const struct sg_job *job = &r->job[j];
  if (!sg_checkpoint_find(c, j, &saved) || sg_job_search(r, saved.kind, saved.id) != SG_NONE)
    return false;
  /* else this record's job ended after the checkpoint */
  return !sg_job_ended(r, j) && (job->seal == saved.seal || !sg_job_sealed(job));
}

static bool half_written_job(const struct sg_region *r, const struct sg_job *job) {
  uint32_t present = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    present |= sg_device_present(r, d) ? 1u << d : 0;
  return job->seal == 0 && job->device_mask != 0 && (job->device_mask & ~present) == 0 &&
         job->mode >= SCHEDGPU_MODE_PEAK && job->mode <= SCHEDGPU_MODE_GATE &&
         job->processes != 0 && job->processes <= SCHEDGPU_MAX_CLIENTS;
}

static void repair_free_job(struct sg_region *r, const struct sg_checkpoint *c, uint32_t j,
                            struct sg_report *report) {
  bool lost = sg_job_lost(r, j), known = is_lost_job(r, c, j);
  if (lost || known)
    sg_report(report, "job", j);
  if (known)
    restore(r, c, j);
  else if (lost)
    SG_PUT(r->h.job_key[j], 0); /* no copy says which job it was */
}

/** Repairs, restores or gives up the job. SG_ENDING: it cannot be saved, and sg_repair_finish()
 * ends it. */
static void repair_job(struct sg_region *r, const struct sg_checkpoint *c, uint32_t j,
                       struct sg_report *report) {
  struct sg_job *job = &r->job[j];
  if (job->state == SG_FREE) {
    repair_free_job(r, c, j, report);
    return;
  }
  if (sg_job_possible(r, j))
    return;
  sg_report(report, "job", j);
  if (job->state == SG_ACTIVE && sg_job_sealed(job))
    repair_dynamic(r, j);
  /* only its state is damaged: a job too many does less harm than a lost one */
  else if (sg_job_sealed(job))
    SG_PUT(job->state, SG_ACTIVE);
  else if (!restore(r, c, j))
    SG_PUT(job->state, half_written_job(r, job) ? SG_ACTIVE : SG_ENDING);
  if (job->state == SG_ACTIVE && !sg_job_sealed(job))
    sg_seal_job(r, j);
  if (job->state == SG_ACTIVE && !sg_job_possible(r, j))
    repair_dynamic(r, j);
}

/** Lowers units in use to the leased units. */
static void repair_leases(struct sg_client *c) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t word = atomic_load(&c->lease[d]);
    if (sg_in_use(word) > sg_leased(word))
      atomic_store(&c->lease[d], sg_lease_word(sg_leased(word), sg_leased(word)));
  }
  sg_crash_point();
}

static bool holds_nothing(const struct sg_client *c) {
  uint64_t any = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    any |= atomic_load(&c->lease[d]) | c->contexts[d];
  return any == 0;
}

/** Empties the record. First it clears live_ino: a half-emptied record would look like one that
 * holds less. If the process lives, its memory stays reserved as orphan memory. */
static void give_up_client(struct sg_client *c) {
  SG_PUT(c->live_ino, 0);
  SG_PUT(c->state, SG_FREE);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    atomic_store(&c->lease[d], 0);
    c->contexts[d] = 0;
  }
  sg_crash_point();
  SG_PUT(c->job, SG_NONE);
}

/**
 * Repairs or gives up the record. A repaired record stays until the next scan finds out whether its
 * process is alive; a live process writes again what it holds. The record is given up if its
 * generation, its leases or its job are lost.
 */
static void repair_client(struct sg_region *r, uint32_t slot, struct sg_report *report) {
  struct sg_client *c = &r->client[slot];
  if (sg_client_possible(r, slot))
    return;
  sg_report(report, "client", slot);
  if (sg_client_signed(r, slot)) {
    if (!sg_job_active(r, sg_read_once(&c->job)) && holds_nothing(c))
      SG_PUT(c->job, SG_NONE);
    repair_leases(c);
    SG_PUT(c->state, SG_ACTIVE);
    if (sg_client_possible(r, slot))
      return;
  }
  give_up_client(c);
}

/** Takes back unused leases; if the job still has too much, all leases. */
static void repair_overleased(struct sg_region *r, uint32_t j, uint32_t d,
                              struct sg_report *report) {
  for (int pass = 0; pass < 2 && sg_job_overleased(r, j, d); pass++) {
    if (pass == 0)
      sg_report(report, "the lease of job", j);
    for (uint32_t i = 0; i < SG_SLOTS; i++) {
      struct sg_client *c = &r->client[i];
      if (c->state != SG_ACTIVE || c->job != j)
        continue;
      uint64_t in_use = pass == 0 ? sg_in_use(atomic_load(&c->lease[d])) : 0;
      atomic_store(&c->lease[d], sg_lease_word(in_use, in_use));
    }
  }
}

static void drop_waiter(struct sg_region *r, uint32_t i, struct sg_report *report,
                        struct sg_wakes *wakes) {
  sg_report(report, "waiter", i);
  atomic_store(&r->waiter[i].state, SG_WAITER_FREE);
  sg_crash_point();
  sg_add_wake(wakes, i);
}

/** The higher one of both; a ticket that is damaged itself does not count. */
static uint64_t higher(uint64_t highest, uint64_t ticket) {
  return ticket <= (SG_LAST_TICKET / 2) && ticket > highest ? ticket : highest;
}

static uint64_t mended(uint64_t last, uint64_t highest) {
  return last > (SG_LAST_TICKET / 2) || last < highest ? highest : last;
}

/** Sets the last tickets to the highest ones that are not damaged. */
static void repair_tickets(struct sg_region *r) {
  uint64_t highest = 0, highest_of_lanes = 0;
  for (uint32_t i = 0; i < SG_SLOTS; i++) {
    if (r->waiter[i].state != SG_WAITER_FREE)
      highest = higher(highest, r->waiter[i].ticket);
    if (r->turn[i].state != SG_WAITER_FREE)
      highest_of_lanes = higher(highest_of_lanes, r->turn[i].ticket);
  }
  for (uint32_t i = 0; i < SCHEDGPU_MAX_JOBS; i++)
    highest_of_lanes = higher(highest_of_lanes, r->job[i].joined);
  if (mended(r->h.ticket, highest) != r->h.ticket)
    SG_PUT(r->h.ticket, highest);
  if (mended(r->h.lane_ticket, highest_of_lanes) != r->h.lane_ticket)
    SG_PUT(r->h.lane_ticket, highest_of_lanes);
}

static void repair_waiters(struct sg_region *r, struct sg_report *report, struct sg_wakes *wakes) {
  repair_tickets(r);
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (!sg_waiter_possible(r, i))
      drop_waiter(r, i, report, wakes);
}

int sg_repair(struct sg_region *r, const struct sg_checkpoint *c, struct sg_report *report,
              struct sg_wakes *wakes) {
  int rc = repair_header(r, c, report);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES && rc == SCHEDGPU_OK; d++)
    rc = repair_device(r, c, d, report);
  if (rc != SCHEDGPU_OK)
    return rc;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    repair_foreign(r, d, report);
  repair_ended(r, report);
  repair_marks(r);
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    repair_job(r, c, j, report);
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    repair_client(r, i, report);
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    for (uint32_t d = 0; sg_job_active(r, j) && d < SCHEDGPU_MAX_DEVICES; d++)
      repair_overleased(r, j, d, report);
  repair_waiters(r, report, wakes);
  repair_marks(r);
  sg_recount(r);
  return SCHEDGPU_OK;
}

void sg_repair_finish(struct sg_region *r, uint64_t now_ns, struct sg_report *report,
                      struct sg_wakes *wakes) {
  sg_account_held_of_all(r, now_ns);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    if (r->job[j].state == SG_ENDING) {
      report->jobs_ended += sg_job_broken(&r->job[j]);
      sg_job_end(r, j, now_ns, wakes);
    } else if (sg_job_active(r, j)) {
      sg_job_end_admission(r, j);
    }
  }
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->waiter[i].state == SG_GRANTED)
      sg_add_wake(wakes, i);
  sg_serve(r, now_ns, wakes);
}
