/*
 * unreserved.c - reads of the unreserved memory in the region. Its fields are not sealed: they
 * change often, and the next measurement sets them again.
 */
#include "account.h"

uint64_t sg_unreserved_bounded(const struct sg_region *r, uint32_t device, uint64_t bytes) {
  uint64_t total = r->device[device].total_bytes, rounded = sg_round_up(bytes);
  return !sg_device_present(r, device) ? 0 : rounded < total ? rounded : total;
}

uint64_t sg_overrun(const struct sg_region *r, uint32_t job, uint32_t device) {
  return sg_unreserved_bounded(r, device, r->job[job].overrun_bytes[device]);
}

uint64_t sg_foreign(const struct sg_region *r, uint32_t device) {
  return sg_unreserved_bounded(r, device, r->device[device].foreign_bytes);
}

uint64_t sg_granted_bytes(const struct sg_device *d) {
  return d->used_bytes > d->unreserved_bytes ? d->used_bytes - d->unreserved_bytes : 0;
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
