/*
 * admission.c - jobs are admitted, and with them their contexts.
 *
 * A process keeps its CUDA contexts while it waits for memory. So before a job may wait for memory,
 * the contexts of its processes (one, if the job does not say more) are reserved on each of its
 * devices, all or nothing, and only if beside all contexts the largest budget among the admitted
 * jobs still fits (Salus, section 3.3.2: contexts are persistent, budgets and claims ephemeral
 * memory), and all who hold memory and wait could still be served (deadlock.c). Then whoever waits
 * for memory waits only for admitted jobs, and none of those can need a declared context that is
 * not reserved: no cycle. Who is not admitted waits apart.
 */
#include "rules.h"
#include "overflow.h"

static void raise(uint64_t *place, uint64_t value) {
  if (value > *place)
    *place = value;
}

/** A job without budget is known to need what it holds and the largest of its requests that wait.
 */
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
    raise(&r->job[job].need_bytes[d], r->job[job].held_bytes[d] + w->bytes);
  else if (job != SG_NONE && w->kind == SG_PEAK && sg_overflow_waits(r, job))
    raise(&r->job[job].need_bytes[d],
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
      raise(&r->device[d].largest_need_bytes, r->job[j].need_bytes[d]);
    }
  }
  sg_crash_point();
}

static bool fits_beside(const struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes) {
  const struct sg_device *d = &r->device[device];
  uint64_t contexts = d->context_used_bytes, usable = sg_usable(d);
  uint64_t rest = usable > contexts ? usable - contexts : 0;
  uint64_t need = d->largest_need_bytes;
  raise(&need, r->job[job].need_bytes[device]);
  return bytes <= sg_free(d) && bytes <= rest && need <= rest - bytes;
}

bool sg_context_fits(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w), device = sg_waiter_device(w);
  uint64_t bytes[SCHEDGPU_MAX_DEVICES] = {0};
  bytes[device] = w->bytes;
  return job != SG_NONE && fits_beside(r, job, device, w->bytes) &&
         sg_contexts_leave_a_way_out(r, w, bytes);
}

bool sg_admission_fits(const struct sg_region *r, uint32_t job) {
  uint64_t bytes[SCHEDGPU_MAX_DEVICES] = {0};
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    bytes[d] = sg_admission_bytes(r, job, d);
    if (!fits_beside(r, job, d, bytes[d]))
      return false;
  }
  return sg_contexts_leave_a_way_out(r, NULL, bytes);
}

bool sg_context_covered(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t reserved = sg_admission_bytes(r, job, device), context = r->device[device].context_bytes;
  return r->job[job].admitted && context <= reserved &&
         r->job[job].context_used_bytes[device] <= reserved - context;
}
