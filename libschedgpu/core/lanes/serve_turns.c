/* serve_turns.c - a turn changes hands. See lanes.h, and lane_order.c for the order. */
#include "../rules/account.h"
#include "../rules/growth.h"
#include "lanes.h"

static bool waits_in(const struct sg_region *r, uint32_t slot, uint32_t lane) {
  return r->turn[slot].state == SG_WAITING && sg_lane_of(r, slot) == lane;
}

uint32_t sg_first_for_turn(const struct sg_region *r, uint32_t lane, uint64_t now_ns) {
  uint32_t first = SG_NONE;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (waits_in(r, i, lane) && (first == SG_NONE || sg_turn_before(r, i, first, now_ns)))
      first = i;
  return first;
}

static void note_overtaking(struct sg_region *r, uint32_t lane, uint32_t given) {
  uint32_t oldest = SG_NONE;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (waits_in(r, i, lane) && (oldest == SG_NONE || r->turn[i].ticket < r->turn[oldest].ticket))
      oldest = i;
  if (oldest != SG_NONE && oldest != given)
    SG_PUT(r->turn[oldest].overtaken, r->turn[oldest].overtaken + 1);
}

void sg_turn_note_wait(struct sg_region *r, uint32_t slot, uint64_t now_ns) {
  uint32_t job = sg_client_job(r, &r->client[slot]);
  uint64_t since_ns = r->turn[slot].since_ns;
  if (job == SG_NONE)
    return;
  uint64_t until_ns = now_ns; /* what another wait covers that goes on is left to it */
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    bool waits =
        i != slot && r->turn[i].state == SG_WAITING && sg_client_job(r, &r->client[i]) == job;
    if (waits && r->turn[i].since_ns < until_ns)
      until_ns = r->turn[i].since_ns;
  }
  if (until_ns > since_ns)
    SG_PUT(r->job[job].turn_waited_ns, r->job[job].turn_waited_ns + (until_ns - since_ns));
}

void sg_note_kept(struct sg_region *r, uint32_t job) {
  uint64_t bytes = sg_job_in_use(r, job, sg_lane_device(r, job));
  if (bytes > r->job[job].kept_bytes)
    SG_PUT(r->job[job].kept_bytes, bytes);
}

static void add_service(struct sg_region *r, uint32_t holder, uint64_t had_ns) {
  uint32_t job = sg_client_job(r, &r->client[holder]);
  if (job != SG_NONE)
    SG_PUT(r->job[job].service_ns, r->job[job].service_ns + had_ns);
}

/** The job of the holder lives on without the turn. */
static void note_handed_over(struct sg_region *r, uint32_t holder) {
  uint32_t job = sg_client_job(r, &r->client[holder]);
  if (job == SG_NONE)
    return;
  SG_PUT(r->job[job].switches, r->job[job].switches + 1);
  sg_note_marked(r, job);
  sg_note_kept(r, job);
}

void sg_end_turn(struct sg_region *r, uint32_t lane, uint32_t holder, uint64_t now_ns) {
  uint32_t job = sg_client_job(r, &r->client[holder]);
  if (job != SG_NONE && atomic_load(&r->lane[lane].busy_ns) != 0) /* of iterations that ended */
    sg_note_marked(r, job);
  add_service(r, holder, sg_turn_had_ns(r, lane, now_ns));
  atomic_store(&r->lane[lane].turn, 0);
  sg_crash_point();
}

/**
 * Takes back what the job's processes leased and do not use; returns what they have leased then.
 * That may be more than they use by now, and they may use it again without the lock.
 */
static uint64_t trim(struct sg_region *r, uint32_t job, uint32_t device) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && sg_client_job(r, &r->client[i]) == job)
      sg_lease_take_back(&r->client[i].lease[device]);
  return sg_job_leased(r, job, device) * SG_UNIT_BYTES;
}

/** Makes the job's persistent memory what it has leased; false if the bytes are not free. */
static bool keep(struct sg_region *r, uint32_t lane, uint32_t job, uint64_t leased) {
  struct sg_lane *l = &r->lane[lane];
  uint32_t d = sg_lane_device(r, job);
  uint64_t budget = r->job[job].budget_bytes[d], kept = r->job[job].reserved_bytes[d];
  if (leased > budget)
    return false;
  uint64_t others = sg_lane_size_without(r, lane, job), own = budget - leased;
  uint64_t before = l->bytes, after = own > others ? own : others;
  uint64_t shrinks = before > after ? before - after : 0;
  if (leased - kept > sg_free(&r->device[d]) + shrinks)
    return false;
  SG_PUT(r->job[job].reserved_bytes[d], leased);
  SG_PUT(l->bytes, after);
  sg_account_lane(r, d, leased + after, kept + before);
  return true;
}

/** True if the process can go on without the turn: its job uses its persistent memory alone. */
static bool can_be_returned(struct sg_region *r, uint32_t holder) {
  uint32_t job = sg_client_job(r, &r->client[holder]);
  if (job == SG_NONE)
    return true;
  uint32_t lane = sg_lane_of(r, holder), device = sg_lane_device(r, job);
  if (sg_job_leased(r, job, device) * SG_UNIT_BYTES <= r->job[job].reserved_bytes[device])
    return true; /* nothing to take back, as of a job with a share */
  uint64_t leased = trim(r, job, device);
  return leased <= r->job[job].reserved_bytes[device] || keep(r, lane, job, leased);
}

/** Gives the turn, which was `from`, to a waiter; false if its holder has begun an iteration. */
static bool give(struct sg_region *r, uint32_t lane, uint64_t from, uint32_t to, uint64_t now_ns,
                 struct sg_wakes *wakes) {
  struct sg_lane *l = &r->lane[lane];
  uint32_t holder = sg_turn_holder(r, lane), job = sg_client_job(r, &r->client[to]);
  uint64_t had_ns = sg_turn_had_ns(r, lane, now_ns);
  if (!atomic_compare_exchange_strong(&l->turn, &from, ((uint64_t)to + 1) | SG_TURN_BUSY))
    return false;
  sg_crash_point();
  if (holder != SG_NONE) {
    add_service(r, holder, had_ns);
    note_handed_over(r, holder);
  }
  sg_turn_note_wait(r, to, now_ns);
  note_overtaking(r, lane, to);
  atomic_store(&l->begun_ns, now_ns);
  atomic_store(&l->busy_ns, 0);
  sg_crash_point();
  SG_PUT(l->switches, l->switches + 1);
  if (job != SG_NONE)
    SG_PUT(r->job[job].turns, r->job[job].turns + 1);
  atomic_store(&r->turn[to].state, SG_GRANTED);
  sg_crash_point();
  atomic_fetch_sub(&l->waiting, 1);
  sg_crash_point();
  sg_add_wake(wakes, SG_SLOTS + to);
  return true;
}

/** Gives the turn to the first waiter, if that may have it now. */
static void pass_on(struct sg_region *r, uint32_t lane, uint32_t first, uint64_t now_ns,
                    struct sg_wakes *wakes) {
  struct sg_lane *l = &r->lane[lane];
  uint64_t word = atomic_load(&l->turn), idle_since = atomic_load(&l->idle_since_ns);
  uint32_t holder = sg_turn_holder(r, lane);
  if (holder != SG_NONE) {
    bool idle_long = now_ns > idle_since && now_ns - idle_since >= SG_LANE_IDLE_NS;
    if ((word & SG_TURN_BUSY) || (!idle_long && !sg_turn_before_holder(r, first, holder, now_ns)) ||
        !can_be_returned(r, holder))
      return;
  }
  give(r, lane, word, first, now_ns, wakes);
}

/** The lane that the job of the first waiter moved into, because this one's turn is stuck; SG_NONE
 * if it did not move. */
static uint32_t leave_lane(struct sg_region *r, uint32_t lane, uint32_t first, uint64_t now_ns) {
  uint32_t job = sg_client_job(r, &r->client[first]);
  if (job == SG_NONE || !sg_turn_is_stuck(r, lane, now_ns))
    return SG_NONE;
  return sg_lane_move(r, job, now_ns);
}

/** A lane into which waiters move has no stuck turn, so nobody leaves it at once. A process that
 * writes into the region meanwhile can neither keep this one here nor lead it out of the region. */
static void serve(struct sg_region *r, uint32_t lane, uint64_t now_ns, struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < SG_SLOTS; i++) {
    uint32_t first = sg_first_for_turn(r, lane, now_ns);
    if (first == SG_NONE)
      return;
    pass_on(r, lane, first, now_ns, wakes);
    uint32_t to = r->turn[first].state == SG_WAITING ? leave_lane(r, lane, first, now_ns) : SG_NONE;
    uint32_t next = to != SG_NONE ? sg_first_for_turn(r, to, now_ns) : SG_NONE;
    if (next == SG_NONE)
      return;
    pass_on(r, to, next, now_ns, wakes);
  }
}

void sg_serve_turns(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < sg_lanes_end(r); i++)
    if (atomic_load(&r->lane[i].waiting) != 0)
      serve(r, i, now_ns, wakes);
}
