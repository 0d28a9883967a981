/*
 * account.c - the caches. Every transition changes held, queued and reserved bytes through these
 * functions, so no transition adds anything up. sg_recount() computes the same values from scratch.
 */
#include "account.h"
#include "growth.h"
#include "../lanes/lanes.h"
#include <string.h>

static void add_used(struct sg_region *r, uint32_t device, uint64_t plus, uint64_t minus) {
  if (plus != minus)
    SG_PUT(r->device[device].used_bytes, r->device[device].used_bytes + plus - minus);
}

uint64_t sg_admission_bytes(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t context = r->device[device].context_bytes, n = r->job[job].processes;
  return context != 0 && n > UINT64_MAX / context ? UINT64_MAX : n * context;
}

uint64_t sg_context_cost(const struct sg_region *r, uint32_t job, uint32_t device) {
  const struct sg_job *j = &r->job[job];
  uint64_t used = j->context_used_bytes[device];
  if (!j->admitted || !(j->device_mask & 1u << device))
    return used;
  uint64_t reserved = sg_admission_bytes(r, job, device);
  return used > reserved ? used : reserved;
}

uint64_t sg_held_by(const struct sg_region *r, uint32_t job, uint32_t device) {
  const struct sg_job *j = &r->job[job];
  uint64_t budget = j->held_mask & 1u << device ? j->reserved_bytes[device] : 0;
  return sg_context_cost(r, job, device) + budget + j->held_bytes[device];
}

static void change_cost(struct sg_region *r, uint32_t device, uint64_t before, uint64_t after) {
  struct sg_device *d = &r->device[device];
  if (before == after)
    return;
  SG_PUT(d->context_used_bytes, d->context_used_bytes + after - before);
  add_used(r, device, after, before);
}

void sg_account_context(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                        uint64_t minus) {
  uint64_t before = sg_context_cost(r, job, device),
           *used = &r->job[job].context_used_bytes[device];
  SG_PUT(*used, *used + plus - minus);
  change_cost(r, device, before, sg_context_cost(r, job, device));
}

static bool holds_memory(const struct sg_job *j) {
  bool holds = j->held_mask != 0;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES && !holds; d++)
    holds = j->held_bytes[d] != 0;
  return holds;
}

/**
 * `held_since_ns` is the time at which the job would have begun to hold memory if it had never
 * paused. So one store begins a period, and a process that is killed while it ends a period does
 * not count the period twice.
 */
void sg_account_held(struct sg_region *r, uint32_t job, uint64_t now_ns) {
  struct sg_job *j = &r->job[job];
  uint64_t since_ns = j->held_since_ns, before_ns = j->held_ns;
  if (holds_memory(j) == (since_ns != 0))
    return;
  if (since_ns == 0) {
    SG_PUT(j->held_since_ns, now_ns > before_ns ? now_ns - before_ns : 1);
    return;
  }
  SG_PUT(j->held_ns, now_ns > since_ns ? now_ns - since_ns : 0);
  SG_PUT(j->held_since_ns, 0);
}

void sg_account_held_of_all(struct sg_region *r, uint64_t now_ns) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    if (sg_job_active(r, j))
      sg_account_held(r, j, now_ns);
}

/**
 * The time from which another request of the job has been waiting, at most `now_ns`. The queue is
 * read from the place where this one was: requests of a job often stand together. Those of a job
 * that ends have left it before they are accounted for.
 */
static uint64_t others_wait_since(const struct sg_region *r, uint32_t job, uint32_t place,
                                  uint64_t now_ns) {
  bool ends = r->job[job].state == SG_ENDING;
  uint32_t end = ends ? sg_clients_end(r) : sg_queue_end(r);
  uint32_t left = ends ? end : r->job[job].waiting;
  uint64_t first_ns = now_ns;
  for (uint32_t i = 0; i < end && left != 0; i++) {
    uint32_t at = (place + i) % end;
    const struct sg_waiter *w = &r->waiter[ends ? at : sg_queue_at(r, at)];
    if (w->state != SG_WAITING || sg_read_once(&w->job) != job)
      continue;
    left--;
    if (w->since_ns != 0 && w->since_ns < first_ns)
      first_ns = w->since_ns;
  }
  return first_ns;
}

/** Waits at the same time count once: the part that a wait which goes on covers is left to it. */
void sg_account_wait(struct sg_region *r, uint32_t job, const struct sg_waiter *w, uint32_t place,
                     uint64_t now_ns) {
  if (job >= SCHEDGPU_MAX_JOBS || w->since_ns == 0)
    return; /* the request was granted or refused without a wait */
  struct sg_job *j = &r->job[job];
  uint64_t until_ns = others_wait_since(r, job, place, now_ns);
  SG_PUT(j->waited_ns, j->waited_ns + (until_ns > w->since_ns ? until_ns - w->since_ns : 0));
  SG_PUT(j->waits, j->waits + 1);
}

void sg_account_memory(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                       uint64_t minus, uint64_t now_ns) {
  uint64_t *held = &r->job[job].held_bytes[device];
  SG_PUT(*held, *held + plus - minus);
  add_used(r, device, plus, minus);
  sg_account_held(r, job, now_ns);
}

void sg_account_unreserved(struct sg_region *r, uint32_t device, uint64_t plus, uint64_t minus) {
  uint64_t *unreserved = &r->device[device].unreserved_bytes;
  SG_PUT(*unreserved, *unreserved + plus - minus);
  add_used(r, device, plus, minus);
}

/** Adds `by` to the counts of all queues of one request for memory. The flags say how its job is,
 * or was. */
static void count_in_queues(struct sg_region *r, const struct sg_waiter *w, bool admitted,
                            bool beyond_budget, int by) {
  uint32_t mask = beyond_budget ? 1u << sg_waiter_device(w) : w->device_mask;
  uint32_t queue = admitted ? SG_QUEUE_MEMORY : SG_QUEUE_CONTEXT;
  SG_EACH_DEVICE (d, mask) {
    atomic_fetch_add(&r->device[d].waiting[queue], (uint32_t)by);
  }
}

/**
 * Moves a job's requests for memory to their new queues: after its admission, and when it begins or
 * ends to hold a growable budget. Increases the new counts first: a process that frees memory reads
 * the counts without the lock and must never read too few.
 */
static void move_waiting(struct sg_region *r, uint32_t job, bool was_admitted, bool did_hold) {
  for (uint32_t i = 0; i < sg_queue_end(r) && r->job[job].waiting != 0; i++) {
    const struct sg_waiter *w = &r->waiter[sg_queue_at(r, i)];
    if (w->kind == SG_CONTEXT || sg_waiter_job(r, w) != job)
      continue;
    bool was_beyond = w->kind == SG_PEAK && sg_budget_grows(r, job) && was_admitted && did_hold;
    count_in_queues(r, w, r->job[job].admitted, sg_is_beyond_budget(r, w), 1);
    count_in_queues(r, w, was_admitted, was_beyond, -1);
  }
}

void sg_account_admission(struct sg_region *r, uint32_t job, bool admitted) {
  struct sg_job *j = &r->job[job];
  if ((j->admitted != 0) == admitted)
    return;
  uint64_t before[SCHEDGPU_MAX_DEVICES];
  SG_EACH_DEVICE (d, j->device_mask) {
    before[d] = sg_context_cost(r, job, d);
  }
  SG_PUT(j->admitted, admitted ? 1 : 0);
  SG_EACH_DEVICE (d, j->device_mask) {
    struct sg_device *device = &r->device[d];
    change_cost(r, d, before[d], sg_context_cost(r, job, d));
    if (admitted && j->need_bytes[d] > device->largest_need_bytes)
      SG_PUT(device->largest_need_bytes, j->need_bytes[d]);
  }
  move_waiting(r, job, !admitted, j->held_mask != 0);
}

void sg_account_growth(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                       uint64_t minus) {
  uint64_t *held = &r->job[job].reserved_bytes[device];
  if (plus == minus)
    return;
  SG_PUT(*held, *held + plus - minus);
  add_used(r, device, plus, minus);
}

void sg_account_lane(struct sg_region *r, uint32_t device, uint64_t plus, uint64_t minus) {
  add_used(r, device, plus, minus);
}

void sg_account_hold(struct sg_region *r, uint32_t job, uint64_t now_ns) {
  struct sg_job *j = &r->job[job];
  bool lane = sg_is_lane_job(r, job);
  if (lane)
    sg_lane_choose(r, job);
  SG_EACH_DEVICE (d, j->device_mask) {
    SG_PUT(j->reserved_bytes[d], lane ? j->persistent_bytes : j->budget_bytes[d]);
    add_used(r, d, j->reserved_bytes[d], 0);
    SG_PUT(r->device[d].held_budgets, r->device[d].held_budgets + 1);
  }
  SG_PUT(j->held_mask, j->device_mask);
  if (lane)
    add_used(r, sg_lane_device(r, job), sg_lane_join(r, job, now_ns), 0);
  sg_account_held(r, job, now_ns);
  move_waiting(r, job, j->admitted, false);
}

uint32_t sg_account_unhold(struct sg_region *r, uint32_t job, uint64_t now_ns) {
  struct sg_job *j = &r->job[job];
  uint32_t mask = j->held_mask, lane = sg_job_lane(r, job);
  SG_PUT(j->held_mask, 0);
  if (lane != SG_NONE)
    add_used(r, sg_lane_device(r, job), 0, sg_lane_leave(r, job, lane));
  SG_EACH_DEVICE (d, mask) {
    add_used(r, d, 0, j->reserved_bytes[d]);
    SG_PUT(r->device[d].held_budgets, r->device[d].held_budgets - 1);
  }
  sg_account_held(r, job, now_ns);
  move_waiting(r, job, r->job[job].admitted, true);
  return mask;
}

static void count_waiting(struct sg_region *r, const struct sg_waiter *w, uint32_t job, int by) {
  uint32_t queue = sg_queue_of(r, w);
  SG_EACH_DEVICE (d, sg_waiter_mask(r, w)) {
    atomic_fetch_add(&r->device[d].waiting[queue], (uint32_t)by);
  }
  sg_crash_point();
  SG_PUT(r->job[job].waiting, r->job[job].waiting + (uint32_t)by);
  if (w->kind == SG_ONDEMAND) {
    uint64_t *queued = &r->job[job].queued_bytes[sg_waiter_device(w)];
    SG_PUT(*queued, by > 0 ? *queued + w->bytes : *queued - w->bytes);
  }
}

void sg_account_queued(struct sg_region *r, uint32_t index) {
  const struct sg_waiter *w = &r->waiter[index];
  uint32_t end = sg_queue_end(r);
  count_waiting(r, w, w->job, 1);
  if (end < SG_SLOTS) {
    SG_PUT(r->h.queue[end], (uint16_t)index);
    SG_PUT(r->h.queue_length, end + 1);
  }
}

uint32_t sg_account_unqueued(struct sg_region *r, uint32_t index) {
  const struct sg_waiter *w = &r->waiter[index];
  uint32_t job = sg_waiter_job(r, w), at = 0, end = sg_queue_end(r);
  if (job != SG_NONE)
    count_waiting(r, w, job, -1);
  while (at < end && r->h.queue[at] != index)
    at++;
  if (at == end)
    return 0;
  memmove(&r->h.queue[at], &r->h.queue[at + 1], (end - at - 1) * sizeof r->h.queue[0]);
  sg_crash_point();
  SG_PUT(r->h.queue_length, end - 1);
  return at;
}

static uint64_t less(uint64_t sum, uint64_t part) {
  return sum > part ? sum - part : 0; /* a damaged sum */
}

void sg_account_ended(struct sg_region *r, uint32_t job) {
  const struct sg_job *j = &r->job[job];
  for (uint32_t i = 0; i < SCHEDGPU_MAX_DEVICES; i++) {
    struct sg_device *d = &r->device[i];
    uint64_t cost = sg_context_cost(r, job, i), overrun = sg_overrun(r, job, i);
    bool holds = j->held_mask & 1u << i;
    uint64_t used = cost + j->held_bytes[i] + (holds ? j->reserved_bytes[i] : 0) + overrun;
    if (used == 0 && !holds)
      continue;
    SG_PUT(d->used_bytes, less(d->used_bytes, used));
    SG_PUT(d->context_used_bytes, less(d->context_used_bytes, cost));
    SG_PUT(d->unreserved_bytes, less(d->unreserved_bytes, overrun));
    SG_PUT(d->held_budgets, (uint32_t)less(d->held_budgets, holds));
  }
}

/* The high marks bound every scan. They sink when the highest records are free. */

void sg_lower_client_mark(struct sg_region *r) {
  uint32_t end = sg_clients_end(r);
  while (end > 0 && r->client[end - 1].state == SG_FREE)
    end--;
  if (end != r->h.client_high)
    SG_PUT(r->h.client_high, end);
}

void sg_lower_job_mark(struct sg_region *r) {
  uint32_t end = sg_jobs_end(r);
  while (end > 0 && r->job[end - 1].state == SG_FREE)
    end--;
  if (end != r->h.job_high)
    SG_PUT(r->h.job_high, end);
}
