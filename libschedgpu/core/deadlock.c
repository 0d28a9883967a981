/*
 * deadlock.c - ondemand holds and waits. A wait that could never end is refused when it would
 * begin: out of memory for one program, instead of a hang for several.
 *
 * A client that waits is taken as blocked until it is served, though another of its threads might
 * free something: refusing a little too early is what the program would see without us. The
 * reduction is the classical one (everybody who can go on gives back what he holds; repeat).
 */
#include "core.h"

struct reduction {
  uint64_t available[SCHEDGPU_MAX_DEVICES];
  bool blocked[SG_SLOTS];
  bool budget_back[SCHEDGPU_MAX_JOBS]; /**< its held budget is among what is available */
};

static bool job_can_go_on(const struct sg_region *r, const struct reduction *red, uint32_t job) {
  bool has_client = false;
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    if (r->client[i].state != SG_ACTIVE || sg_client_job(r, &r->client[i]) != job)
      continue;
    has_client = true;
    if (!red->blocked[i])
      return true;
  }
  return !has_client;
}

static void give_budget_back(const struct sg_region *r, struct reduction *red, uint32_t job) {
  if (job == SG_NONE || red->budget_back[job] || !job_can_go_on(r, red, job))
    return;
  red->budget_back[job] = true;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (r->job[job].held_mask & 1u << d)
      red->available[d] += r->job[job].reserved_bytes[d];
}

static void go_on(const struct sg_region *r, struct reduction *red, uint32_t slot) {
  const struct sg_client *c = &r->client[slot];
  uint32_t job = sg_client_job(r, c);
  bool leases = job != SG_NONE && !sg_job_peak(r, job);
  red->blocked[slot] = false;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    red->available[d] +=
        c->contexts[d] + (leases ? sg_leased(atomic_load(&c->lease[d])) * SG_UNIT_BYTES : 0);
  give_budget_back(r, red, job);
}

static void start(const struct sg_region *r, struct reduction *red) {
  *red = (struct reduction){0};
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    red->available[d] = sg_free(&r->device[d]);
  for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (w->state == SG_WAITING)
      red->blocked[sg_waiter_client(w)] = true;
    else if (w->state == SG_GRANTED && w->kind == SG_ONDEMAND)
      red->available[sg_waiter_device(w)] += w->bytes;
  }
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && !red->blocked[i])
      go_on(r, red, i);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_active(r, j))
      give_budget_back(r, red, j); /* held by a job without processes, too */
}

/**
 * By memory alone. The policy may keep back who holds nothing, which changes nothing here; who
 * holds is never kept back (sg_policy_next).
 */
static bool could_be_served(const struct sg_region *r, const struct reduction *red,
                            const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w);
  if (job == SG_NONE)
    return true;
  if (w->kind != SG_PEAK)
    return w->bytes <= red->available[sg_waiter_device(w)];
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((w->device_mask & 1u << d) && r->job[job].budget_bytes[d] > red->available[d])
      return false;
  return true;
}

bool sg_wait_can_end(const struct sg_region *r, uint32_t waiter) {
  if (r->waiter[waiter].kind != SG_ONDEMAND)
    return true; /* holds nothing but a context, which its admission accounted for */
  struct reduction red;
  start(r, &red);
  uint32_t slot = sg_waiter_client(&r->waiter[waiter]);
  for (bool changed = true; changed && red.blocked[slot];) {
    changed = false;
    for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
      const struct sg_waiter *w = &r->waiter[i];
      uint32_t client = sg_waiter_client(w);
      if (w->state != SG_WAITING || !red.blocked[client] || !could_be_served(r, &red, w))
        continue;
      go_on(r, &red, client);
      changed = true;
    }
  }
  return !red.blocked[slot];
}
