/*
 * unreserved_set.c - sets unreserved memory: what programs use without asking schedGPU, and what
 * programs of no job use. The root side measures it. It may exceed the free memory.
 */
#include "core.h"
#include "../history/history.h"

int sg_set_overrun(struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes,
                   uint64_t now_ns, struct sg_wakes *wakes) {
  if (!sg_job_active(r, job))
    return SCHEDGPU_ENOJOB;
  if (!sg_device_present(r, device))
    return SCHEDGPU_EDEVICE;
  uint64_t before = sg_overrun(r, job, device), after = sg_unreserved_bounded(r, device, bytes);
  SG_PUT(r->job[job].overrun_bytes[device], after);
  sg_account_unreserved(r, device, after, before);
  if (after != 0)
    /* beside its contexts the job may use what it holds and, beyond that, the overrun */
    sg_peak_note(r, job, device,
                 sg_held_by(r, job, device) - sg_context_cost(r, job, device) + after);
  sg_serve(r, now_ns, wakes); /* a request that no longer fits may have blocked the queue */
  return SCHEDGPU_OK;
}

int sg_set_foreign(struct sg_region *r, uint32_t device, uint64_t bytes, uint64_t now_ns,
                   struct sg_wakes *wakes) {
  if (!sg_device_present(r, device))
    return SCHEDGPU_EDEVICE;
  uint64_t before = sg_foreign(r, device), after = sg_unreserved_bounded(r, device, bytes);
  SG_PUT(r->device[device].foreign_bytes, after);
  sg_account_unreserved(r, device, after, before);
  sg_serve(r, now_ns, wakes);
  return SCHEDGPU_OK;
}
