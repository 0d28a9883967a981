/* core_lanes.c - lanes and turns in a core of one process: schedgpu_core_lanes.h. */
#include "schedgpu_core_lanes.h"
#include "../core/lanes/lanes.h"
#include "core_api.h"

static struct sg_wakes *fresh(schedgpu_core *core) {
  core->wakes.count = 0;
  return &core->wakes;
}

int schedgpu_core_lane_job_begin(schedgpu_core *core, uint64_t job_id, uint32_t uid,
                                 uint32_t device, uint64_t budget_bytes, uint64_t persistent_bytes,
                                 uint32_t policy, uint32_t share, int64_t length_ns,
                                 int32_t priority, uint64_t now_ns) {
  struct schedgpu_job_spec spec = {.job_id = job_id,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = uid,
                                   .priority = priority,
                                   .mode = SCHEDGPU_MODE_PEAK,
                                   .lane = policy,
                                   .share = share,
                                   .length_ns = length_ns,
                                   .persistent_bytes = persistent_bytes,
                                   .wait_ns = SCHEDGPU_FOREVER,
                                   .name = "job"};
  if (device >= SCHEDGPU_MAX_DEVICES)
    return SCHEDGPU_EDEVICE;
  spec.device_mask = 1u << device;
  spec.budget_bytes[device] = budget_bytes;
  return sg_job_begin(&core->region, &spec, SG_NONE, now_ns, fresh(core));
}

int schedgpu_core_turn_settle(schedgpu_core *core, uint32_t slot, uint64_t now_ns) {
  int rc = sg_turn_settle(&core->region, slot, now_ns);
  sg_serve(&core->region, now_ns, fresh(core));
  return rc;
}

int schedgpu_core_turn_end(schedgpu_core *core, uint32_t slot, uint64_t now_ns) {
  return sg_turn_end(&core->region, slot, now_ns, fresh(core));
}

int schedgpu_core_lane_share(schedgpu_core *core, uint32_t slot) {
  return sg_lane_share(&core->region, slot);
}

int schedgpu_core_lane_map(schedgpu_core *core, uint32_t slot, uint64_t bytes, uint64_t now_ns) {
  int rc = sg_lane_map(&core->region, slot, bytes, 1);
  if (rc == SCHEDGPU_OK)
    sg_serve(&core->region, now_ns, fresh(core));
  return rc;
}

int schedgpu_core_look(schedgpu_core *core, uint64_t now_ns) {
  sg_serve(&core->region, now_ns, fresh(core));
  return SCHEDGPU_OK;
}

int schedgpu_core_quantum_set(schedgpu_core *core, int64_t quantum_ns) {
  if (quantum_ns <= 0)
    return SCHEDGPU_EINVAL;
  core->region.h.quantum_ns = quantum_ns;
  return SCHEDGPU_OK;
}

struct sink {
  uint64_t *words;
  uint32_t capacity, count;
};

static void put(struct sink *s, uint64_t word) {
  if (s->count < s->capacity)
    s->words[s->count] = word;
  s->count++;
}

/** Leaves a place for a count; returns where. */
static uint32_t begin_count(struct sink *s) {
  put(s, 0);
  return s->count - 1;
}

static void add_to_count(struct sink *s, uint32_t place) {
  if (place < s->capacity)
    s->words[place]++;
}

static void put_lanes(const struct sg_region *r, struct sink *s) {
  uint32_t lanes = begin_count(s);
  for (uint32_t i = 0; i < sg_lanes_end(r); i++) {
    const struct sg_lane *lane = &r->lane[i];
    if (lane->members == 0)
      continue;
    uint32_t holder = sg_turn_holder(r, i);
    put(s, i);
    put(s, lane->device);
    put(s, lane->policy);
    put(s, lane->bytes);
    put(s, lane->members);
    put(s, holder);
    put(s, holder != SG_NONE && sg_turn_is_busy(r, holder));
    add_to_count(s, lanes);
  }
}

static void put_members(const struct sg_region *r, struct sink *s) {
  uint32_t members = begin_count(s);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    if (sg_job_lane(r, j) == SG_NONE)
      continue;
    put(s, r->job[j].id);
    put(s, sg_job_lane(r, j));
    put(s, r->job[j].reserved_bytes[sg_lane_device(r, j)]);
    put(s, r->job[j].service_ns);
    put(s, r->job[j].turns);
    add_to_count(s, members);
  }
}

static void put_waits(const struct sg_region *r, struct sink *s) {
  uint32_t waits = begin_count(s);
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_turn *turn = &r->turn[i];
    if (turn->state == SG_WAITER_FREE)
      continue;
    put(s, i);
    put(s, sg_lane_of(r, i));
    put(s, turn->ticket);
    put(s, turn->overtaken);
    put(s, turn->state == SG_GRANTED);
    add_to_count(s, waits);
  }
}

int schedgpu_core_read_lanes(const schedgpu_core *core, uint64_t *words, uint32_t capacity) {
  struct sink s = {words, capacity, 0};
  put_lanes(&core->region, &s);
  put_members(&core->region, &s);
  put_waits(&core->region, &s);
  return s.count <= capacity ? (int)s.count : SCHEDGPU_EINVAL;
}
