/*
 * outside.c - memory in use that nobody reserved: of programs that go around us, and of programs of
 * no job. The root side measures and sets it; it may be more than what is free. The fields are not
 * sealed: they change often, and who measures says them again.
 */
#include "history.h"

static uint64_t bounded(const struct sg_region *r, uint32_t device, uint64_t bytes) {
  uint64_t total = r->device[device].total_bytes, rounded = sg_round_up(bytes);
  return !sg_device_present(r, device) ? 0 : rounded < total ? rounded : total;
}

uint64_t sg_overrun(const struct sg_region *r, uint32_t job, uint32_t device) {
  return bounded(r, device, r->job[job].overrun_bytes[device]);
}

uint64_t sg_foreign(const struct sg_region *r, uint32_t device) {
  return bounded(r, device, r->device[device].foreign_bytes);
}

uint64_t sg_granted_bytes(const struct sg_device *d) {
  return d->used_bytes > d->outside_bytes ? d->used_bytes - d->outside_bytes : 0;
}

void sg_forget_overruns(struct sg_region *r, uint32_t job) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (r->job[job].overrun_bytes[d] != sg_overrun(r, job, d))
      SG_PUT(r->job[job].overrun_bytes[d], 0);
}

void sg_forget_foreign(struct sg_region *r, uint32_t device) {
  if (r->device[device].foreign_bytes != sg_foreign(r, device))
    SG_PUT(r->device[device].foreign_bytes, 0);
}

int sg_set_overrun(struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes,
                   uint64_t now_ns, struct sg_wakes *wakes) {
  if (!sg_job_active(r, job))
    return SCHEDGPU_ENOJOB;
  if (!sg_device_present(r, device))
    return SCHEDGPU_EDEVICE;
  uint64_t before = sg_overrun(r, job, device), after = bounded(r, device, bytes);
  SG_PUT(r->job[job].overrun_bytes[device], after);
  sg_account_outside(r, device, after, before);
  if (after != 0)
    sg_peak_note(r, job, device, sg_held_by(r, job, device) + after); /* what it uses beyond */
  sg_serve(r, now_ns, wakes); /* more of it frees nothing, but may end that somebody is kept back */
  return SCHEDGPU_OK;
}

int sg_set_foreign(struct sg_region *r, uint32_t device, uint64_t bytes, uint64_t now_ns,
                   struct sg_wakes *wakes) {
  if (!sg_device_present(r, device))
    return SCHEDGPU_EDEVICE;
  uint64_t before = sg_foreign(r, device), after = bounded(r, device, bytes);
  SG_PUT(r->device[device].foreign_bytes, after);
  sg_account_outside(r, device, after, before);
  sg_serve(r, now_ns, wakes);
  return SCHEDGPU_OK;
}
