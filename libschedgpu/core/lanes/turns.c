/* turns.c - a process asks for the turn of its lane, waits for it, and ends an iteration. */
#include "../history/history.h"
#include "lanes.h"
#include "../rules/rules.h"

/** Ends the wait for a turn that was not given. */
static void leave_line(struct sg_region *r, uint32_t slot, uint64_t now_ns) {
  uint32_t lane = sg_lane_of(r, slot);
  uint32_t state = atomic_exchange(&r->turn[slot].state, SG_WAITER_FREE);
  sg_crash_point();
  if (state == SG_WAITING)
    sg_turn_note_wait(r, slot, now_ns);
  if (state == SG_WAITING && lane != SG_NONE) {
    atomic_fetch_sub(&r->lane[lane].waiting, 1);
    sg_crash_point();
  }
}

static void enter(struct sg_region *r, uint32_t slot, uint32_t lane, uint64_t now_ns) {
  struct sg_turn *t = &r->turn[slot];
  SG_PUT(r->h.lane_ticket, r->h.lane_ticket + 1);
  SG_PUT(t->ticket, r->h.lane_ticket);
  SG_PUT(t->overtaken, 0);
  SG_PUT(t->since_ns, now_ns);
  atomic_fetch_add(&r->lane[lane].waiting, 1); /* before it reads the word: see above */
  sg_crash_point();
  atomic_store(&t->state, SG_WAITING);
  sg_crash_point();
}

int sg_turn_ask(struct sg_region *r, uint32_t slot, bool may_wait, uint64_t now_ns,
                struct sg_wakes *wakes) {
  uint32_t lane = sg_lane_of(r, slot);
  if (lane == SG_NONE)
    return SCHEDGPU_ENOJOB;
  if (sg_turn_begin_alone(&r->lane[lane], slot, now_ns))
    return SCHEDGPU_OK;
  if (r->turn[slot].state == SG_WAITING)
    return SCHEDGPU_ETURN; /* for another thread of the process */
  sg_turn_catch_up(r, slot, lane, now_ns);
  enter(r, slot, lane, now_ns);
  sg_serve_turns(r, now_ns, wakes);
  if (r->turn[slot].state != SG_WAITING || !may_wait) {
    bool given = r->turn[slot].state != SG_WAITING;
    leave_line(r, slot, now_ns);
    return given ? SCHEDGPU_OK : SCHEDGPU_EWOULDBLOCK;
  }
  return SCHEDGPU_ETURN;
}

int sg_turn_settle(struct sg_region *r, uint32_t slot, uint64_t now_ns) {
  if (slot >= SG_SLOTS)
    return SCHEDGPU_EINVAL;
  bool has = sg_turn_is_busy(r, slot), waits = r->turn[slot].state == SG_WAITING;
  leave_line(r, slot, now_ns);
  if (has)
    return SCHEDGPU_OK;
  return waits ? SCHEDGPU_EWOULDBLOCK : SCHEDGPU_ENOJOB;
}

bool sg_turn_measures(const struct sg_region *r, uint32_t job) {
  return r->job[job].persistent_bytes == 0 && r->job[job].measures < SG_MEASURES;
}

bool sg_turn_end_is_noted(const struct sg_region *r, uint32_t job) {
  return r->job[job].marked == 0 || sg_turn_measures(r, job);
}

/** Nobody waits: the job of the process keeps its turn. That it marks iterations is noted, and what
 * it keeps is measured. */
static void note_end(struct sg_region *r, uint32_t lane, uint32_t job) {
  if (job == SG_NONE || atomic_load(&r->lane[lane].waiting) != 0)
    return;
  sg_note_marked(r, job);
  if (!sg_turn_measures(r, job))
    return;
  SG_PUT(r->job[job].measures, r->job[job].measures + 1);
  sg_note_kept(r, job);
}

int sg_turn_hand_over(struct sg_region *r, uint32_t slot, uint64_t now_ns, struct sg_wakes *wakes) {
  sg_serve(r, now_ns, wakes);
  uint32_t lane = slot < SG_SLOTS ? sg_lane_of(r, slot) : SG_NONE;
  if (lane == SG_NONE || sg_turn_holder(r, lane) != slot || sg_turn_is_busy(r, slot))
    return SCHEDGPU_OK;
  note_end(r, lane, sg_client_job(r, &r->client[slot]));
  uint32_t first = sg_first_for_turn(r, lane, now_ns);
  bool kept = first != SG_NONE && sg_turn_before_holder(r, first, slot, now_ns);
  return kept ? SCHEDGPU_EKEPT : SCHEDGPU_OK;
}

int sg_turn_end(struct sg_region *r, uint32_t slot, uint64_t now_ns, struct sg_wakes *wakes) {
  uint32_t lane = slot < SG_SLOTS ? sg_lane_of(r, slot) : SG_NONE;
  if (lane == SG_NONE || sg_turn_holder(r, lane) != slot)
    return SCHEDGPU_OK;
  sg_turn_end_alone(&r->lane[lane], slot, now_ns);
  return sg_turn_hand_over(r, slot, now_ns, wakes);
}

void sg_turn_drop(struct sg_region *r, uint32_t slot, uint64_t now_ns, struct sg_wakes *wakes) {
  uint32_t lane = sg_lane_of(r, slot);
  if (r->turn[slot].lane_bytes != 0) {
    sg_note_peaks_of(r, slot); /* with these bytes, for the last time */
    SG_PUT(r->turn[slot].lane_bytes, UINT64_C(0));
  }
  if (r->turn[slot].state != SG_WAITER_FREE) {
    leave_line(r, slot, now_ns);
    sg_add_wake(wakes, SG_SLOTS + slot);
  }
  if (lane == SG_NONE || sg_turn_holder(r, lane) != slot)
    return;
  sg_end_turn(r, lane, slot, now_ns);
}
