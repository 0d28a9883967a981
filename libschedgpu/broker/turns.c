/* turns.c - who asks for a turn, and who has it: the pages first, then the core. See turn_page.c.
 */
#include "broker.h"
#include "../core/lanes/lanes.h"

/** How often the agent looks whether the holder of a turn is stopped. */
#define STOPS_NS UINT64_C(100000000)

static void contest(schedgpu_broker *b, uint32_t lane, const struct broker_client *by,
                    struct sg_wakes *wakes) {
  struct broker_client *holder = sg_turn_holder_client(b, lane);
  if (!holder || holder == by)
    return;
  sg_turn_announce(b, holder, lane, true); /* first: an end from now on is told */
  sg_sync_from_job(b, holder, wakes);
}

void sg_turns_contest(schedgpu_broker *b, const struct broker_client *by, struct sg_wakes *wakes) {
  uint32_t job = sg_client_job(b->r, &b->r->client[by->slot]);
  if (job == SG_NONE || !sg_is_lane_job(b->r, job))
    return;
  uint32_t lane = sg_job_lane(b->r, job);
  for (uint32_t i = 0; i < sg_lanes_end(b->r); i++)
    if (lane == i || lane == SG_NONE) /* it may join any of them */
      contest(b, i, by, wakes);
}

bool sg_any_turn_waits(const schedgpu_broker *b) {
  for (uint32_t i = 0; i < sg_lanes_end(b->r); i++)
    if (atomic_load(&b->r->lane[i].waiting) != 0)
      return true;
  for (const struct broker_client *s = b->clients; s; s = s->next)
    if (s->waits_for_turn)
      return true;
  return false;
}

/** Clients whose wait another process ended, as an epilog. */
static void end_waits(schedgpu_broker *b) {
  for (struct broker_client *s = b->clients; s; s = s->next)
    if (s->waits_for_turn && b->r->turn[s->slot].state != SG_WAITING)
      sg_turn_to_page(b, s);
}

/** Time in which the holder is stopped is no service, as in Mode=shared; the agent sees it itself.
 */
static void leave_out_stops(schedgpu_broker *b, uint32_t lane) {
  struct broker_client *s = sg_turn_holder_client(b, lane);
  uint64_t now_ns = sg_now_ns();
  if (!s || now_ns - s->looked_ns < STOPS_NS)
    return;
  char state = sg_proc_state(s->process.pid);
  bool stopped = (state == 'T' || state == 't') && sg_turn_is_busy(b->r, s->slot);
  if (stopped && s->stopped && now_ns - s->looked_ns < 10 * STOPS_NS)
    sg_turn_leave_out_alone(&b->r->lane[lane], s->slot, now_ns - s->looked_ns, now_ns);
  s->stopped = stopped;
  s->looked_ns = now_ns;
}

void sg_turns_tick(schedgpu_broker *b) {
  struct sg_wakes wakes;
  wakes.count = 0;
  if (!b->turns_wait || sg_admin_enter(b->admin) != SCHEDGPU_OK)
    return;
  for (uint32_t i = 0; i < sg_lanes_end(b->r); i++)
    if (atomic_load(&b->r->lane[i].waiting) != 0) {
      leave_out_stops(b, i);
      contest(b, i, NULL, &wakes);
    }
  sg_serve(b->r, sg_now_ns(), &wakes);
  end_waits(b);
  sg_leave(b, &wakes);
}
