/*
 * outside.c - memory in use that nobody reserved: of programs that go around us, and of programs of
 * no job. The root side measures and sets it; it may be more than what is free.
 */
#include "core.h"
#include "history.h"

int sg_set_overrun(struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes,
                   uint64_t now_ns, struct sg_wakes *wakes) {
  if (!sg_job_active(r, job))
    return SCHEDGPU_ENOJOB;
  if (!sg_device_present(r, device))
    return SCHEDGPU_EDEVICE;
  uint64_t before = sg_overrun(r, job, device), after = sg_outside_bounded(r, device, bytes);
  SG_PUT(r->job[job].overrun_bytes[device], after);
  sg_account_outside(r, device, after, before);
  if (after != 0)
    sg_peak_note(r, job, device, sg_held_by(r, job, device) + after); /* what it uses beyond */
  sg_serve(r, now_ns,
           wakes); /* more of it frees nothing, but a request may block the queue no longer */
  return SCHEDGPU_OK;
}

int sg_set_foreign(struct sg_region *r, uint32_t device, uint64_t bytes, uint64_t now_ns,
                   struct sg_wakes *wakes) {
  if (!sg_device_present(r, device))
    return SCHEDGPU_EDEVICE;
  uint64_t before = sg_foreign(r, device), after = sg_outside_bounded(r, device, bytes);
  SG_PUT(r->device[device].foreign_bytes, after);
  sg_account_outside(r, device, after, before);
  sg_serve(r, now_ns, wakes);
  return SCHEDGPU_OK;
}
