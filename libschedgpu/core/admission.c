/*
 * admission.c - jobs are admitted, and with them their contexts.
 *
 * A process keeps its CUDA contexts while it waits for memory. So before a job may wait for memory,
 * the contexts of its processes (one, if the job does not say more) are reserved on each of its
 * devices, all or nothing, and only if beside all contexts the largest budget among the admitted
 * jobs still fits (Salus, section 3.3.2: contexts are persistent, budgets and claims ephemeral
 * memory). Then whoever waits for memory waits only for admitted jobs, and none of those can need a
 * declared context that is not reserved: no cycle. Who is not admitted waits apart.
 */
#include "core.h"

bool sg_context_fits(const struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes) {
  const struct sg_device *d = &r->device[device];
  uint64_t contexts = d->context_used_bytes, usable = sg_usable(d);
  uint64_t rest = usable > contexts ? usable - contexts : 0;
  uint64_t own = sg_committed(r, job, device), largest = d->largest_budget_bytes;
  return bytes <= sg_free(d) && bytes <= rest && (own > largest ? own : largest) <= rest - bytes;
}

bool sg_admission_fits(const struct sg_region *r, uint32_t job) {
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    if (!sg_context_fits(r, job, d, sg_admission_bytes(r, job, d)))
      return false;
  }
  return true;
}

bool sg_context_covered(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t reserved = sg_admission_bytes(r, job, device), context = r->device[device].context_bytes;
  return r->job[job].admitted && context <= reserved &&
         r->job[job].context_used_bytes[device] <= reserved - context;
}
