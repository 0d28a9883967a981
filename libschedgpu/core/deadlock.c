/*
 * deadlock.c - ondemand holds and waits. A wait that could never end is refused when it would
 * begin: out of memory for one program, instead of a hang for several.
 *
 * A client that waits is taken as blocked until it is served, though another of its threads might
 * free something: refusing a little too early is what the program would see without us. Who holds
 * and who is waited for is never kept back by the policy (turns.c): memory alone decides.
 */
#include "reduction.h"

bool sg_wait_can_end(const struct sg_region *r, uint32_t waiter) {
  if (r->waiter[waiter].kind != SG_ONDEMAND)
    return true; /* holds nothing but a context, which its admission accounted for */
  struct sg_reduction red;
  uint32_t slot = sg_waiter_client(&r->waiter[waiter]);
  sg_reduction_start(r, &red);
  sg_reduction_run(r, &red);
  while (red.blocked[slot] && sg_reduction_serve(r, &red))
    ;
  return !red.blocked[slot];
}
