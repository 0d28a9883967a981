/* access.h - reads of the region that are safe whatever its fields hold. */
#ifndef SG_ACCESS_H
#define SG_ACCESS_H

#include "region.h"
#include <stddef.h>

/** Waiters whose state this transition changed: the shell wakes them afterwards. SG_SLOTS + slot:
 * the process of the slot, which waited for the turn of its lane. */
struct sg_wakes {
  uint32_t count;
  uint16_t waiter[2 * SG_SLOTS];
};

/** For each device `d` in `mask`, lowest first. */
#define SG_EACH_DEVICE(d, mask)                                                                    \
  for (uint32_t d##_rest = (mask) & ((1u << SCHEDGPU_MAX_DEVICES) - 1), d;                         \
       d##_rest != 0 && ((d = (uint32_t)__builtin_ctz(d##_rest)), true); d##_rest &= d##_rest - 1)

#define SG_MAX_SHARE 1000u

/** `bytes` in whole units of 512 bytes. */
static inline uint64_t sg_round_up(uint64_t bytes) {
  uint64_t rest = bytes % SG_UNIT_BYTES;
  if (rest == 0)
    return bytes;
  return bytes > UINT64_MAX - SG_UNIT_BYTES ? UINT64_MAX - UINT64_MAX % SG_UNIT_BYTES
                                            : bytes - rest + SG_UNIT_BYTES;
}

static inline uint64_t sg_usable(const struct sg_device *d) {
  return d->total_bytes > d->reserved_bytes ? d->total_bytes - d->reserved_bytes : 0;
}
static inline uint64_t sg_free(const struct sg_device *d) {
  uint64_t usable = sg_usable(d);
  return usable > d->used_bytes ? usable - d->used_bytes : 0;
}
static inline bool sg_device_present(const struct sg_region *r, uint32_t d) {
  return d < SCHEDGPU_MAX_DEVICES && r->device[d].state == SG_ACTIVE;
}
/** Reads once: another process may change the field between a check and a use. */
static inline uint32_t sg_read_once(const uint32_t *field) {
  return *(const volatile uint32_t *)field;
}
/** The liveness file with the byte of this slot's process: see shell/region/liveness.c. */
static inline uint64_t sg_live_ino(const struct sg_region *r, uint32_t slot) {
  return slot < SG_ADMIN_SLOTS ? r->h.root_live_ino : r->h.live_ino;
}
static inline uint32_t sg_bound(uint32_t high, uint32_t capacity) {
  return high < capacity ? high : capacity;
}
static inline uint32_t sg_jobs_end(const struct sg_region *r) {
  return sg_bound(sg_read_once(&r->h.job_high), SCHEDGPU_MAX_JOBS);
}
static inline uint32_t sg_clients_end(const struct sg_region *r) {
  return sg_bound(sg_read_once(&r->h.client_high), SG_SLOTS);
}
static inline bool sg_job_active(const struct sg_region *r, uint32_t job) {
  return job < SCHEDGPU_MAX_JOBS && r->job[job].state == SG_ACTIVE;
}
/** True for a job in a mode that reserves whole budgets: peak or gate. */
static inline bool sg_reserves_whole_budget(const struct sg_region *r, uint32_t job) {
  return r->job[job].mode != SCHEDGPU_MODE_ONDEMAND;
}
/** True for an ondemand job that declared a budget on each of its devices, under the rule
 * `avoid`. */
static inline bool sg_has_claim(const struct sg_region *r, uint32_t job) {
  const struct sg_job *j = &r->job[job];
  if (r->h.deadlock_rule != SCHEDGPU_DEADLOCK_AVOID || j->mode != SCHEDGPU_MODE_ONDEMAND)
    return false;
  SG_EACH_DEVICE (d, j->device_mask) {
    if (j->budget_bytes[d] == 0)
      return false;
  }
  return true;
}

/** Bytes, without contexts, that the job may come to hold on the device: a whole budget or a max
 * claim; 0 if it has neither. */
static inline uint64_t sg_committed(const struct sg_region *r, uint32_t job, uint32_t device) {
  bool counts = (sg_reserves_whole_budget(r, job) || sg_has_claim(r, job)) &&
                (r->job[job].device_mask & 1u << device);
  return counts ? r->job[job].budget_bytes[device] : 0;
}
/** Index of the client's active job, SG_NONE if it has none. */
static inline uint32_t sg_client_job(const struct sg_region *r, const struct sg_client *c) {
  uint32_t job = sg_read_once(&c->job);
  return sg_job_active(r, job) ? job : SG_NONE;
}
/** Index of the waiter's active job, SG_NONE if it has none. */
static inline uint32_t sg_waiter_job(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_read_once(&w->job);
  return sg_job_active(r, job) ? job : SG_NONE;
}
/** The waiter's device; always in range, whatever the field holds. */
static inline uint32_t sg_waiter_device(const struct sg_waiter *w) {
  return sg_read_once(&w->device) % SCHEDGPU_MAX_DEVICES;
}
static inline uint32_t sg_waiter_client(const struct sg_waiter *w) {
  return sg_read_once(&w->client) % SG_SLOTS;
}
/** The number of waiters, and the i-th oldest of them. */
static inline uint32_t sg_queue_end(const struct sg_region *r) {
  return sg_bound(sg_read_once(&r->h.queue_length), SG_SLOTS);
}
static inline uint32_t sg_queue_at(const struct sg_region *r, uint32_t i) {
  return *(const volatile uint16_t *)&r->h.queue[i] % SG_SLOTS;
}
/** The queue of the waiter now. The admission of its job moves it to the other queue. */
static inline uint32_t sg_queue_of(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w);
  bool admitted = job != SG_NONE && r->job[job].admitted;
  return w->kind == SG_CONTEXT || !admitted ? SG_QUEUE_CONTEXT : SG_QUEUE_MEMORY;
}
/** The word on which the process of an entry of sg_wakes sleeps. */
static inline _Atomic uint32_t *sg_wake_word(struct sg_region *r, uint32_t entry) {
  return entry < SG_SLOTS ? &r->waiter[entry].state : &r->turn[(entry - SG_SLOTS) % SG_SLOTS].state;
}
static inline void sg_add_wake(struct sg_wakes *wakes, uint32_t waiter) {
  if (wakes->count < 2 * SG_SLOTS)
    wakes->waiter[wakes->count++] = (uint16_t)waiter;
}

#endif
