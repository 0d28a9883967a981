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
};

static bool blocks(const struct sg_waiter *w) {
  return w->state == SG_WAITING && w->client < SG_SLOTS;
}

static bool job_can_go_on(const struct sg_region *r, const struct reduction *red, uint32_t job) {
  bool has_client = false;
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    if (r->client[i].state != SG_ACTIVE || r->client[i].job != job)
      continue;
    has_client = true;
    if (!red->blocked[i])
      return true;
  }
  return !has_client;
}

static void give_up(const struct sg_region *r, struct reduction *red, uint32_t slot) {
  const struct sg_client *c = &r->client[slot];
  bool peak = sg_job_active(r, c->job) && r->job[c->job].mode == SCHEDGPU_MODE_PEAK;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    red->available[d] +=
        c->contexts[d] + (peak ? 0 : sg_leased(atomic_load(&c->lease[d])) * SG_UNIT_BYTES);
}

static void start(const struct sg_region *r, struct reduction *red) {
  *red = (struct reduction){0};
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    red->available[d] = sg_free(&r->device[d]);
  for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (blocks(w))
      red->blocked[w->client] = true;
    else if (w->state == SG_GRANTED && w->kind != SG_PEAK && w->device < SCHEDGPU_MAX_DEVICES)
      red->available[w->device] += w->bytes;
  }
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && !red->blocked[i])
      give_up(r, red, i);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
      if (sg_job_active(r, j) && (r->job[j].held_mask & 1u << d) && job_can_go_on(r, red, j))
        red->available[d] += r->job[j].reserved_bytes[d];
}

static bool could_be_served(const struct sg_region *r, const struct reduction *red,
                            const struct sg_waiter *w) {
  if (w->kind != SG_PEAK)
    return w->device < SCHEDGPU_MAX_DEVICES && w->bytes <= red->available[w->device];
  if (!sg_job_active(r, w->job))
    return true;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((w->device_mask & 1u << d) && r->job[w->job].budget_bytes[d] > red->available[d])
      return false;
  return true;
}

bool sg_wait_can_end(const struct sg_region *r, uint32_t waiter) {
  if (r->waiter[waiter].kind != SG_ONDEMAND)
    return true; /* holds nothing but a context, which its admission accounted for */
  struct reduction red;
  start(r, &red);
  uint32_t slot = r->waiter[waiter].client;
  bool changed = true;
  while (changed && red.blocked[slot]) {
    changed = false;
    for (uint32_t i = 0; i < sg_waiters_end(r); i++) {
      const struct sg_waiter *w = &r->waiter[i];
      if (!blocks(w) || !red.blocked[w->client] || !could_be_served(r, &red, w))
        continue;
      red.blocked[w->client] = false;
      give_up(r, &red, w->client);
      changed = true;
    }
  }
  return !red.blocked[slot];
}
