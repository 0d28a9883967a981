/*
 * fits.c - whether a request can be granted now. All that the grant would reserve must be free. A
 * context must also leave room for the largest need, and a safe state; ondemand memory must leave a
 * safe state.
 *
 * A process keeps its CUDA contexts while it waits for memory. So a job is admitted before it may
 * wait for memory: the contexts of all its declared processes (1 by default) are reserved on each
 * of its devices, all or nothing. It is admitted only if two conditions hold. Beside all contexts,
 * the largest budget among the admitted jobs still fits (Salus, section 3.3.2: contexts are
 * persistent, budgets and claims ephemeral memory). And every process that holds memory and waits
 * can still be served (deadlock.c). Then a process that waits for memory waits only for admitted
 * jobs. None of those can need a declared context that is not reserved, so there is no cycle. Jobs
 * that are not admitted wait in another queue.
 */
#include "account.h"
#include "need.h"
#include "rules.h"

static bool declared_contexts_are_free(const struct sg_region *r, uint32_t job) {
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    if (sg_admission_bytes(r, job, d) > sg_free(&r->device[d]))
      return false;
  }
  return true;
}

bool sg_has_room(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w);
  if (job == SG_NONE || !sg_device_present(r, sg_waiter_device(w)))
    return false;
  return r->job[job].admitted ? sg_need_is_free(r, NULL, w) : declared_contexts_are_free(r, job);
}

static bool fits_beside_needs(const struct sg_region *r, uint32_t job, uint32_t device,
                              uint64_t bytes) {
  const struct sg_device *d = &r->device[device];
  uint64_t contexts = d->context_used_bytes, usable = sg_usable(d);
  uint64_t rest = usable > contexts ? usable - contexts : 0;
  uint64_t own = r->job[job].need_bytes[device], largest = d->largest_need_bytes;
  return bytes <= rest && (own > largest ? own : largest) <= rest - bytes;
}

/** True if the contexts fit: the requested one if the job is admitted, else all that it
 * declared. */
static bool contexts_fit(const struct sg_region *r, const struct sg_waiter *w, uint32_t job) {
  bool one = r->job[job].admitted;
  uint64_t bytes[SCHEDGPU_MAX_DEVICES] = {0};
  SG_EACH_DEVICE (d, one ? 1u << sg_waiter_device(w) : r->job[job].device_mask) {
    bytes[d] = one ? w->bytes : sg_admission_bytes(r, job, d);
    if (!fits_beside_needs(r, job, d, bytes[d]))
      return false;
  }
  return sg_contexts_are_safe(r, one ? w : NULL, bytes);
}

bool sg_fits(const struct sg_region *r, const struct sg_waiter *w) {
  if (!sg_has_room(r, w))
    return false;
  uint32_t job = sg_waiter_job(r, w);
  if (!r->job[job].admitted || w->kind == SG_CONTEXT)
    return sg_is_covered(r, NULL, w) || contexts_fit(r, w, job);
  return sg_grant_is_safe(r, w);
}
