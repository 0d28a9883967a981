/*
 * admission.c - jobs are admitted, and with them their contexts.
 *
 * A process keeps its CUDA contexts while it waits for memory. So before a job may wait for memory,
 * one context on each of its devices is reserved, all or nothing, and only if beside all contexts
 * the largest budget among the admitted jobs still fits (Salus, section 3.3.2: contexts are
 * persistent, budgets ephemeral memory). Then whoever waits for memory waits only for admitted
 * jobs, and none of those can need a first context that is not reserved: no cycle. Who is not
 * admitted waits apart.
 */
#include "core.h"

uint64_t sg_job_contexts(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && sg_client_job(r, &r->client[i]) == job)
      bytes += r->client[i].contexts[device];
  for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (w->state == SG_GRANTED && w->kind == SG_CONTEXT && sg_waiter_job(r, w) == job &&
        sg_waiter_device(w) == device)
      bytes += w->bytes;
  }
  return bytes;
}

static uint64_t budget_of(const struct sg_region *r, uint32_t job, uint32_t device) {
  bool counts = sg_job_peak(r, job) && (r->job[job].device_mask & 1u << device);
  return counts ? r->job[job].budget_bytes[device] : 0;
}

/** Largest budget on `device` among the admitted jobs and `job`. */
static uint64_t largest_budget(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t largest = budget_of(r, job, device);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    uint64_t budget = sg_job_active(r, j) && r->job[j].admitted ? budget_of(r, j, device) : 0;
    if (budget > largest)
      largest = budget;
  }
  return largest;
}

bool sg_context_fits(const struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes) {
  const struct sg_device *d = &r->device[device];
  uint64_t contexts = d->context_used_bytes, usable = sg_usable(d);
  uint64_t rest = usable > contexts ? usable - contexts : 0;
  return bytes <= sg_free(d) && bytes <= rest && largest_budget(r, job, device) <= rest - bytes;
}

bool sg_admission_fits(const struct sg_region *r, uint32_t job) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((r->job[job].device_mask & 1u << d) &&
        !sg_context_fits(r, job, d, r->device[d].context_bytes))
      return false;
  return true;
}

void sg_admit(struct sg_region *r, uint32_t job) {
  SG_PUT(r->job[job].admitted, 1);
}

bool sg_context_covered(const struct sg_region *r, uint32_t job, uint32_t device) {
  return r->job[job].admitted && sg_job_contexts(r, job, device) == 0;
}
