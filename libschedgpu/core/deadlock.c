/*
 * deadlock.c - ondemand holds and waits. A wait that could never end is refused when it would
 * begin: out of memory for one program, instead of a hang for several.
 *
 * A client that waits is taken as blocked until it is served, though another of its threads might
 * free something: refusing a little too early is what the program would see without us. Who holds
 * and who is waited for is never kept back by the policy (turns.c): memory alone decides.
 */
#include "reduction.h"
#include "overflow.h"

/**
 * Contexts stay (Salus, section 3.3.2): who holds memory may not wait for more than fits beside all
 * of them, for those whose contexts they are may come to wait for that memory.
 */
static bool waits_for_contexts(const struct sg_region *r, const struct sg_waiter *w) {
  const struct sg_client *c = &r->client[sg_waiter_client(w)];
  const struct sg_device *device = &r->device[sg_waiter_device(w)];
  uint64_t held = 0, usable = sg_usable(device), contexts = device->context_used_bytes;
  SG_EACH_DEVICE (d, UINT32_MAX) {
    held |= sg_in_use(atomic_load(&c->lease[d]));
  }
  uint64_t own = sg_in_use(atomic_load(&c->lease[sg_waiter_device(w)])) * SG_UNIT_BYTES;
  return held != 0 &&
         (contexts > usable || own > usable - contexts || w->bytes > usable - contexts - own);
}

bool sg_wait_can_end(const struct sg_region *r, uint32_t waiter) {
  uint32_t kind = r->waiter[waiter].kind, job = sg_waiter_job(r, &r->waiter[waiter]);
  bool may_hold = kind == SG_ONDEMAND || (kind == SG_PEAK && sg_overflow_waits(r, job));
  if (job == SG_NONE || !may_hold)
    return true; /* holds nothing but a context, which its admission accounted for */
  if (waits_for_contexts(r, &r->waiter[waiter]))
    return false;
  struct sg_reduction red;
  uint32_t slot = sg_waiter_client(&r->waiter[waiter]);
  sg_reduction_start(r, &red);
  sg_reduction_run(r, &red);
  while (red.blocked[slot] && sg_reduction_serve(r, &red))
    ;
  return !red.blocked[slot];
}
