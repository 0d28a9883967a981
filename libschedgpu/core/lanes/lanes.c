/*
 * lanes.c - which lane a job uses: Salus' Algorithm 1, and the sizes of the lanes. See lanes.h.
 *
 * Authoritative is job.lane of each job that holds. All of a lane's record but its turn is computed
 * from its members.
 */
#include "lanes.h"
#include "../rules/shares.h"

static bool is_empty(const struct sg_lane *lane) {
  return lane->members == 0;
}

/** True if the job may use the lane: its members have one policy, and those of a shared lane are
 * one user's. */
static bool is_for(const struct sg_region *r, const struct sg_lane *lane, uint32_t job) {
  return !is_empty(lane) && lane->device == sg_lane_device(r, job) &&
         lane->policy == r->job[job].lane_policy &&
         sg_lane_sharers(r, (uint32_t)(lane - r->lane)) == sg_sharers(r, job);
}

static uint32_t free_record(const struct sg_region *r) {
  uint32_t i = 0;
  while (i < SG_LANES && !is_empty(&r->lane[i]))
    i++;
  return i < SG_LANES ? i : SG_NONE;
}

/** A record for a lane that the job opens; SG_NONE also if its user has enough of them. */
static uint32_t fresh_record(const struct sg_region *r, uint32_t job) {
  return sg_may_open_lane(r, r->job[job].uid) ? free_record(r) : SG_NONE;
}

/** The ephemeral memory of a job that does not hold. */
static uint64_t declared_ephemeral(const struct sg_region *r, uint32_t job) {
  uint64_t budget = r->job[job].budget_bytes[sg_lane_device(r, job)];
  uint64_t kept = r->job[job].persistent_bytes;
  return budget > kept ? budget - kept : 0;
}

uint64_t sg_lane_need(const struct sg_region *r, uint32_t job) {
  uint64_t ephemeral = declared_ephemeral(r, job), largest = 0;
  bool some = fresh_record(r, job) != SG_NONE;
  for (uint32_t i = 0; i < sg_lanes_end(r); i++) {
    some |= is_for(r, &r->lane[i], job);
    if (is_for(r, &r->lane[i], job) && r->lane[i].bytes > largest)
      largest = r->lane[i].bytes;
  }
  if (!some)
    return UINT64_MAX; /* all records are lanes of other kinds */
  return r->job[job].persistent_bytes + (ephemeral > largest ? ephemeral - largest : 0);
}

/** The smallest lane of the job's kind with `least` bytes or more; of equals the first. Not the one
 * that the job is in; and none with a stuck turn, unless `now_ns` is 0. */
static uint32_t smallest(const struct sg_region *r, uint32_t job, uint64_t least, uint64_t now_ns) {
  uint32_t best = SG_NONE, own = sg_job_lane(r, job);
  for (uint32_t i = 0; i < sg_lanes_end(r); i++)
    if (i != own && is_for(r, &r->lane[i], job) && r->lane[i].bytes >= least &&
        !sg_turn_is_stuck(r, i, now_ns) &&
        (best == SG_NONE || r->lane[i].bytes < r->lane[best].bytes))
      best = i;
  return best;
}

/** True if the job takes turns with the device itself, and others do so already: jobs of two such
 * lanes would compute at the same time. */
static bool must_join(const struct sg_region *r, uint32_t job) {
  return r->job[job].lane_policy == SCHEDGPU_LANE_SHARE && smallest(r, job, 0, 0) != SG_NONE;
}

/** Algorithm 1: a new lane, one that is large enough, or one that grows to `ephemeral` bytes for at
 * most `available`. SG_NONE: none of these. `now_ns`: as in smallest(). */
static uint32_t assigned(const struct sg_region *r, uint32_t job, uint64_t ephemeral,
                         uint64_t available, uint64_t now_ns) {
  uint32_t fresh = must_join(r, job) ? SG_NONE : fresh_record(r, job);
  uint32_t large = smallest(r, job, ephemeral, now_ns);
  if (fresh != SG_NONE && ephemeral <= available)
    return fresh;
  if (large != SG_NONE)
    return large;
  return smallest(r, job, ephemeral > available ? ephemeral - available : 0, now_ns);
}

static uint32_t chosen(const struct sg_region *r, uint32_t job) {
  uint64_t available = sg_free(&r->device[sg_lane_device(r, job)]);
  uint64_t kept = r->job[job].persistent_bytes;
  uint64_t rest = available > kept ? available - kept : 0; /* what the lane may cost */
  uint32_t lane = assigned(r, job, declared_ephemeral(r, job), rest, 0);
  return lane != SG_NONE ? lane : free_record(r); /* only a repair asks for what does not fit */
}

uint32_t sg_lane_beside(const struct sg_region *r, uint32_t job, uint64_t available,
                        uint64_t now_ns) {
  return assigned(r, job, sg_ephemeral(r, job), available, now_ns);
}

void sg_lane_choose(struct sg_region *r, uint32_t job) {
  uint32_t lane = chosen(r, job);
  SG_PUT(r->job[job].lane, lane == SG_NONE ? 0 : lane + 1);
}

uint64_t sg_lane_size_without(const struct sg_region *r, uint32_t lane, uint32_t except) {
  uint64_t bytes = 0;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (j != except && sg_job_lane(r, j) == lane && sg_ephemeral(r, j) > bytes)
      bytes = sg_ephemeral(r, j);
  return bytes;
}

static void lower_mark(struct sg_region *r) {
  uint32_t end = sg_lanes_end(r);
  while (end > 0 && is_empty(&r->lane[end - 1]))
    end--;
  if (end != r->h.lane_high)
    SG_PUT(r->h.lane_high, end);
}

static void open_lane(struct sg_region *r, uint32_t lane, uint32_t job) {
  struct sg_lane *l = &r->lane[lane];
  atomic_store(&l->turn, 0);
  atomic_store(&l->waiting, 0);
  SG_PUT(l->device, sg_lane_device(r, job));
  SG_PUT(l->policy, r->job[job].lane_policy);
  SG_PUT(l->bytes, UINT64_C(0));
  SG_PUT(l->switches, UINT64_C(0));
}

/** A newcomer starts level with the member that had least. */
static uint64_t least_service(const struct sg_region *r, uint32_t lane, uint32_t except,
                              uint64_t now_ns) {
  uint64_t least = UINT64_MAX;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (j != except && sg_job_lane(r, j) == lane && sg_service_per_share(r, j, now_ns) < least)
      least = sg_service_per_share(r, j, now_ns);
  return least == UINT64_MAX ? 0 : least;
}

uint64_t sg_lane_join(struct sg_region *r, uint32_t job, uint64_t now_ns) {
  uint32_t lane = sg_job_lane(r, job);
  if (lane == SG_NONE)
    return 0;
  struct sg_lane *l = &r->lane[lane];
  if (is_empty(l))
    open_lane(r, lane, job);
  uint64_t least = least_service(r, lane, job, now_ns) * r->job[job].share;
  if (l->policy == SCHEDGPU_LANE_FAIR && least > r->job[job].service_ns) {
    SG_PUT(r->job[job].credit_ns, r->job[job].credit_ns + least - r->job[job].service_ns);
    SG_PUT(r->job[job].service_ns, least);
  }
  SG_PUT(r->h.lane_ticket, r->h.lane_ticket + 1);
  SG_PUT(r->job[job].joined, r->h.lane_ticket);
  SG_PUT(l->members, l->members + 1);
  if (lane >= r->h.lane_high)
    SG_PUT(r->h.lane_high, lane + 1);
  uint64_t bytes = sg_ephemeral(r, job), before = l->bytes;
  if (bytes <= before)
    return 0;
  SG_PUT(l->bytes, bytes);
  return bytes - before;
}

uint64_t sg_lane_leave(struct sg_region *r, uint32_t job, uint32_t lane) {
  struct sg_lane *l = &r->lane[lane];
  if (l->members > 0)
    SG_PUT(l->members, l->members - 1);
  uint64_t before = l->bytes;
  SG_PUT(l->bytes, sg_lane_size_without(r, lane, job));
  if (is_empty(l)) {
    atomic_store(&l->turn, 0);
    sg_crash_point();
  }
  lower_mark(r);
  return before > l->bytes ? before - l->bytes : 0;
}

uint64_t sg_lanes_bytes(const struct sg_region *r, uint32_t device) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < sg_lanes_end(r); i++)
    if (!is_empty(&r->lane[i]) && r->lane[i].device == device)
      bytes += r->lane[i].bytes;
  return bytes;
}

/** Counts a member, which another process may have put into a lane of another kind. */
static void recount_member(struct sg_region *r, uint32_t job) {
  uint32_t lane = sg_job_lane(r, job);
  if (lane == SG_NONE || (!is_empty(&r->lane[lane]) && !is_for(r, &r->lane[lane], job))) {
    lane = free_record(r);
    SG_PUT(r->job[job].lane, lane == SG_NONE ? 0 : lane + 1);
  }
  if (lane == SG_NONE)
    return;
  struct sg_lane *l = &r->lane[lane];
  if (is_empty(l)) {
    l->device = sg_lane_device(r, job);
    l->policy = r->job[job].lane_policy;
  }
  l->members++;
  uint64_t bytes = sg_ephemeral(r, job);
  l->bytes = bytes > l->bytes ? bytes : l->bytes;
  if (lane >= r->h.lane_high)
    r->h.lane_high = lane + 1;
}

static void recount_waits(struct sg_region *r) {
  uint32_t waiting[SG_LANES] = {0};
  for (uint32_t i = 0; i < SG_SLOTS; i++) {
    uint32_t job = r->client[i].state == SG_ACTIVE ? sg_client_job(r, &r->client[i]) : SG_NONE;
    uint32_t lane = job == SG_NONE ? SG_NONE : sg_job_lane(r, job);
    if ((lane == SG_NONE && r->turn[i].state != SG_WAITER_FREE) || r->turn[i].state > SG_GRANTED)
      atomic_store(&r->turn[i].state, SG_WAITER_FREE);
    else if (lane != SG_NONE && sg_turn_holder(r, lane) == i && r->turn[i].state == SG_WAITING)
      atomic_store(&r->turn[i].state, SG_GRANTED); /* killed between the two stores of a grant */
    else if (r->turn[i].state == SG_WAITING)
      waiting[lane % SG_LANES]++;
  }
  for (uint32_t i = 0; i < SG_LANES; i++)
    atomic_store(&r->lane[i].waiting, waiting[i]);
}

void sg_lanes_recount(struct sg_region *r) {
  SG_PUT(r->h.lane_high, 0);
  for (uint32_t i = 0; i < SG_LANES; i++) {
    r->lane[i].members = 0;
    r->lane[i].bytes = 0;
  }
  sg_crash_point();
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_active(r, j) && sg_is_lane_job(r, j) && r->job[j].held_mask != 0)
      recount_member(r, j);
  for (uint32_t i = 0; i < SG_LANES; i++)
    if (sg_turn_holder(r, i) == SG_NONE)
      atomic_store(&r->lane[i].turn, 0);
  recount_waits(r);
}
