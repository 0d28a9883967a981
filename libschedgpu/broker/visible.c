/* visible.c - what a user may see: everything of its own jobs, and only sums of all others. */
#include "broker.h"
#include "../core/lanes/lanes.h"
#include "../core/rules/need.h"
#include <stdio.h>
#include <string.h>

/** Bytes that the job's processes use, by the client pages where they have one. */
static uint64_t used_by_job(const schedgpu_broker *b, uint32_t job, uint32_t device) {
  uint64_t units = sg_job_in_use(b->r, job, device) / SG_UNIT_BYTES;
  for (const struct broker_client *s = b->clients; s; s = s->next) {
    if (!sg_broker_client_has_slot(b, s) || sg_client_job(b->r, &b->r->client[s->slot]) != job)
      continue;
    uint64_t leased = sg_in_use(atomic_load(&b->r->client[s->slot].lease[device]));
    uint64_t used = sg_in_use(atomic_load(&s->page->client.lease[device]));
    units -= used < leased ? leased - used : 0;
  }
  return units * SG_UNIT_BYTES;
}

int sg_serve_query(schedgpu_broker *b, const struct broker_client *s, uint32_t device,
                   struct schedgpu_info *info) {
  const struct sg_region *r = b->r;
  uint32_t index =
      sg_broker_client_has_slot(b, s) ? sg_client_job(r, &r->client[s->slot]) : SG_NONE;
  if (index == SG_NONE)
    return SCHEDGPU_ENOJOB;
  const struct sg_job *job = &r->job[index];
  if (!sg_device_present(r, device) || !(job->device_mask & 1u << device))
    return SCHEDGPU_EDEVICE;
  uint64_t leased = sg_leased(atomic_load(&r->client[s->slot].lease[device]));
  uint64_t own = sg_in_use(atomic_load(&s->page->client.lease[device]));
  uint64_t contexts = sg_context_cost(r, index, device);
  uint64_t declared = sg_admission_bytes(r, index, device);
  *info = (struct schedgpu_info){.total_bytes = sg_usable(&r->device[device]),
                                 .budget_bytes = job->budget_bytes[device],
                                 .job_used_bytes = used_by_job(b, index, device),
                                 .own_used_bytes = (own < leased ? own : leased) * SG_UNIT_BYTES,
                                 .context_bytes = r->device[device].context_bytes,
                                 .mode = job->mode,
                                 .priority = job->priority,
                                 .job_id = job->id,
                                 .job_context_bytes = contexts > declared ? contexts : declared};
  return SCHEDGPU_OK;
}

int sg_serve_holders(schedgpu_broker *b, const struct broker_client *s, uint32_t device,
                     char text[SG_WIRE_TEXT]) {
  const struct sg_region *r = b->r;
  char held[24];
  uint64_t others = 0;
  uint32_t other_jobs = 0;
  size_t used = 0;
  if (!sg_device_present(r, device))
    return SCHEDGPU_EDEVICE;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    uint64_t bytes = sg_job_active(r, j) ? sg_held_by(r, j, device) : 0;
    if (bytes == 0)
      continue;
    if (r->job[j].uid != s->process.uid || used > SG_WIRE_TEXT / 2) {
      others += bytes;
      other_jobs++;
      continue;
    }
    used += (size_t)snprintf(text + used, SG_WIRE_TEXT - used, "%sjob %llu (yours) holds %s",
                             used ? ", " : "", (unsigned long long)r->job[j].id,
                             schedgpu_format_bytes(bytes, held));
  }
  if (other_jobs > 0)
    snprintf(text + used, SG_WIRE_TEXT - used, "%s%u other %s %s", used ? ", " : "", other_jobs,
             other_jobs == 1 ? "job holds" : "jobs hold", schedgpu_format_bytes(others, held));
  return SCHEDGPU_OK;
}

void sg_describe_job(const schedgpu_broker *b, uint32_t job, struct sg_wire_attached *a) {
  const struct sg_region *r = b->r;
  const struct sg_job *j = &r->job[job];
  a->mode = j->mode;
  a->device_mask = j->device_mask;
  a->flags = j->flags;
  a->begun_ns = j->begun_ns;
  a->wait_ns = j->wait_ns;
  a->priority = j->priority;
  a->lane = j->lane_policy;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    if (!sg_device_present(r, d))
      continue;
    a->present |= 1u << d;
    a->gpu[d].usable_bytes = sg_usable(&r->device[d]);
    a->gpu[d].context_bytes = r->device[d].context_bytes;
    a->gpu[d].budget_bytes = j->budget_bytes[d];
    memcpy(a->gpu[d].uuid, r->device[d].uuid, sizeof a->gpu[d].uuid);
  }
}

void sg_describe_wait(const schedgpu_broker *b, const struct broker_client *s,
                      struct sg_wire_queued *q) {
  const struct sg_region *r = b->r;
  const struct sg_waiter *w = &r->waiter[s->slot];
  uint32_t device = sg_waiter_device(w), own = sg_waiter_job(r, w);
  uint64_t most = 0;
  q->ticket = w->ticket;
  q->request_bytes = w->kind == SG_PEAK && !sg_is_beyond_budget(r, w)
                         ? sg_need_with_budget(r, w, device)
                         : w->bytes;
  q->free_bytes = sg_free(&r->device[device]);
  q->place = sg_place(r, s->slot);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    uint64_t held = j != own && sg_job_active(r, j) ? sg_held_by(r, j, device) : 0;
    q->holders += held > 0;
    if (held <= most || r->job[j].uid != s->process.uid)
      continue;
    most = held;
    q->holder_job_id = r->job[j].id;
    q->holder_uid = r->job[j].uid;
  }
}

void sg_describe_turn(const schedgpu_broker *b, const struct broker_client *s,
                      struct sg_wire_queued *q) {
  const struct sg_region *r = b->r;
  uint32_t lane = sg_lane_of(r, s->slot);
  uint32_t holder = lane != SG_NONE ? sg_turn_holder(r, lane) : SG_NONE;
  uint32_t job = holder != SG_NONE ? sg_client_job(r, &r->client[holder]) : SG_NONE;
  if (job == SG_NONE)
    return;
  q->holders = 1;
  if (r->job[job].uid != s->process.uid)
    return;
  q->holder_job_id = r->job[job].id;
  q->holder_uid = r->job[job].uid;
}
