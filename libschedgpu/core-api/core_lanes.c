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

int schedgpu_core_iteration_begin(schedgpu_core *core, uint32_t slot, uint32_t device,
                                  uint64_t now_ns) {
  uint32_t lane = slot < SG_SLOTS ? sg_lane_of(&core->region, slot) : SG_NONE;
  uint64_t ticket;
  fresh(core);
  if (lane != SG_NONE && sg_turn_begin_alone(&core->region.lane[lane], slot, now_ns))
    return SCHEDGPU_OK;
  return schedgpu_core_ask(core, slot, device, 0, SCHEDGPU_CORE_GATE, 1, now_ns, &ticket);
}

int schedgpu_core_iteration_end(schedgpu_core *core, uint32_t slot, uint64_t now_ns) {
  struct sg_region *r = &core->region;
  uint32_t lane = slot < SG_SLOTS ? sg_lane_of(r, slot) : SG_NONE;
  struct sg_wakes *wakes = fresh(core);
  bool alone = lane != SG_NONE && sg_turn_end_alone(&r->lane[lane], slot, now_ns);
  return alone && !sg_turn_measures(r, sg_client_job(r, &r->client[slot]))
             ? SCHEDGPU_OK
             : sg_turn_hand_over(r, slot, now_ns, wakes);
}

int schedgpu_core_lane_job_end(schedgpu_core *core, uint32_t slot, uint64_t job_id,
                               uint64_t now_ns) {
  struct sg_wakes *wakes = fresh(core);
  sg_client_remove(&core->region, slot, now_ns, wakes);
  uint32_t job = sg_job_find(&core->region, SCHEDGPU_JOB_SLURM, job_id);
  /* No other process writes this region: the sums need no recount. */
  return job == SG_NONE ? SCHEDGPU_ENOJOB : sg_job_end_in_copy(&core->region, job, now_ns, wakes);
}

int schedgpu_core_lanes_limit(schedgpu_core *core, uint32_t lanes) {
  if (lanes == 0 || lanes > SG_LANES || sg_lanes_end(&core->region) != 0)
    return SCHEDGPU_EINVAL;
  for (uint32_t i = 0; i < SG_LANES; i++)
    core->region.lane[i].members = i >= lanes;
  return SCHEDGPU_OK;
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

int schedgpu_core_woken(schedgpu_core *core, uint32_t *slots, uint32_t capacity) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < core->wakes.count; i++) {
    uint32_t entry = core->wakes.waiter[i];
    if (atomic_load(sg_wake_word(&core->region, entry)) != SG_GRANTED)
      continue;
    if (count == capacity)
      return SCHEDGPU_EINVAL;
    slots[count++] = entry % SG_SLOTS;
  }
  return (int)count;
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
