/*
 * lane_moves.c - a waiter leaves a lane whose turn does not end: its holder is stopped, or does not
 * end its iteration, or keeps more than it declared. See lanes.h.
 *
 * Only `job.lane` is authoritative, so the move is that one store. If the process is killed before
 * or after it, the recount computes both lanes anew.
 */
#include "../rules/account.h"
#include "lanes.h"
#include "../rules/queue.h"

/** True if the job may be in any other lane: nothing of this one is mapped, and no sibling has its
 * turn. Jobs that take turns with the device itself stay together. */
static bool may_leave(const struct sg_region *r, uint32_t job) {
  return !sg_shares_lane(r, job) && r->job[job].lane_policy != SCHEDGPU_LANE_SHARE &&
         !sg_job_has_turn(r, job);
}

static uint32_t waiters_of(const struct sg_region *r, uint32_t job) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->turn[i].state == SG_WAITING && r->client[i].state == SG_ACTIVE &&
        sg_client_job(r, &r->client[i]) == job)
      n++;
  return n;
}

static void move(struct sg_region *r, uint32_t job, uint32_t from, uint32_t to, uint64_t now_ns) {
  uint32_t n = waiters_of(r, job);
  uint64_t shrinks = sg_lane_leave(r, job, from);
  atomic_fetch_sub(&r->lane[from].waiting, n);
  sg_crash_point();
  SG_PUT(r->job[job].lane, to + 1);
  uint64_t grows = sg_lane_join(r, job, now_ns);
  atomic_fetch_add(&r->lane[to].waiting, n);
  sg_crash_point();
  sg_account_lane(r, sg_lane_device(r, job), grows, shrinks);
}

/** What the lane that the member goes to may cost: the bytes that are free once it has left. */
static uint64_t available(const struct sg_region *r, uint32_t job, uint32_t from) {
  const struct sg_device *d = &r->device[sg_lane_device(r, job)];
  uint64_t shrinks = r->lane[from].bytes - sg_lane_size_without(r, from, job);
  uint64_t usable = sg_usable(d), used = d->used_bytes - shrinks;
  return usable > used ? usable - used : 0;
}

uint32_t sg_lane_move(struct sg_region *r, uint32_t job, uint64_t now_ns) {
  uint32_t from = sg_job_lane(r, job);
  if (from == SG_NONE || !may_leave(r, job))
    return SG_NONE;
  bool needed = sg_device_is_needed(r, sg_lane_device(r, job));
  uint32_t to = sg_lane_beside(r, job, needed ? 0 : available(r, job, from), now_ns);
  if (to != SG_NONE)
    move(r, job, from, to, now_ns);
  return to;
}
