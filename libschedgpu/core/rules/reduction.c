/* reduction.c - see reduction.h */
#include "account.h"
#include "reduction.h"
#include "growth.h"

/** Each slot of the job's processes, ascending. On a full node that is one slot in a thousand. */
#define SG_EACH_OF_JOB(slot, red, job)                                                             \
  for (uint32_t next_ = (red)->job[job].first, slot = next_ - 1; next_ != 0;                       \
       next_ = (red)->process[slot].next, slot = next_ - 1)

/** Bytes of this kind that were granted to the process and that it has not taken yet. */
static uint64_t granted_to(const struct sg_region *r, uint32_t slot, uint32_t kind,
                           uint32_t device) {
  const struct sg_waiter *w = &r->waiter[slot];
  bool granted = w->state == SG_GRANTED && w->kind == kind && sg_waiter_device(w) == device;
  return granted ? w->bytes : 0;
}

static bool has_taken(const struct sg_region *r, uint32_t slot) {
  SG_EACH_DEVICE (d, UINT32_MAX) {
    if (sg_client_taken(r, slot, d) != 0)
      return true;
  }
  return false;
}

/** True if no blocked process has a part of the job's growable budget. A blocked process would
 * release its part only with the rest. */
static bool no_blocked_has_part(const struct sg_region *r, const struct sg_reduction *red,
                                uint32_t job) {
  SG_EACH_OF_JOB (i, red, job) {
    if (red->process[i].blocked && r->client[i].state == SG_ACTIVE &&
        sg_client_job(r, &r->client[i]) == job && has_taken(r, i))
      return false;
  }
  return true;
}

static bool job_can_go_on(const struct sg_region *r, const struct sg_reduction *red, uint32_t job) {
  if (sg_budget_grows(r, job))
    return no_blocked_has_part(r, red, job);
  SG_EACH_OF_JOB (i, red, job) {
    if (r->client[i].state == SG_ACTIVE && sg_client_job(r, &r->client[i]) == job &&
        !red->process[i].blocked)
      return true;
  }
  return r->job[job].clients == 0;
}

static bool is_left(const struct sg_region *r, const struct sg_reduction *red, uint32_t slot,
                    uint32_t job) {
  return !red->process[slot].gone && r->client[slot].state == SG_ACTIVE &&
         sg_client_job(r, &r->client[slot]) == job;
}

/** Bytes of the growable held budget that the remaining processes have taken. */
static uint64_t taken_left(const struct sg_region *r, const struct sg_reduction *red, uint32_t job,
                           uint32_t device) {
  uint64_t taken = 0;
  SG_EACH_OF_JOB (i, red, job) {
    taken += is_left(r, red, i, job) ? sg_client_taken(r, i, device) : 0;
  }
  return taken;
}

/** The held budget without growth that no remaining process has taken. */
static uint64_t held_left(const struct sg_region *r, const struct sg_reduction *red, uint32_t job,
                          uint32_t device) {
  uint64_t held = r->job[job].reserved_bytes[device];
  if (!sg_budget_grows(r, job))
    return held;
  uint64_t taken = taken_left(r, red, job, device), budget = r->job[job].budget_bytes[device];
  return taken > budget ? taken : budget;
}

static bool holds_growable(const struct sg_region *r, const struct sg_reduction *red,
                           uint32_t job) {
  return r->job[job].held_mask != 0 && sg_budget_grows(r, job) && !red->job[job].budget_released;
}

static bool has_contexts(const struct sg_region *r, const struct sg_reduction *red, uint32_t slot,
                         uint32_t job) {
  return !red->process[slot].without && r->client[slot].state == SG_ACTIVE &&
         sg_client_job(r, &r->client[slot]) == job;
}

uint64_t sg_reduction_contexts(const struct sg_region *r, const struct sg_reduction *red,
                               uint32_t job, uint32_t device) {
  uint64_t bytes = 0;
  SG_EACH_OF_JOB (i, red, job) {
    if (has_contexts(r, red, i, job))
      bytes += r->client[i].contexts[device] + granted_to(r, i, SG_CONTEXT, device);
  }
  return bytes;
}

/** The job's contexts that are still reserved. Its admission ends with its last process. */
static uint64_t cost_left(const struct sg_region *r, const struct sg_reduction *red, uint32_t job,
                          uint32_t device) {
  if (red->job[job].with == 0)
    return 0;
  uint64_t contexts = sg_reduction_contexts(r, red, job, device);
  uint64_t reserved = r->job[job].admitted ? sg_admission_bytes(r, job, device) : 0;
  return contexts > reserved ? contexts : reserved;
}

/** Releases the lane of the job with its last member. */
static void release_lane(const struct sg_region *r, struct sg_reduction *red, uint32_t job) {
  uint32_t lane = sg_job_lane(r, job);
  if (lane == SG_NONE || ++red->left_lane[lane] != r->lane[lane].members)
    return;
  red->available[sg_lane_device(r, job)] += r->lane[lane].bytes;
}

/** Releases the job's budget. The budget of a gate is released with the contexts beside it, since
 * its job ends. */
static void release_budget(const struct sg_region *r, struct sg_reduction *red, uint32_t job) {
  const struct sg_job *j = &r->job[job];
  if (j->held_mask == 0 || red->job[job].budget_released || !job_can_go_on(r, red, job))
    return;
  red->job[job].budget_released = true;
  release_lane(r, red, job);
  bool with_contexts = j->clients == 0 && !red->keep_contexts;
  SG_EACH_DEVICE (d, j->held_mask) {
    red->available[d] +=
        held_left(r, red, job, d) + (with_contexts ? sg_context_cost(r, job, d) : 0);
  }
}

static void release_contexts(const struct sg_region *r, struct sg_reduction *red, uint32_t slot,
                             uint32_t job) {
  uint64_t before[SCHEDGPU_MAX_DEVICES];
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    before[d] = cost_left(r, red, job, d);
  }
  red->process[slot].without = true;
  red->job[job].with--;
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    red->available[d] += before[d] - cost_left(r, red, job, d);
  }
}

/** Releases the memory of a process, and the growth that it has taken. */
static void release_memory(const struct sg_region *r, struct sg_reduction *red, uint32_t slot,
                           uint32_t job) {
  const struct sg_client *c = &r->client[slot];
  bool shrinks = holds_growable(r, red, job);
  uint64_t before[SCHEDGPU_MAX_DEVICES];
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    before[d] = shrinks ? held_left(r, red, job, d) : 0;
  }
  red->process[slot].gone = true;
  red->job[job].left--;
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    uint64_t leased = sg_reserves_whole_budget(r, job) ? 0 : sg_leased(atomic_load(&c->lease[d]));
    red->available[d] += leased * SG_UNIT_BYTES + granted_to(r, slot, SG_ONDEMAND, d);
    red->available[d] += shrinks ? before[d] - held_left(r, red, job, d) : 0;
  }
}

static void go_on(const struct sg_region *r, struct sg_reduction *red, uint32_t slot) {
  uint32_t job = sg_client_job(r, &r->client[slot]);
  red->process[slot].blocked = false;
  if (job == SG_NONE || red->process[slot].gone || red->job[job].left == 0)
    return;
  if (!red->keep_contexts)
    release_contexts(r, red, slot, job);
  release_memory(r, red, slot, job);
  release_budget(r, red, job);
}

uint64_t sg_reduction_held(const struct sg_region *r, const struct sg_reduction *red, uint32_t job,
                           uint32_t device) {
  uint64_t bytes = 0;
  if (red->job[job].left == r->job[job].clients)
    return r->job[job].held_bytes[device];
  SG_EACH_OF_JOB (i, red, job) {
    if (is_left(r, red, i, job))
      bytes += sg_leased(atomic_load(&r->client[i].lease[device])) * SG_UNIT_BYTES +
               granted_to(r, i, SG_ONDEMAND, device);
  }
  return bytes;
}

static void find_processes(const struct sg_region *r, struct sg_reduction *red) {
  for (uint32_t i = sg_clients_end(r); i-- > 0;) {
    uint32_t job = r->client[i].state == SG_ACTIVE ? sg_client_job(r, &r->client[i]) : SG_NONE;
    red->process[i].blocked = r->waiter[i].state == SG_WAITING;
    if (job == SG_NONE)
      continue;
    red->process[i].next = red->job[job].first;
    red->job[job].first = (uint16_t)(i + 1);
  }
}

void sg_reduction_start(const struct sg_region *r, struct sg_reduction *red) {
  *red = (struct sg_reduction){0};
  find_processes(r, red);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t usable = sg_usable(&r->device[d]), granted = sg_granted_bytes(&r->device[d]);
    red->available[d] = usable > granted ? usable - granted : 0;
  }
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    if (!sg_job_active(r, j) || !holds_growable(r, red, j))
      continue;
    SG_EACH_DEVICE (d, r->job[j].held_mask) {
      uint64_t held = r->job[j].reserved_bytes[d], needed = held_left(r, red, j, d);
      red->available[d] += held > needed ? held - needed : 0;
    }
  }
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    red->job[j].left = red->job[j].with =
        sg_job_active(r, j) ? (uint16_t)sg_bound(r->job[j].clients, SG_SLOTS) : 0;
}

static bool excluded(const struct sg_reduction *red, uint32_t job) {
  return job != SG_NONE && red->job[job].excluded;
}

void sg_reduction_run(const struct sg_region *r, struct sg_reduction *red) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && !red->process[i].blocked &&
        !excluded(red, sg_client_job(r, &r->client[i])))
      go_on(r, red, i);
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_active(r, j))
      release_budget(r, red, j); /* a job without processes may hold a budget too */
}

uint64_t sg_reduction_free(const struct sg_reduction *red, uint32_t device) {
  uint64_t unreserved = red->unreserved[device];
  return red->available[device] > unreserved ? red->available[device] - unreserved : 0;
}

uint64_t sg_reduction_left(const struct sg_region *r, const struct sg_reduction *red, uint32_t job,
                           uint32_t device) {
  return held_left(r, red, job, device) - taken_left(r, red, job, device);
}

bool sg_reduction_serve(const struct sg_region *r, struct sg_reduction *red,
                        bool (*can_be_served)(const struct sg_region *r,
                                              const struct sg_reduction *red,
                                              const struct sg_waiter *w)) {
  bool changed = false, served[SG_SLOTS] = {false};
  for (uint32_t i = 0; i < sg_queue_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[sg_queue_at(r, i)];
    if (w->state == SG_WAITING && red->process[sg_waiter_client(w)].blocked &&
        !excluded(red, sg_waiter_job(r, w)) && can_be_served(r, red, w))
      served[sg_waiter_client(w)] = true;
  }
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    if (!red->process[i].blocked || !served[i])
      continue;
    go_on(r, red, i);
    changed = true;
  }
  return changed;
}
