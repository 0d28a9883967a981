/* shares.c - see shares.h. */
#include "shares.h"

bool sg_may_begin(const struct sg_region *r, uint32_t kind, uint32_t uid) {
  uint32_t all = 0, own = 0;
  if (uid == 0 || kind != SCHEDGPU_JOB_RUN)
    return true;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    const struct sg_job *job = &r->job[j];
    bool counts = job->state == SG_ACTIVE && job->kind == SCHEDGPU_JOB_RUN && job->uid != 0;
    all += counts;
    own += counts && job->uid == uid;
  }
  return all < SG_JOBS_OF_USERS && sg_leaves_some(own, SG_JOBS_OF_USERS - all);
}

/** Whose share a process counts to: its job's user, as its own id may be one of a container. */
static uint32_t user_of(const struct sg_region *r, const struct sg_client *c) {
  uint32_t job = sg_client_job(r, c);
  return job != SG_NONE ? r->job[job].uid : c->uid;
}

bool sg_may_attach(const struct sg_region *r, uint32_t uid) {
  uint32_t all = 0, own = 0, end = sg_clients_end(r);
  if (uid == 0 || end < SG_ADMIN_SLOTS + SCHEDGPU_MAX_CLIENTS / 2)
    return true; /* the usual case reads no record */
  for (uint32_t i = SG_ADMIN_SLOTS; i < end; i++) {
    all += r->client[i].state == SG_ACTIVE;
    own += r->client[i].state == SG_ACTIVE && user_of(r, &r->client[i]) == uid;
  }
  return sg_leaves_some(own, SCHEDGPU_MAX_CLIENTS - all);
}

bool sg_may_open_lane(const struct sg_region *r, uint32_t uid) {
  bool has[SG_LANES] = {false};
  uint32_t all = 0, own = 0;
  if (uid == 0 || sg_lanes_end(r) < SG_LANES / 2)
    return true; /* asked for each request that waits */
  for (uint32_t i = 0; i < sg_lanes_end(r); i++)
    all += r->lane[i].members != 0;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    uint32_t lane = r->job[j].uid == uid ? sg_job_lane(r, j) : SG_NONE;
    if (lane == SG_NONE || has[lane])
      continue;
    has[lane] = true;
    own++;
  }
  return all < SG_LANES && sg_leaves_some(own, SG_LANES - all);
}
