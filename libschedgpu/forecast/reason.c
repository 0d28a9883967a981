/* reason.c - why a request waits, by the same rules that decide it: schedgpu_forecast_reason(). */
#include "../core/rules/need.h"
#include "forecast.h"

static bool lacks_memory(const struct sg_region *r, const struct sg_waiter *w, uint32_t d) {
  uint64_t needed = w->kind == SG_PEAK ? r->job[sg_waiter_job(r, w)].budget_bytes[d] : w->bytes;
  return needed > sg_free(&r->device[d]);
}

/** The first of its devices that lacks memory, else the device that the request names. */
static uint32_t lacking_device(const struct sg_region *r, const struct sg_waiter *w) {
  SG_EACH_DEVICE (d, sg_waiter_mask(r, w)) {
    if (lacks_memory(r, w, d))
      return d;
  }
  return sg_waiter_device(w);
}

static void why_it_does_not_fit(const struct sg_region *r, const struct sg_waiter *w,
                                struct schedgpu_reason *reason) {
  reason->device = lacking_device(r, w);
  if (!r->job[sg_waiter_job(r, w)].admitted)
    reason->why = SCHEDGPU_WHY_NOT_ADMITTED;
  else if (w->kind == SG_CONTEXT)
    reason->why = SCHEDGPU_WHY_CONTEXT;
  else
    reason->why = sg_need_is_free(r, NULL, w) ? SCHEDGPU_WHY_UNSAFE : SCHEDGPU_WHY_MEMORY;
}

static void blame(const struct sg_region *r, uint32_t index, uint32_t other, bool kept,
                  struct schedgpu_reason *reason) {
  const struct sg_waiter *w = &r->waiter[index], *o = &r->waiter[other];
  reason->ticket = o->ticket;
  bool younger = o->priority == w->priority && o->ticket > w->ticket;
  bool smaller = younger && sg_request_size(r, o) < sg_request_size(r, w);
  reason->why = kept                        ? SCHEDGPU_WHY_KEPT
                : o->priority > w->priority ? SCHEDGPU_WHY_PRIORITY
                : smaller                   ? SCHEDGPU_WHY_SMALLER
                                            : SCHEDGPU_WHY_OLDER;
}

static void why_it_is_passed_over(const struct sg_region *r, uint32_t index,
                                  struct schedgpu_reason *reason) {
  struct sg_running running;
  struct sg_scan scan;
  running.valid = false;
  SG_EACH_DEVICE (d, sg_waiter_mask(r, &r->waiter[index])) {
    sg_scan_start(&scan, &(struct sg_queue){r, d, sg_queue_of(r, &r->waiter[index])}, &running);
    uint32_t next = sg_scan_next(&scan), other = next != SG_NONE ? next : scan.blocker;
    if (next == index)
      continue;
    reason->device = d;
    if (other != SG_NONE)
      blame(r, index, other, sg_scan_is_at_bound(&scan), reason);
    return;
  }
}

void schedgpu_forecast_reason(schedgpu_forecast *f, uint64_t ticket,
                              struct schedgpu_reason *reason) {
  struct sg_region *r = &f->region;
  uint32_t index = sg_forecast_find(f, ticket);
  *reason = (struct schedgpu_reason){.why = SCHEDGPU_WHY_GONE};
  if (index == SG_NONE || sg_waiter_job(r, &r->waiter[index]) == SG_NONE)
    return;
  const struct sg_waiter *w = &r->waiter[index];
  *reason = (struct schedgpu_reason){.why = SCHEDGPU_WHY_NEXT, .device = sg_waiter_device(w)};
  sg_note_needs(r); /* the sums by which an admission is decided */
  if (sg_fits(r, w))
    why_it_is_passed_over(r, index, reason);
  else
    why_it_does_not_fit(r, w, reason);
}
