/* core_state.c - schedgpu_core_read(): the state as words. */
#include "core_api.h"

struct sink {
  uint64_t *words;
  uint32_t capacity;
  uint32_t count; /**< words written, or needed if `capacity` is too small */
};

static void put(struct sink *s, uint64_t word) {
  if (s->count < s->capacity)
    s->words[s->count] = word;
  s->count++;
}

static void put_devices(const struct sg_region *r, struct sink *s) {
  for (uint32_t d = 0; d < r->h.device_count; d++) {
    put(s, sg_free(&r->device[d]));
    put(s, r->device[d].used_bytes);
    put(s, r->device[d].context_used_bytes);
  }
}

static void put_peaks(const struct sg_region *r, const uint64_t *peak_bytes, struct sink *s) {
  for (uint32_t d = 0; d < r->h.device_count; d++)
    put(s, peak_bytes[d]);
}

static uint64_t put_jobs(const struct sg_region *r, struct sink *s) {
  uint64_t jobs = 0;
  for (uint32_t j = 0; j < sg_jobs_end(r); j++) {
    if (!sg_job_active(r, j))
      continue;
    put(s, r->job[j].id);
    put(s, r->job[j].admitted);
    put(s, r->job[j].held_mask != 0);
    put(s, r->job[j].waits);
    put(s, r->job[j].waited_ns);
    put(s, r->job[j].held_since_ns);
    put(s, r->job[j].held_ns);
    put(s, r->job[j].refusals);
    put(s, r->job[j].refused_bytes);
    put_peaks(r, r->job[j].peak_bytes, s);
    put_peaks(r, r->job[j].context_peak_bytes, s);
    jobs++;
  }
  return jobs;
}

static void put_client(const struct sg_region *r, uint32_t slot, struct sink *s) {
  const struct sg_client *c = &r->client[slot];
  uint32_t job = sg_client_job(r, c);
  put(s, slot);
  put(s, job == SG_NONE ? SCHEDGPU_CORE_NO_JOB : r->job[job].id);
  for (uint32_t d = 0; d < r->h.device_count; d++) {
    put(s, sg_in_use(atomic_load(&c->lease[d])) * SG_UNIT_BYTES);
    put(s, c->contexts[d]);
  }
}

static uint64_t put_clients(const struct sg_region *r, struct sink *s) {
  uint64_t clients = 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    if (r->client[i].state != SG_ACTIVE)
      continue;
    put_client(r, i, s);
    clients++;
  }
  return clients;
}

static uint64_t put_waiters(const struct sg_region *r, struct sink *s) {
  uint64_t waiters = 0;
  for (uint32_t i = 0; i < sg_clients_end(r); i++) {
    const struct sg_waiter *w = &r->waiter[i];
    if (w->state == SG_WAITER_FREE)
      continue;
    put(s, w->ticket);
    put(s, w->state == SG_GRANTED);
    waiters++;
  }
  return waiters;
}

/** The last jobs that ended, the youngest first. */
static void put_ended(const struct sg_region *r, struct sink *s) {
  uint64_t end = r->h.ended, shown = end < SCHEDGPU_CORE_ENDED ? end : SCHEDGPU_CORE_ENDED;
  for (uint64_t sequence = end; sequence > end - shown; sequence--) {
    const struct sg_ended *e = &r->ended[(sequence - 1) % SG_ENDED];
    put(s, e->id);
    put(s, e->ended_ns);
    put(s, e->waits);
    put(s, e->waited_ns);
    put(s, e->held_ns);
    put(s, e->refusals);
    put(s, e->refused_bytes);
    put_peaks(r, e->peak_bytes, s);
    put_peaks(r, e->context_peak_bytes, s);
  }
}

/** The tickets of the requests that were woken; turns are in schedgpu_core_read_lanes(). */
static uint64_t put_woken(const schedgpu_core *core, struct sink *s) {
  uint64_t woken = 0;
  for (uint32_t i = 0; i < core->wakes.count; i++) {
    uint32_t entry = core->wakes.waiter[i];
    if (entry >= SG_SLOTS)
      continue;
    put(s, core->region.waiter[entry].ticket);
    woken++;
  }
  return woken;
}

enum { DEVICES, JOBS, CLIENTS, WAITERS, WOKEN, ENDED, NUMBERS };

int schedgpu_core_read(const schedgpu_core *core, uint64_t *words, uint32_t capacity) {
  const struct sg_region *r = &core->region;
  struct sink s = {words, capacity, NUMBERS};
  if (capacity < NUMBERS)
    return SCHEDGPU_EINVAL;
  words[DEVICES] = r->h.device_count;
  put_devices(r, &s);
  words[JOBS] = put_jobs(r, &s);
  words[CLIENTS] = put_clients(r, &s);
  words[WAITERS] = put_waiters(r, &s);
  words[WOKEN] = put_woken(core, &s);
  words[ENDED] = r->h.ended;
  put_ended(r, &s);
  return s.count <= capacity ? (int)s.count : SCHEDGPU_EINVAL;
}
