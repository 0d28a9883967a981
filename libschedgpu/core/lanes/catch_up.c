/* catch_up.c - a job gains no credit while it does not compute. See lanes.h. */
#include "lanes.h"

/** The jobs of a lane, seen by one of them. */
struct others {
  bool self;      /**< a process of the job itself has the turn, or waits for it */
  bool any;       /**< processes of other jobs do */
  uint64_t least; /**< the least service per share of those jobs */
};

static struct others active_in(const struct sg_region *r, uint32_t lane, uint32_t job,
                               uint64_t now_ns) {
  struct others found = {.least = UINT64_MAX};
  uint32_t holder = sg_turn_holder(r, lane);
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    if (sg_lane_of(r, i) != lane || (i != holder && r->turn[i].state != SG_WAITING))
      continue;
    uint32_t of = sg_client_job(r, &r->client[i]);
    if (of == job) {
      found.self = true;
      continue;
    }
    uint64_t had = sg_service_per_share(r, of, now_ns);
    found.any = true;
    found.least = had < found.least ? had : found.least;
  }
  return found;
}

static uint64_t highest_of_members(const struct sg_region *r, uint32_t lane, uint64_t now_ns) {
  uint64_t most = 0;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_lane(r, j) == lane && sg_service_per_share(r, j, now_ns) > most)
      most = sg_service_per_share(r, j, now_ns);
  return most;
}

void sg_turn_catch_up(struct sg_region *r, uint32_t slot, uint32_t lane, uint64_t now_ns) {
  uint32_t job = sg_client_job(r, &r->client[slot]);
  if (job == SG_NONE || r->job[job].lane_policy != SCHEDGPU_LANE_SHARE)
    return;
  struct others others = active_in(r, lane, job, now_ns);
  if (others.self)
    return;
  uint64_t level = others.any ? others.least : highest_of_members(r, lane, now_ns);
  if (level <= sg_service_per_share(r, job, now_ns))
    return;
  uint64_t raised_ns = level * r->job[job].share;
  SG_PUT(r->job[job].credit_ns, r->job[job].credit_ns + raised_ns - r->job[job].service_ns);
  SG_PUT(r->job[job].service_ns, raised_ns);
}
