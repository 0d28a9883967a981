/* lane_order.c - the policies of a lane: who gets the turn next, and who takes it over. */
#include "lanes.h"

/** The lower key comes first. */
typedef uint64_t lane_key(const struct sg_region *r, uint32_t job, uint64_t now_ns);

static uint64_t nothing(const struct sg_region *r, uint32_t job, uint64_t now_ns) {
  (void)r;
  (void)job;
  (void)now_ns;
  return 0;
}

static uint64_t joined(const struct sg_region *r, uint32_t job, uint64_t now_ns) {
  (void)now_ns;
  return r->job[job].joined;
}

static uint64_t remaining(const struct sg_region *r, uint32_t job, uint64_t now_ns) {
  int64_t length = r->job[job].length_ns;
  uint64_t had = sg_service_ns(r, job, now_ns);
  if (length <= 0)
    return UINT64_MAX; /* unknown: last */
  return (uint64_t)length > had ? (uint64_t)length - had : 0;
}

static uint64_t service(const struct sg_region *r, uint32_t job, uint64_t now_ns) {
  uint32_t share = r->job[job].share;
  return sg_service_ns(r, job, now_ns) / (share != 0 ? share : 1);
}

uint64_t sg_service_per_share(const struct sg_region *r, uint32_t job, uint64_t now_ns) {
  return service(r, job, now_ns);
}

static const struct {
  const char *name;
  lane_key *key;
  /** not 0: the turn stays for this part of the quantum, then goes to an equal one too */
  int64_t part;
} policies[] = {
    [SCHEDGPU_LANE_NONE] = {"none", nothing, 0},
    [SCHEDGPU_LANE_PACK] = {"pack", nothing, 0},
    [SCHEDGPU_LANE_SRTF] = {"srtf", remaining, 0},
    [SCHEDGPU_LANE_FAIR] = {"fair", service, 1},
    [SCHEDGPU_LANE_FIFO] = {"fifo", joined, 0},
    [SCHEDGPU_LANE_SHARE] = {"share", service, SG_SHARE_PART},
};
_Static_assert(sizeof policies / sizeof *policies == SCHEDGPU_LANE_POLICIES,
               "admin.h counts the policies");

const char *schedgpu_lane_policy_name(uint32_t policy) {
  return policy < SCHEDGPU_LANE_POLICIES ? policies[policy].name : NULL;
}

static uint32_t policy_of(const struct sg_region *r, uint32_t job) {
  uint32_t policy = sg_read_once(&r->job[job].lane_policy);
  return policy < SCHEDGPU_LANE_POLICIES ? policy : SCHEDGPU_LANE_NONE;
}

static bool is_at_bound(const struct sg_region *r, uint32_t slot) {
  return r->h.overtake_limit != 0 && r->turn[slot].overtaken >= r->h.overtake_limit;
}

bool sg_turn_before(const struct sg_region *r, uint32_t a, uint32_t b, uint64_t now_ns) {
  uint32_t ja = sg_client_job(r, &r->client[a]), jb = sg_client_job(r, &r->client[b]);
  if (ja == SG_NONE || jb == SG_NONE)
    return ja != SG_NONE;
  if (r->job[ja].priority != r->job[jb].priority)
    return r->job[ja].priority > r->job[jb].priority;
  if (is_at_bound(r, a) != is_at_bound(r, b))
    return is_at_bound(r, a);
  lane_key *key = policies[policy_of(r, ja)].key;
  uint64_t ka = key(r, ja, now_ns), kb = key(r, jb, now_ns);
  return ka == kb || is_at_bound(r, a) ? r->turn[a].ticket < r->turn[b].ticket : ka < kb;
}

bool sg_turn_before_holder(const struct sg_region *r, uint32_t waiter, uint32_t holder,
                           uint64_t now_ns) {
  uint32_t jw = sg_client_job(r, &r->client[waiter]), jh = sg_client_job(r, &r->client[holder]);
  if (jw == SG_NONE || jh == SG_NONE)
    return jw != SG_NONE;
  if (r->job[jw].priority != r->job[jh].priority)
    return r->job[jw].priority > r->job[jh].priority;
  if (is_at_bound(r, waiter))
    return true;
  uint32_t policy = policy_of(r, jh), lane = sg_job_lane(r, jh);
  if (lane == SG_NONE)
    return true;
  uint64_t had = sg_turn_had_ns(r, lane, now_ns);
  uint64_t kw = policies[policy].key(r, jw, now_ns);
  uint64_t kh = policies[policy].key(r, jh, now_ns);
  int64_t part = policies[policy].part;
  return part != 0 ? had >= (uint64_t)(r->h.quantum_ns / part) && kw <= kh : kw < kh;
}
