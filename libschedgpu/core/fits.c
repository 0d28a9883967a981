/* fits.c - whether a request could be granted now. */
#include "rules.h"
#include "overflow.h"

static bool budgets_fit(const struct sg_region *r, const struct sg_job *job) {
  SG_EACH_DEVICE (d, job->device_mask) {
    if (job->budget_bytes[d] > sg_free(&r->device[d]))
      return false;
  }
  return true;
}

static bool has_room_to_be_admitted(const struct sg_region *r, uint32_t job) {
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    if (sg_admission_bytes(r, job, d) > sg_free(&r->device[d]))
      return false;
  }
  return true;
}

bool sg_has_room(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w), device = sg_waiter_device(w);
  if (job == SG_NONE || !sg_device_present(r, device))
    return false;
  if (!r->job[job].admitted)
    return has_room_to_be_admitted(r, job);
  if (w->kind == SG_PEAK)
    return sg_overflow_waits(r, job) || r->job[job].held_mask != 0 || budgets_fit(r, &r->job[job]);
  return w->bytes <= sg_free(&r->device[device]) ||
         (w->kind == SG_CONTEXT && sg_context_covered(r, job, device));
}

bool sg_memory_is_free(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w);
  if (w->kind == SG_ONDEMAND || job == SG_NONE)
    return w->bytes <= sg_free(&r->device[sg_waiter_device(w)]);
  if (sg_overflow_waits(r, job))
    return sg_overflow_fits(r, w);
  return r->job[job].held_mask != 0 || budgets_fit(r, &r->job[job]);
}

bool sg_fits(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w), device = sg_waiter_device(w);
  if (job == SG_NONE || !sg_device_present(r, device))
    return false;
  if (!r->job[job].admitted)
    return sg_admission_fits(r, job);
  switch (w->kind) {
  case SG_PEAK:
    return sg_memory_is_free(r, w);
  case SG_ONDEMAND:
    return sg_memory_is_free(r, w) && sg_grant_is_safe(r, w);
  case SG_CONTEXT:
    return sg_context_covered(r, job, device) || sg_context_fits(r, w);
  default:
    return false;
  }
}
