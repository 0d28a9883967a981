/*
 * banker.c - the banker's condition (Dijkstra, EWD 623): memory is granted to a job only if
 * afterwards every job with a max claim could still get all of its claim, one after the other. So
 * two jobs that each hold a part of what they need cannot block each other (Salus, Figure 6).
 *
 * Contexts count as never released, since their processes may wait for that memory. So a job with a
 * claim is admitted only if the largest claim fits beside all contexts. A context is granted only
 * if all claims could still be granted afterwards (sg_contexts_are_safe).
 */
#include "rules.h"
#include "banker.h"
#include "need.h"

/** The state of the check. The requested bytes count as held. */
struct banker {
  struct sg_reduction *red;
  uint32_t asking, device;
  uint64_t bytes;
  bool must_finish[SCHEDGPU_MAX_JOBS];
};

static uint64_t held(const struct sg_region *r, const struct banker *b, uint32_t job, uint32_t d) {
  return sg_reduction_held(r, b->red, job, d) + (job == b->asking && d == b->device ? b->bytes : 0);
}

static bool holds_memory(const struct sg_region *r, const struct banker *b, uint32_t job) {
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    if (held(r, b, job, d) != 0)
      return true;
  }
  return false;
}

static bool claim_is_covered(const struct sg_region *r, const struct banker *b, uint32_t job) {
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    uint64_t budget = r->job[job].budget_bytes[d], has = held(r, b, job, d);
    if (budget > has && budget - has > b->red->available[d])
      return false;
  }
  return true;
}

/** Lists the jobs that must be able to finish: those with a claim that hold memory. Jobs with a
 * claim take part in the reduction only when they get all of their claim. */
static uint32_t list_unfinished(const struct sg_region *r, struct banker *b) {
  uint32_t n = 0;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    b->red->job[j].excluded = sg_job_active(r, j) && sg_has_claim(r, j);
    b->must_finish[j] = b->red->job[j].excluded && holds_memory(r, b, j);
    n += b->must_finish[j];
  }
  return n;
}

static void finish(const struct sg_region *r, struct banker *b, uint32_t job) {
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    b->red->available[d] += held(r, b, job, d);
  }
  b->must_finish[job] = false;
}

static uint32_t finish_possible(const struct sg_region *r, struct banker *b) {
  uint32_t n = 0;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (b->must_finish[j] && claim_is_covered(r, b, j)) {
      finish(r, b, j);
      n++;
    }
  return n;
}

static bool can_all_finish(const struct sg_region *r, struct banker *b) {
  uint32_t left = list_unfinished(r, b);
  b->red->keep_contexts = true;
  sg_reduction_run(r, b->red);
  for (bool changed = true; left > 0 && changed;) {
    uint32_t finished = finish_possible(r, b);
    left -= finished;
    changed = finished > 0 || sg_reduction_serve(r, b->red, sg_need_is_free);
  }
  return left == 0;
}

bool sg_claims_are_covered(const struct sg_region *r, struct sg_reduction *red,
                           const struct sg_waiter *w) {
  struct banker b = {.red = red, .asking = SG_NONE};
  if (w) {
    b.asking = sg_waiter_job(r, w);
    b.device = sg_waiter_device(w);
    b.bytes = w->bytes;
    if (b.asking == SG_NONE || !sg_has_claim(r, b.asking))
      return true;
    if (b.bytes > red->available[b.device])
      return false;
    red->available[b.device] -= b.bytes;
  }
  return can_all_finish(r, &b);
}

bool sg_grant_is_safe(const struct sg_region *r, const struct sg_waiter *w) {
  struct sg_reduction red;
  uint32_t job = sg_waiter_job(r, w);
  if (job == SG_NONE || !sg_has_claim(r, job))
    return true;
  sg_reduction_start(r, &red);
  return sg_claims_are_covered(r, &red, w);
}
