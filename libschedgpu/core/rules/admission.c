/*
 * admission.c - the need of each job beside contexts, as far as it is known, and the largest need
 * of all admitted jobs: M in docs/reference/rules.md. Every admission and every new context leaves
 * that much memory free.
 */
#include "account.h"
#include "rules.h"

static void raise_to(uint64_t *place, uint64_t value) {
  if (value > *place)
    *place = value;
}

/** The known need of a job without a budget: what it holds, and its largest waiting request. */
static void add_requests(struct sg_region *r) {
  for (uint32_t i = 0; i < sg_queue_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[sg_queue_at(r, i)];
    if (w->state == SG_WAITING)
      sg_note_need(r, w);
  }
}

void sg_note_need(struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w), d = sg_waiter_device(w);
  if (job != SG_NONE && w->kind == SG_ONDEMAND && !sg_has_claim(r, job))
    raise_to(&r->job[job].need_bytes[d], r->job[job].held_bytes[d] + w->bytes);
  else if (job != SG_NONE && w->kind == SG_PEAK && sg_budget_grows(r, job))
    raise_to(&r->job[job].need_bytes[d],
             sg_in_use(atomic_load(&r->client[sg_waiter_client(w)].lease[d])) * SG_UNIT_BYTES +
                 w->bytes);
}

void sg_note_needs(struct sg_region *r) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    struct sg_job *job = &r->job[j];
    SG_EACH_DEVICE (d, job->device_mask) {
      uint64_t committed = sg_committed(r, j, d);
      job->need_bytes[d] = committed != 0 ? committed : job->held_bytes[d];
    }
  }
  add_requests(r);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    r->device[d].largest_need_bytes = 0;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    if (!sg_job_active(r, j) || !r->job[j].admitted)
      continue;
    SG_EACH_DEVICE (d, r->job[j].device_mask) {
      raise_to(&r->device[d].largest_need_bytes, r->job[j].need_bytes[d]);
    }
  }
  sg_crash_point();
}
