/* need.c - see need.h. The modes differ only in what they reserve, and for how long. */
#include "account.h"
#include "growth.h"
#include "need.h"
#include "../lanes/lanes.h"

static bool is_admitted(const struct sg_region *r, uint32_t job) {
  return job != SG_NONE && r->job[job].admitted;
}

bool sg_is_covered(const struct sg_region *r, const struct sg_reduction *red,
                   const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w), d = sg_waiter_device(w);
  if (w->kind != SG_CONTEXT || !is_admitted(r, job))
    return false;
  uint64_t reserved = sg_admission_bytes(r, job, d);
  uint64_t contexts =
      red ? sg_reduction_contexts(r, red, job, d) : r->job[job].context_used_bytes[d];
  return w->bytes <= reserved && contexts <= reserved - w->bytes;
}

uint64_t sg_need_with_budget(const struct sg_region *r, const struct sg_waiter *w,
                             uint32_t device) {
  uint32_t job = sg_waiter_job(r, w);
  if (job == SG_NONE)
    /* the job has just ended: a report without the lock shows the requested bytes */
    return w->bytes;
  uint64_t budget = r->job[job].budget_bytes[device];
  bool more = sg_budget_grows(r, job) && device == sg_waiter_device(w) && w->bytes > budget;
  return more ? w->bytes : budget;
}

uint64_t sg_request_size(const struct sg_region *r, const struct sg_waiter *w) {
  uint64_t size = 0;
  if (w->kind != SG_PEAK)
    return w->bytes;
  SG_EACH_DEVICE (d, w->device_mask) {
    size += sg_need_with_budget(r, w, d);
  }
  return size;
}

static bool holds(const struct sg_region *r, const struct sg_reduction *red, uint32_t job) {
  return is_admitted(r, job) && r->job[job].held_mask != 0 &&
         !(red && red->job[job].budget_released);
}

/** Bytes that the request needs beyond the rest of the held budget. */
static uint64_t lacks(const struct sg_region *r, const struct sg_reduction *red,
                      const struct sg_waiter *w, uint32_t job, uint32_t device) {
  if (!sg_budget_grows(r, job) || device != sg_waiter_device(w))
    return 0;
  uint64_t left = red ? sg_reduction_left(r, red, job, device) : sg_left_of_budget(r, job, device);
  return w->bytes > left ? w->bytes - left : 0;
}

uint64_t sg_need(const struct sg_region *r, const struct sg_reduction *red,
                 const struct sg_waiter *w, uint32_t device) {
  uint32_t job = sg_waiter_job(r, w);
  if (w->kind != SG_PEAK)
    return device != sg_waiter_device(w) || sg_is_covered(r, red, w) ? 0 : w->bytes;
  if (job != SG_NONE && holds(r, red, job))
    return lacks(r, red, w, job, device);
  /* a reduction releases the lanes with their members */
  return job != SG_NONE && !red && sg_is_lane_job(r, job) ? sg_lane_need(r, job)
                                                          : sg_need_with_budget(r, w, device);
}

static uint64_t free_of(const struct sg_region *r, const struct sg_reduction *red, uint32_t d) {
  return red ? sg_reduction_free(red, d) : sg_free(&r->device[d]);
}

bool sg_need_is_free(const struct sg_region *r, const struct sg_reduction *red,
                     const struct sg_waiter *w) {
  if (w->kind != SG_PEAK) /* a short cut: a scan calls this for each waiter */
    return w->bytes <= free_of(r, red, sg_waiter_device(w)) ||
           (w->kind == SG_CONTEXT && sg_is_covered(r, red, w));
  SG_EACH_DEVICE (d, w->device_mask) {
    if (sg_need(r, red, w, d) > free_of(r, red, d))
      return false;
  }
  return true;
}
