/*
 * deadlock.c - the safety of ondemand memory: a process may hold memory and wait for more. A wait
 * that could never end is refused when it begins: one program gets an out-of-memory error, instead
 * of several programs that hang.
 *
 * Contexts count as never released (Salus, section 3.3.2): a process with a context may come to
 * wait for that very memory. The invariant: from any state, beside all contexts, every process that
 * holds memory and waits can still be served. Two rules keep it. A wait that would break it is
 * refused, and a context that would break it is not granted.
 *
 * A waiting process counts as blocked until it is served, although another of its threads might
 * free memory. So a wait may be refused a little too early; without schedGPU the program would see
 * the same error. The policy never delays a process that holds memory for which others wait
 * (scan.c): only free memory decides.
 */
#include "rules.h"
#include "banker.h"
#include "need.h"

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
  return job != SG_NONE && (!sg_reserves_whole_budget(r, job) || sg_budget_grows(r, job));
}

/** True if the request fits and, for a job with a claim, leaves a safe state. */
static bool can_be_served(const struct sg_region *r, const struct sg_reduction *red,
                          const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w);
  if (!sg_need_is_free(r, red, w))
    return false;
  if (w->kind != SG_ONDEMAND || job == SG_NONE || !sg_has_claim(r, job))
    return true;
  struct sg_reduction used_up = *red;
  return sg_claims_are_covered(r, &used_up, w);
}

static void run_all(const struct sg_region *r, struct sg_reduction *red) {
  sg_reduction_run(r, red);
  while (sg_reduction_serve(r, red, can_be_served))
    ;
}

bool sg_holds_and_waits(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t slot = sg_waiter_client(w);
  return w->kind != SG_CONTEXT && may_hold_and_wait(r, slot) && holds_memory(r, slot);
}

/** Counts contexts as released if the process holds no memory: no process waits for its memory
 * then. */
bool sg_wait_can_end(const struct sg_region *r, uint32_t waiter) {
  uint32_t slot = sg_waiter_client(&r->waiter[waiter]);
  bool memory = r->waiter[waiter].kind != SG_CONTEXT;
  if (!memory || !may_hold_and_wait(r, slot))
    return true; /* its admission has reserved all that it may need */
  struct sg_reduction red;
  sg_reduction_start(r, &red);
  red.keep_contexts = holds_memory(r, slot);
  run_all(r, &red);
  return !red.process[slot].blocked;
}

/** True if the job could deadlock: it holds memory, and it waits or may claim more. */
static bool may_deadlock(const struct sg_region *r, uint32_t job) {
  const struct sg_job *j = &r->job[job];
  if (sg_reserves_whole_budget(r, job))
    return sg_budget_grows(r, job) && j->held_mask != 0 && j->waiting != 0;
  uint64_t held = 0;
  SG_EACH_DEVICE (d, j->device_mask) {
    held |= j->held_bytes[d];
  }
  return held != 0 && (j->waiting != 0 || sg_has_claim(r, job));
}

static bool any_may_deadlock(const struct sg_region *r) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_active(r, j) && may_deadlock(r, j))
      return true;
  return false;
}

/** Contexts of `bytes` on each device. They belong to the request `granted` unless that is NULL. */
struct extra_contexts {
  const struct sg_waiter *granted;
  const uint64_t *bytes;
};

/** False if the bytes are not available. */
static bool take(struct sg_reduction *red, const uint64_t bytes[SCHEDGPU_MAX_DEVICES]) {
  SG_EACH_DEVICE (d, UINT32_MAX) {
    if (bytes[d] > red->available[d])
      return false;
    red->available[d] -= bytes[d];
  }
  return true;
}

/** Starts a reduction with `more` granted, if it is not NULL. False if `more` does not fit. */
static bool start_with(const struct sg_region *r, struct sg_reduction *red,
                       const struct extra_contexts *more) {
  sg_reduction_start(r, red);
  if (more && more->granted)
    red->process[sg_waiter_client(more->granted)].blocked = false;
  return !more || take(red, more->bytes);
}

/** Finds the deadlocked processes that hold memory. Computes them from scratch: the stack of a
 * program's thread has room for one reduction only. */
static bool find_deadlocked(const struct sg_region *r, const struct extra_contexts *more,
                            bool deadlocked[SG_SLOTS]) {
  struct sg_reduction red;
  if (!start_with(r, &red, more))
    return false;
  red.keep_contexts = true;
  run_all(r, &red);
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    deadlocked[i] = red.process[i].blocked && r->client[i].state == SG_ACTIVE &&
                    may_hold_and_wait(r, i) && holds_memory(r, i);
  return true;
}

/** True if the grant deadlocks no process that is not deadlocked already. */
static bool deadlocks_none(const struct sg_region *r, const struct extra_contexts *more) {
  bool with[SG_SLOTS], without[SG_SLOTS], some = false;
  if (!find_deadlocked(r, more, with))
    return false;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    some |= with[i];
  if (!some)
    return true;
  find_deadlocked(r, NULL, without);
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (with[i] && !without[i])
      return false;
  return true;
}

static bool is_safe(const struct sg_region *r, const struct extra_contexts *more) {
  struct sg_reduction red;
  return start_with(r, &red, more) && sg_claims_are_covered(r, &red, NULL);
}

/** True if the grant keeps the state safe. A state that is already unsafe (after a repair) does not
 * count against the grant. */
static bool keeps_safe(const struct sg_region *r, const struct extra_contexts *more) {
  return is_safe(r, more) || !is_safe(r, NULL);
}

bool sg_contexts_are_safe(const struct sg_region *r, const struct sg_waiter *granted,
                          const uint64_t bytes[SCHEDGPU_MAX_DEVICES]) {
  const struct extra_contexts more = {.granted = granted, .bytes = bytes};
  return !any_may_deadlock(r) || (keeps_safe(r, &more) && deadlocks_none(r, &more));
}
