/*
 * deadlock.c - ondemand holds and waits. A wait that could never end is refused when it would
 * begin: out of memory for one program, instead of a hang for several.
 *
 * Contexts stay (Salus, section 3.3.2): those whose contexts they are may come to wait for the very
 * memory. So from any state on, beside all contexts, everybody who holds memory and waits can be
 * served: kept by refusing the wait of whoever would end that, and by giving no context that would.
 *
 * A client that waits is taken as blocked until it is served, though another of its threads might
 * free something: refusing a little too early is what the program would see without us. Who holds
 * and who is waited for is never kept back by the policy (turns.c): memory alone decides.
 */
#include "reduction.h"
#include "overflow.h"

static bool holds_memory(const struct sg_region *r, uint32_t slot) {
  const struct sg_client *c = &r->client[slot];
  uint64_t held = 0;
  SG_EACH_DEVICE (d, UINT32_MAX) {
    held |= sg_in_use(atomic_load(&c->lease[d]));
  }
  return held != 0;
}

static bool may_hold_and_wait(const struct sg_region *r, uint32_t slot) {
  uint32_t job = sg_client_job(r, &r->client[slot]);
  return job != SG_NONE && (!sg_job_whole(r, job) || sg_overflow_waits(r, job));
}

static void run_all(const struct sg_region *r, struct sg_reduction *red) {
  sg_reduction_run(r, red);
  while (sg_reduction_serve(r, red))
    ;
}

/** Who holds nothing may wait for contexts, too: nobody waits for its memory. */
bool sg_wait_can_end(const struct sg_region *r, uint32_t waiter) {
  uint32_t slot = sg_waiter_client(&r->waiter[waiter]);
  bool memory = r->waiter[waiter].kind != SG_CONTEXT;
  if (!memory || !may_hold_and_wait(r, slot))
    return true; /* needs no more than its admission accounted for */
  struct sg_reduction red;
  sg_reduction_start(r, &red);
  red.contexts_stay = holds_memory(r, slot);
  run_all(r, &red);
  return !red.blocked[slot];
}

static bool claims_are_safe(const struct sg_region *r, struct sg_reduction *red) {
  return sg_claims_are_covered(r, red, NULL);
}

static bool all_holders_can_end(const struct sg_region *r, struct sg_reduction *red) {
  red->contexts_stay = true;
  run_all(r, red);
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && red->blocked[i] && may_hold_and_wait(r, i) &&
        holds_memory(r, i))
      return false;
  return true;
}

/** Only who holds and waits, or may claim more, can be stopped. */
static bool could_be_stopped(const struct sg_region *r, uint32_t job) {
  const struct sg_job *j = &r->job[job];
  if (sg_job_whole(r, job))
    return sg_overflow_waits(r, job) && j->held_mask != 0 && j->waiting != 0;
  uint64_t held = 0;
  SG_EACH_DEVICE (d, j->device_mask) {
    held |= j->held_bytes[d];
  }
  return held != 0 && (j->waiting != 0 || sg_has_claim(r, job));
}

static bool somebody_could_be_stopped(const struct sg_region *r) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_active(r, j) && could_be_stopped(r, j))
      return true;
  return false;
}

/** A context, of the request `granted` if it is not NULL, of so many bytes on each device. */
struct one_more {
  const struct sg_waiter *granted;
  const uint64_t *bytes;
};

/** False if there is no room for it. */
static bool add(const struct sg_region *r, struct sg_reduction *red, const struct one_more *more) {
  if (more->granted)
    sg_reduction_grant(r, red, more->granted);
  SG_EACH_DEVICE (d, UINT32_MAX) {
    if (more->bytes[d] > red->available[d])
      return false;
    red->available[d] -= more->bytes[d];
  }
  return true;
}

enum verdict { NO_ROOM, BROKEN, KEPT };

/** Of a rule, with `more`, or as things are if it is NULL. Each time begun anew: this runs on the
 * stacks of programs' threads, where one reduction is large enough. */
static enum verdict judge(const struct sg_region *r, const struct one_more *more,
                          bool (*rule)(const struct sg_region *r, struct sg_reduction *red)) {
  struct sg_reduction red;
  sg_reduction_start(r, &red);
  if (more && !add(r, &red, more))
    return NO_ROOM;
  return rule(r, &red) ? KEPT : BROKEN;
}

/** Where it is broken anyway (after a repair), it is not this context that breaks it. */
static bool stays_kept(const struct sg_region *r, const struct one_more *more,
                       bool (*rule)(const struct sg_region *r, struct sg_reduction *red)) {
  enum verdict with = judge(r, more, rule);
  return with == KEPT || (with == BROKEN && judge(r, NULL, rule) == BROKEN);
}

bool sg_contexts_leave_a_way_out(const struct sg_region *r, const struct sg_waiter *granted,
                                 const uint64_t bytes[SCHEDGPU_MAX_DEVICES]) {
  const struct one_more more = {granted, bytes};
  if (!somebody_could_be_stopped(r))
    return true;
  return stays_kept(r, &more, claims_are_safe) && stays_kept(r, &more, all_holders_can_end);
}
