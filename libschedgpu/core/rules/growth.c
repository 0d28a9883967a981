/*
 * growth.c - growable budgets of jobs in mode peak: a request beyond the held budget waits for
 * memory instead of being refused. The job's reserved_bytes are the budget and its growth. The
 * growth is released with the memory that needed it.
 */
#include "account.h"
#include "growth.h"

uint64_t sg_left_of_budget(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t held = r->job[job].reserved_bytes[device];
  uint64_t taken = sg_job_in_use(r, job, device) + sg_granted_of_budget(r, job, device);
  return held > taken ? held - taken : 0;
}

static void pull_back(struct sg_region *r, uint32_t job, uint32_t device) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && sg_client_job(r, &r->client[i]) == job)
      sg_lease_take_back(&r->client[i].lease[device]);
}

bool sg_release_growth(struct sg_region *r, uint32_t device, bool *gave_back) {
  bool any = false;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    const struct sg_job *job = &r->job[j];
    if (!sg_job_active(r, j) || !sg_budget_grows(r, j) || !(job->held_mask & 1u << device) ||
        job->reserved_bytes[device] <= job->budget_bytes[device])
      continue;
    any = true;
    pull_back(r, j, device);
    uint64_t taken = sg_job_in_use(r, j, device) + sg_granted_of_budget(r, j, device);
    uint64_t budget = job->budget_bytes[device], least = taken > budget ? taken : budget;
    if (least >= job->reserved_bytes[device])
      continue;
    sg_account_growth(r, j, device, 0, job->reserved_bytes[device] - least);
    *gave_back = true;
  }
  return any;
}

static bool any_job_holds(const struct sg_region *r) {
  uint32_t budgets = 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    budgets |= r->device[d].held_budgets;
  return budgets != 0;
}

void sg_pull_back_leases(struct sg_region *r) {
  uint32_t end = any_job_holds(r) ? sg_queue_end(r) : 0; /* no job has leases then */
  for (uint32_t i = 0; i < end; i++) {
    const struct sg_waiter *w = &r->waiter[sg_queue_at(r, i)];
    uint32_t job = sg_waiter_job(r, w);
    if (job == SG_NONE || !sg_budget_grows(r, job))
      continue;
    SG_EACH_DEVICE (d, r->job[job].device_mask) {
      sg_lease_take_back(&r->client[sg_waiter_client(w)].lease[d]);
    }
  }
}

bool sg_grow_budget(struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w), device = sg_waiter_device(w);
  if (job == SG_NONE)
    return false;
  pull_back(r, job, device);
  uint64_t left = sg_left_of_budget(r, job, device), more = w->bytes > left ? w->bytes - left : 0;
  if (more > sg_free(&r->device[device]))
    return false;
  sg_account_growth(r, job, device, more, 0);
  return true;
}
