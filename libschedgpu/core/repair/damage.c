/*
 * damage.c - finds impossible values. See integrity.h; repair.c repairs exactly what this file
 * finds.
 */
#include "../history/history.h"
#include "integrity.h"
#include "../lanes/lanes.h"
#include <stdio.h>
#include <string.h>

void sg_report(struct sg_report *report, const char *what, uint32_t index) {
  if (report->findings++ == 0)
    snprintf(report->text, sizeof report->text, "%s %u is damaged", what, index);
}

static bool marks_valid(const struct sg_region *r) {
  const struct sg_header *h = &r->h;
  if (h->job_high > SCHEDGPU_MAX_JOBS || h->client_high > SG_SLOTS || h->queue_length > SG_SLOTS)
    return false;
  for (uint32_t i = h->job_high; i < SCHEDGPU_MAX_JOBS; i++)
    if (r->job[i].state != SG_FREE)
      return false;
  for (uint32_t i = h->client_high; i < SG_SLOTS; i++)
    if (r->client[i].state != SG_FREE)
      return false;
  return true;
}

static bool header_valid(const struct sg_region *r) {
  return sg_header_sealed(&r->h) && atomic_load(&r->h.ready) == 1 &&
         r->h.ticket <= SG_LAST_TICKET && r->h.lane_ticket <= SG_LAST_TICKET && marks_valid(r);
}

static bool held_valid(const struct sg_region *r, uint32_t j) {
  const struct sg_job *job = &r->job[j];
  if (job->held_mask == 0)
    return true;
  if (!sg_reserves_whole_budget(r, j) || job->held_mask != job->device_mask)
    return false;
  SG_EACH_DEVICE (d, job->held_mask) {
    uint64_t held = job->reserved_bytes[d], budget = job->budget_bytes[d];
    bool grown = sg_budget_grows(r, j) && held > budget && held % SG_UNIT_BYTES == 0 &&
                 held <= r->device[d].total_bytes;
    bool kept = held >= job->persistent_bytes && held <= budget && held % SG_UNIT_BYTES == 0 &&
                job->lane <= SG_LANES;
    if (sg_is_lane_job(r, j) ? !kept : held != budget && !grown)
      return false;
  }
  return true;
}

static bool overruns_valid(const struct sg_region *r, uint32_t j) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (r->job[j].overrun_bytes[d] != sg_overrun(r, j, d))
      return false;
  return true;
}

bool sg_foreign_matches(const struct sg_region *r, uint32_t device) {
  return r->device[device].foreign_bytes == sg_foreign(r, device);
}

bool sg_job_possible(const struct sg_region *r, uint32_t j) {
  const struct sg_job *job = &r->job[j];
  if (job->state == SG_FREE || job->state == SG_ENDING)
    return true;
  return job->state == SG_ACTIVE && sg_job_sealed(job) && job->admitted <= 1 && held_valid(r, j) &&
         overruns_valid(r, j);
}

/** The most that the process may have of the device: its job's budget, or the device's memory. */
static uint64_t limit_of(const struct sg_region *r, uint32_t j, uint32_t device) {
  const struct sg_job *job = &r->job[j];
  if (!(job->device_mask & 1u << device))
    return 0;
  if (sg_job_lane(r, j) != SG_NONE)
    return job->budget_bytes[device];
  if (sg_reserves_whole_budget(r, j))
    return job->held_mask & 1u << device ? job->reserved_bytes[device] : 0;
  uint64_t budget = job->budget_bytes[device], total = r->device[device].total_bytes;
  return budget > 0 && budget < total ? budget : total;
}

static bool ending(const struct sg_region *r, uint32_t job) {
  return job < SCHEDGPU_MAX_JOBS && r->job[job].state == SG_ENDING;
}

bool sg_client_possible(const struct sg_region *r, uint32_t slot) {
  const struct sg_client *c = &r->client[slot];
  uint32_t state = c->state, job = sg_read_once(&c->job);
  if (state == SG_FREE)
    return true;
  if (state != SG_ACTIVE || (job != SG_NONE && job >= SCHEDGPU_MAX_JOBS))
    return false;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t word = atomic_load(&c->lease[d]), contexts = c->contexts[d];
    if (word == 0 && contexts == 0)
      continue;
    if (ending(r, job))
      continue; /* the process that was ending the job was killed; the repair ends it */
    if (!sg_job_active(r, job) || sg_in_use(word) > sg_leased(word) ||
        sg_leased(word) * SG_UNIT_BYTES > limit_of(r, job, d) ||
        contexts > r->device[d].total_bytes || contexts % SG_UNIT_BYTES != 0)
      return false;
  }
  return true;
}

static bool subject_possible(const struct sg_region *r, const struct sg_waiter *w, uint32_t job) {
  uint32_t mask = r->job[job].device_mask;
  bool whole = sg_reserves_whole_budget(r, job);
  if (w->device >= SCHEDGPU_MAX_DEVICES || !(mask & 1u << w->device))
    return false;
  switch (w->kind) {
  case SG_PEAK:
    return whole && w->device_mask == mask;
  case SG_ONDEMAND:
    return !whole && w->device_mask == 1u << w->device && w->bytes > 0 &&
           w->bytes <= r->device[w->device].total_bytes;
  case SG_CONTEXT:
    return w->device_mask == 1u << w->device && w->bytes == r->device[w->device].context_bytes;
  default:
    return false;
  }
}

bool sg_waiter_possible(const struct sg_region *r, uint32_t slot) {
  const struct sg_waiter *w = &r->waiter[slot];
  uint32_t state = atomic_load(&w->state);
  if (state == SG_WAITER_FREE)
    return true;
  if (state > SG_GRANTED || w->client != slot || r->client[slot].state != SG_ACTIVE ||
      w->ticket > r->h.ticket || w->bytes % SG_UNIT_BYTES != 0)
    return false;
  uint32_t job = sg_waiter_job(r, w);
  return ending(r, sg_read_once(&w->job)) ||
         (job != SG_NONE && job == sg_client_job(r, &r->client[slot]) &&
          subject_possible(r, w, job));
}

bool sg_job_overleased(const struct sg_region *r, uint32_t j, uint32_t device) {
  uint64_t limit = limit_of(r, j, device);
  return sg_job_leased(r, j, device) > limit / SG_UNIT_BYTES;
}

/** The processes of each job, as lists: so one pass over the clients serves all jobs. */
struct grouped {
  uint16_t first[SCHEDGPU_MAX_JOBS]; /**< slot + 1; 0: none */
  uint16_t next[SG_SLOTS];
};

static void group(const struct sg_region *r, struct grouped *g) {
  memset(g->first, 0, sizeof g->first);
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    uint32_t job = c->state == SG_ACTIVE ? sg_client_job(r, c) : SG_NONE;
    if (job == SG_NONE)
      continue;
    g->next[i] = g->first[job];
    g->first[job] = (uint16_t)(i + 1);
  }
}

/** Covers all devices of the job. A lease on any other device is found with its client. */
static void find_overleased(const struct sg_region *r, struct sg_report *report) {
  struct grouped g;
  group(r, &g);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    if (g.first[j] == 0)
      continue;
    SG_EACH_DEVICE (d, r->job[j].device_mask) {
      uint64_t units = 0;
      for (uint32_t next = g.first[j]; next != 0; next = g.next[next - 1])
        units += sg_leased(atomic_load(&r->client[next - 1].lease[d]));
      if (sg_device_present(r, d) && units > limit_of(r, j, d) / SG_UNIT_BYTES)
        sg_report(report, "the lease of job", j);
    }
  }
}

/** A lane that counts too few waiters is never served. */
static void find_miscounted_lanes(const struct sg_region *r, struct sg_report *report) {
  uint32_t members[SG_LANES] = {0}, waiting[SG_LANES] = {0};
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_lane(r, j) != SG_NONE)
      members[sg_job_lane(r, j) % SG_LANES]++;
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    uint32_t state = atomic_load(&r->turn[i].state), lane = sg_lane_of(r, i);
    if (state > SG_GRANTED)
      sg_report(report, "turn", i);
    if (state == SG_WAITING && lane != SG_NONE)
      waiting[lane % SG_LANES]++;
  }
  for (uint32_t i = 0; i < SG_LANES; i++)
    if (members[i] != r->lane[i].members || waiting[i] != atomic_load(&r->lane[i].waiting) ||
        (members[i] != 0 && i >= sg_lanes_end(r)))
      sg_report(report, "lane", i);
}

void sg_damage(const struct sg_region *r, struct sg_report *report) {
  if (!header_valid(r))
    sg_report(report, "header", 0);
  if (!sg_ended_possible(r))
    sg_report(report, "count of ended jobs", 0);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (!sg_device_sealed(&r->device[d]))
      sg_report(report, "device", d);
    else if (!sg_foreign_matches(r, d))
      sg_report(report, "foreign memory of device", d);
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++)
    if (!sg_job_possible(r, j) || sg_job_lost(r, j))
      sg_report(report, "job", j);
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (!sg_client_possible(r, i))
      sg_report(report, "client", i);
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (!sg_waiter_possible(r, i))
      sg_report(report, "waiter", i);
  find_overleased(r, report);
  find_miscounted_lanes(r, report);
}

uint64_t sg_caches_sum(const struct sg_region *r) {
  uint64_t sum = 5;
  for (uint32_t i = 0; i < SCHEDGPU_MAX_DEVICES; i++) {
    const struct sg_device *d = &r->device[i];
    sum = sg_mix(sum, &d->used_bytes,
                 offsetof(struct sg_device, uuid) - offsetof(struct sg_device, used_bytes));
  }
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    const struct sg_job *job = &r->job[j];
    if (!sg_job_active(r, j))
      continue;
    sum = sg_mix(sum, &job->clients, sizeof job->clients + sizeof job->waiting);
    sum = sg_mix(sum, job->held_bytes, sizeof *job - offsetof(struct sg_job, held_bytes));
  }
  sum = sg_mix(sum, &r->h.owned_jobs, sizeof r->h.owned_jobs);
  sum = sg_mix(sum, r->h.job_key, sizeof r->h.job_key);
  sum = sg_mix(sum, &r->h.queue_length, sizeof r->h.queue_length);
  return sg_mix(sum, r->h.queue, sg_queue_end(r) * sizeof *r->h.queue);
}
