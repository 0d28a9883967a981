/*
 * recount.c - computes the caches again from the authoritative fields; and checks every invariant,
 * for tests.
 */
#include "integrity.h"
#include "../rules/growth.h"
#include "../lanes/lanes.h"
#include <stdio.h>

/** Sums over the clients and requests of one job on one device. */
struct job_sums {
  uint64_t held, queued, contexts;
};

static void add_client(const struct sg_region *r, uint32_t job, const struct sg_client *c,
                       uint32_t device, struct job_sums *sums) {
  sums->contexts += c->contexts[device];
  if (!sg_reserves_whole_budget(r, job))
    sums->held += sg_leased(atomic_load(&c->lease[device])) * SG_UNIT_BYTES;
}

static void add_waiter(const struct sg_waiter *w, uint32_t device, struct job_sums *sums) {
  if (sg_waiter_device(w) != device)
    return;
  if (w->state == SG_GRANTED && w->kind == SG_CONTEXT)
    sums->contexts += w->bytes;
  else if (w->state == SG_GRANTED && w->kind == SG_ONDEMAND)
    sums->held += w->bytes;
  else if (w->state == SG_WAITING && w->kind == SG_ONDEMAND)
    sums->queued += w->bytes;
}

uint64_t sg_counted_by_records(const struct sg_region *r, uint32_t job, uint32_t device) {
  struct job_sums sums = {0};
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    if (c->state == SG_ACTIVE && sg_client_job(r, c) == job)
      add_client(r, job, c, device, &sums);
    if (r->waiter[i].state != SG_WAITER_FREE && sg_waiter_job(r, &r->waiter[i]) == job)
      add_waiter(&r->waiter[i], device, &sums);
  }
  return sums.held + sums.queued;
}

static void add_sums(struct sg_job *job, uint32_t device, const struct job_sums *sums) {
  job->held_bytes[device] += sums->held;
  job->queued_bytes[device] += sums->queued;
  job->context_used_bytes[device] += sums->contexts;
}

static bool is_owned(const struct sg_region *r, uint32_t j) {
  return sg_job_active(r, j) && (r->job[j].flags & SCHEDGPU_JOB_FLAG_OWNED);
}

static void recount_keys(struct sg_region *r) {
  uint32_t owned = 0;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++) {
    if (!sg_job_lost(r, j)) /* else the key is all that is left of the job */
      r->h.job_key[j] = sg_job_key(r, j);
    owned += is_owned(r, j);
  }
  SG_PUT(r->h.owned_jobs, owned);
}

static void clear_jobs(struct sg_region *r) {
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    struct sg_job *job = &r->job[j];
    job->clients = job->waiting = 0;
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
      job->held_bytes[d] = job->queued_bytes[d] = job->context_used_bytes[d] = 0;
  }
  sg_crash_point();
}

static void recount_clients(struct sg_region *r) {
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_client *c = &r->client[i];
    uint32_t j = c->state == SG_ACTIVE ? sg_client_job(r, c) : SG_NONE;
    if (j == SG_NONE)
      continue;
    r->job[j].clients++;
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
      struct job_sums sums = {0};
      add_client(r, j, c, d, &sums);
      /* most processes have something on one device, or on none */
      if ((sums.held | sums.contexts) != 0)
        add_sums(&r->job[j], d, &sums);
    }
  }
}

/** Inserts by age: the records are few, and mostly in order. */
static void insert_in_queue(struct sg_region *r, uint32_t waiter) {
  uint32_t i = sg_queue_end(r), end = i;
  if (end == SG_SLOTS)
    return;
  for (; i > 0 && r->waiter[sg_queue_at(r, i - 1)].ticket > r->waiter[waiter].ticket; i--)
    r->h.queue[i] = r->h.queue[i - 1];
  r->h.queue[i] = (uint16_t)waiter;
  r->h.queue_length = end + 1;
}

static void recount_waiters(struct sg_region *r) {
  uint32_t waiting[SCHEDGPU_MAX_DEVICES][SG_QUEUES] = {{0}};
  r->h.queue_length = 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    uint32_t j = sg_waiter_job(r, w), device = sg_waiter_device(w);
    struct job_sums sums = {0};
    if (w->state == SG_WAITER_FREE || j == SG_NONE)
      continue;
    add_waiter(w, device, &sums);
    add_sums(&r->job[j], device, &sums);
    if (w->state != SG_WAITING)
      continue;
    r->job[j].waiting++;
    insert_in_queue(r, i);
    SG_EACH_DEVICE (d, sg_waiter_mask(r, w)) {
      waiting[d][sg_queue_of(r, w)]++;
    }
  }
  /* stored once, when complete: others read them without the lock */
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    for (uint32_t q = 0; q < SG_QUEUES; q++)
      atomic_store(&r->device[d].waiting[q], waiting[d][q]);
  sg_crash_point();
}

/** False for most of the 16 devices of a job. */
static bool has_some(const struct sg_job *job, uint32_t device) {
  return ((job->device_mask | job->held_mask) & 1u << device) != 0 ||
         (job->context_used_bytes[device] | job->held_bytes[device] | job->overrun_bytes[device]) !=
             0;
}

static void add_job(const struct sg_region *r, uint32_t j, uint32_t device, struct sg_device *sum) {
  const struct sg_job *job = &r->job[j];
  uint64_t cost = sg_context_cost(r, j, device), overrun = sg_overrun(r, j, device);
  bool holds = job->held_mask & 1u << device;
  sum->context_used_bytes += cost;
  sum->unreserved_bytes += overrun;
  sum->used_bytes +=
      cost + job->held_bytes[device] + (holds ? job->reserved_bytes[device] : 0) + overrun;
  sum->held_budgets += holds;
}

/** Computes the devices' caches from those of the jobs. Reads each job once. */
static void sum_devices(const struct sg_region *r, struct sg_device sums[SCHEDGPU_MAX_DEVICES]) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    sums[d].context_used_bytes = 0;
    sums[d].held_budgets = 0;
    sums[d].used_bytes = sums[d].unreserved_bytes = sg_foreign(r, d);
  }
  for (uint32_t j = 0; j < sg_jobs_end(r); j++)
    for (uint32_t d = 0; sg_job_active(r, j) && d < SCHEDGPU_MAX_DEVICES; d++)
      if (has_some(&r->job[j], d))
        add_job(r, j, d, &sums[d]);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES && sg_lanes_end(r) != 0; d++)
    sums[d].used_bytes += sg_lanes_bytes(r, d);
}

/** Does not use the old marks: if they were too low, no scan would find the dead clients. */
static void recount_marks(struct sg_region *r) {
  r->h.job_high = SCHEDGPU_MAX_JOBS;
  r->h.client_high = SG_SLOTS;
  sg_lower_job_mark(r);
  sg_lower_client_mark(r);
}

void sg_recount(struct sg_region *r) {
  recount_marks(r);
  recount_keys(r);
  clear_jobs(r);
  recount_clients(r);
  recount_waiters(r);
  sg_lanes_recount(r);
  struct sg_device sums[SCHEDGPU_MAX_DEVICES];
  sum_devices(r, sums);
  for (uint32_t i = 0; i < SCHEDGPU_MAX_DEVICES; i++) {
    struct sg_device *d = &r->device[i];
    SG_PUT(d->used_bytes, sums[i].used_bytes);
    SG_PUT(d->context_used_bytes, sums[i].context_used_bytes);
    SG_PUT(d->unreserved_bytes, sums[i].unreserved_bytes);
    SG_PUT(d->held_budgets, sums[i].held_budgets);
  }
}

static int broken(char *text, uint64_t size, const char *what, uint32_t index, uint64_t is,
                  uint64_t should) {
  snprintf(text, size, "%s %u is %llu, not %llu", what, index, (unsigned long long)is,
           (unsigned long long)should);
  return SCHEDGPU_ECORRUPT;
}

/** Compares, and returns from the calling function with what is wrong. */
#define EXPECT(what, index, is, should)                                                            \
  do {                                                                                             \
    if ((is) != (should))                                                                          \
      return broken(text, size, what, index, is, should);                                          \
  } while (0)

static int check_device(const struct sg_region *r, uint32_t i, const struct sg_device *sum,
                        char *text, uint64_t size) {
  const struct sg_device *d = &r->device[i];
  EXPECT("used bytes of device", i, d->used_bytes, sum->used_bytes);
  EXPECT("context bytes of device", i, d->context_used_bytes, sum->context_used_bytes);
  EXPECT("held budgets of device", i, d->held_budgets, sum->held_budgets);
  EXPECT("unreserved bytes of device", i, d->unreserved_bytes, sum->unreserved_bytes);
  if (sg_granted_bytes(d) > sg_usable(d))
    return broken(text, size, "over-committed: granted bytes of device", i, sg_granted_bytes(d),
                  sg_usable(d));
  return SCHEDGPU_OK;
}

static int check_job_sums(const struct sg_region *r, uint32_t j, uint32_t d, char *text,
                          uint64_t size) {
  const struct sg_job *job = &r->job[j];
  struct job_sums sums = {0};
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (r->client[i].state == SG_ACTIVE && sg_client_job(r, &r->client[i]) == j)
      add_client(r, j, &r->client[i], d, &sums);
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    if (sg_waiter_job(r, &r->waiter[i]) == j)
      add_waiter(&r->waiter[i], d, &sums);
  EXPECT("held bytes of job", j, job->held_bytes[d], sums.held);
  EXPECT("queued bytes of job", j, job->queued_bytes[d], sums.queued);
  EXPECT("context bytes of job", j, job->context_used_bytes[d], sums.contexts);
  uint64_t leased = sg_job_leased(r, j, d) * SG_UNIT_BYTES;
  bool holds = job->held_mask & 1u << d;
  uint64_t whole = holds ? job->reserved_bytes[d] : 0;
  uint64_t declared = job->budget_bytes[d] ? job->budget_bytes[d] : UINT64_MAX;
  uint64_t limit = sg_reserves_whole_budget(r, j) ? whole : declared;
  if (sg_job_lane(r, j) != SG_NONE && sg_job_has_turn(r, j))
    limit = job->budget_bytes[d];
  if (sg_budget_grows(r, j))
    leased += sg_granted_of_budget(r, j, d);
  if (leased > limit)
    return broken(text, size, "leased bytes of job", j, leased, limit);
  return SCHEDGPU_OK;
}

static int check_job(const struct sg_region *r, uint32_t j, char *text, uint64_t size) {
  const struct sg_job *job = &r->job[j];
  uint32_t clients = 0, waiting = 0;
  if (job->state != SG_ACTIVE)
    return SCHEDGPU_OK;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    clients += r->client[i].state == SG_ACTIVE && sg_client_job(r, &r->client[i]) == j;
  for (uint32_t i = 0; i < sg_clients_end(r); i++)
    waiting += r->waiter[i].state == SG_WAITING && sg_waiter_job(r, &r->waiter[i]) == j;
  EXPECT("clients of job", j, job->clients, clients);
  EXPECT("waiting requests of job", j, job->waiting, waiting);
  if (job->admitted && clients == 0 && job->mode != SCHEDGPU_MODE_GATE)
    return broken(text, size, "admission without a process: job", j, 1, 0);
  if (job->held_mask != 0)
    EXPECT("held devices of job", j, job->held_mask, job->device_mask);
  if (sg_job_lane(r, j) != SG_NONE && sg_job_lane(r, j) >= sg_lanes_end(r))
    return broken(text, size, "lane beyond the high mark: job", j, job->lane - 1, r->h.lane_high);
  int rc = SCHEDGPU_OK;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES && rc == SCHEDGPU_OK; d++)
    rc = check_job_sums(r, j, d, text, size);
  return rc;
}

static int check_clients(const struct sg_region *r, char *text, uint64_t size) {
  for (uint32_t i = 0; i < SG_SLOTS; i++) {
    if (r->client[i].state != SG_ACTIVE)
      continue;
    if (i >= sg_clients_end(r))
      return broken(text, size, "client beyond the high mark:", i, i, r->h.client_high);
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
      uint64_t word = atomic_load(&r->client[i].lease[d]);
      if (sg_in_use(word) > sg_leased(word))
        return broken(text, size, "units in use of client", i, sg_in_use(word), sg_leased(word));
    }
  }
  return SCHEDGPU_OK;
}

static int check_waiter(const struct sg_region *r, uint32_t i, char *text, uint64_t size) {
  const struct sg_waiter *w = &r->waiter[i];
  if (w->state > SG_GRANTED)
    return broken(text, size, "state of waiter", i, w->state, SG_GRANTED);
  if (w->client != i || r->client[i].state != SG_ACTIVE)
    return broken(text, size, "client of waiter", i, w->client, i);
  if (w->ticket > r->h.ticket)
    return broken(text, size, "ticket of waiter", i, w->ticket, r->h.ticket);
  return SCHEDGPU_OK;
}

/** The queue names every waiting record once, oldest first, and the devices count them. */
static int check_queue(const struct sg_region *r, char *text, uint64_t size) {
  uint32_t waiting = 0, counts[SCHEDGPU_MAX_DEVICES][SG_QUEUES] = {{0}};
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (w->state != SG_WAITING || sg_waiter_job(r, w) == SG_NONE)
      continue;
    waiting++;
    SG_EACH_DEVICE (d, sg_waiter_mask(r, w)) {
      counts[d][sg_queue_of(r, w)]++;
    }
  }
  EXPECT("length of the queue", 0, r->h.queue_length, waiting);
  for (uint32_t i = 0; i < sg_queue_end(r); i++) {
    EXPECT("state of the waiter at place", i, r->waiter[sg_queue_at(r, i)].state, SG_WAITING);
    if (i > 0 && r->waiter[sg_queue_at(r, i)].ticket < r->waiter[sg_queue_at(r, i - 1)].ticket)
      return broken(text, size, "out of order: place", i, i, i - 1);
  }
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    for (uint32_t q = 0; q < SG_QUEUES; q++)
      EXPECT("waiting count of device", d, r->device[d].waiting[q], counts[d][q]);
  return SCHEDGPU_OK;
}

static int check_lane(const struct sg_region *r, uint32_t i, char *text, uint64_t size) {
  const struct sg_lane *lane = &r->lane[i];
  uint32_t members = 0, waiting = 0;
  uint64_t bytes = 0;
  if (i >= sg_lanes_end(r) && lane->members == 0)
    return SCHEDGPU_OK; /* check_job() finds a job in such a lane */
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    if (sg_job_lane(r, j) != i)
      continue;
    members++;
    bytes = sg_ephemeral(r, j) > bytes ? sg_ephemeral(r, j) : bytes;
    EXPECT("device of lane", i, lane->device, sg_lane_device(r, j));
    EXPECT("policy of lane", i, lane->policy, r->job[j].lane_policy);
    EXPECT("sharers of lane", i, sg_lane_sharers(r, i), sg_sharers(r, j));
  }
  for (uint32_t c = 0; c < sg_clients_end(r); c++) {
    uint32_t job = r->client[c].state == SG_ACTIVE ? sg_client_job(r, &r->client[c]) : SG_NONE;
    waiting += r->turn[c].state == SG_WAITING && job != SG_NONE && sg_job_lane(r, job) == i;
  }
  EXPECT("members of lane", i, lane->members, members);
  EXPECT("bytes of lane", i, lane->bytes, bytes);
  EXPECT("waiting processes of lane", i, lane->waiting, waiting);
  if (waiting != 0 && sg_turn_holder(r, i) == SG_NONE)
    return broken(text, size, "a turn of nobody is waited for: lane", i, 0, 1);
  return SCHEDGPU_OK;
}

static int check_keys(const struct sg_region *r, char *text, uint64_t size) {
  uint32_t owned = 0;
  for (uint32_t j = 0; j < SCHEDGPU_MAX_JOBS; j++) {
    EXPECT("key of job", j, r->h.job_key[j], sg_job_key(r, j));
    owned += is_owned(r, j);
  }
  EXPECT("count of owned jobs", 0, r->h.owned_jobs, owned);
  return SCHEDGPU_OK;
}

int sg_check(const struct sg_region *r, char *text, uint64_t size) {
  int rc = check_keys(r, text, size);
  if (rc == SCHEDGPU_OK)
    rc = check_queue(r, text, size);
  struct sg_device sums[SCHEDGPU_MAX_DEVICES];
  sum_devices(r, sums);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES && rc == SCHEDGPU_OK; d++)
    rc = check_device(r, d, &sums[d], text, size);
  for (uint32_t j = 0; j < sg_jobs_end(r) && rc == SCHEDGPU_OK; j++)
    rc = check_job(r, j, text, size);
  for (uint32_t i = 0; i < SG_LANES && rc == SCHEDGPU_OK; i++)
    rc = check_lane(r, i, text, size);
  for (uint32_t i = 0; i < SG_SLOTS && rc == SCHEDGPU_OK; i++)
    if (r->waiter[i].state != SG_WAITER_FREE)
      rc = check_waiter(r, i, text, size);
  return rc == SCHEDGPU_OK ? check_clients(r, text, size) : rc;
}
