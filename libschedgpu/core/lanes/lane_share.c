/*
 * lane_share.c - lanes whose memory is one physical memory, which each member maps: a switch frees
 * and allocates nothing. See lanes.h.
 *
 * The memory stays on the device when the turn goes on. So nobody in such a lane may allocate
 * ephemeral memory of his own, and only jobs of one user meet in it: nobody else gets to see what
 * is in the memory. Who maps how much is noted in the turn records, so that memory which a live
 * process has is never made a second time.
 */
#include "../history/history.h"
#include "lanes.h"

uint64_t sg_sharers(const struct sg_region *r, uint32_t job) {
  return sg_shares_lane(r, job) ? UINT64_C(1) << 32 | r->job[job].uid : 0;
}

uint64_t sg_lane_sharers(const struct sg_region *r, uint32_t lane) {
  uint32_t holder = sg_turn_holder(r, lane);
  uint32_t member = holder != SG_NONE ? sg_client_job(r, &r->client[holder]) : SG_NONE;
  if (member != SG_NONE)
    return sg_sharers(r, member); /* the usual case: asked for each lane and each waiter */
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_lane(r, j) == lane)
      return sg_sharers(r, j);
  return 0;
}

int sg_lane_share(struct sg_region *r, uint32_t slot) {
  uint32_t job = slot < SG_SLOTS ? sg_client_job(r, &r->client[slot]) : SG_NONE;
  if (job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  struct sg_job *j = &r->job[job];
  if (sg_shares_lane(r, job))
    return SCHEDGPU_OK;
  bool two_parts = sg_is_lane_job(r, job) && j->persistent_bytes != 0 &&
                   j->persistent_bytes < j->budget_bytes[sg_lane_device(r, job)];
  if (!two_parts || j->held_mask != 0 || j->waiting != 0)
    return SCHEDGPU_EINVAL;
  SG_PUT(j->shares_lane, 1);
  return SCHEDGPU_OK;
}

int sg_lane_map(struct sg_region *r, uint32_t slot, uint64_t bytes, uint32_t door) {
  uint32_t job = slot < SG_SLOTS ? sg_client_job(r, &r->client[slot]) : SG_NONE;
  if (job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  struct sg_turn *t = &r->turn[slot];
  if (bytes != 0) {
    if (!sg_shares_lane(r, job) || sg_job_lane(r, job) == SG_NONE)
      return SCHEDGPU_EINVAL;
    if (!sg_turn_is_busy(r, slot))
      return SCHEDGPU_ETURN;
    if (bytes > sg_ephemeral(r, job))
      return SCHEDGPU_EBUDGET;
  }
  sg_note_peaks_of(r, slot); /* the peak until now is without these bytes */
  SG_PUT(t->door, door);
  SG_PUT(t->lane_bytes, bytes);
  return SCHEDGPU_OK;
}
