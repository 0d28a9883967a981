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
/** Clears the count alone: the entries behind it are large, and read only below the count. */
static inline void sg_wakes_clear(struct sg_wakes *wakes) {
  wakes->count = 0;
}
static inline void sg_add_wake(struct sg_wakes *wakes, uint32_t waiter) {
  if (wakes->count < 2 * SG_SLOTS)
    wakes->waiter[wakes->count++] = (uint16_t)waiter;
}

/* --- the two halves of a lease: units leased, and of them in use (rules/leases.c) --- */
static inline uint64_t sg_leased(uint64_t word) {
  return word >> 32;
}
static inline uint64_t sg_in_use(uint64_t word) {
  return word & UINT32_MAX;
}
static inline uint64_t sg_lease_word(uint64_t leased, uint64_t in_use) {
  return leased << 32 | in_use;
}

/* --- budgets that grow (rules/growth.c) --- */
/** True if the job's budget is growable: a request beyond it waits for memory (growth.c). */
static inline bool sg_budget_grows(const struct sg_region *r, uint32_t job) {
  return r->job[job].mode == SCHEDGPU_MODE_PEAK &&
         (r->job[job].flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
}
/** True for a request beyond a held budget. It waits on one device, for the bytes that are
 * missing. */
static inline bool sg_is_beyond_budget(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = w->kind == SG_PEAK ? sg_waiter_job(r, w) : SG_NONE;
  return job != SG_NONE && sg_budget_grows(r, job) && r->job[job].held_mask != 0 &&
         r->job[job].admitted;
}
/** The devices in whose queues the waiter is now. */
static inline uint32_t sg_waiter_mask(const struct sg_region *r, const struct sg_waiter *w) {
  return sg_is_beyond_budget(r, w) ? 1u << sg_waiter_device(w) : sg_read_once(&w->device_mask);
}

/* --- jobs in lanes (lanes/lanes.c) --- */
static inline bool sg_is_lane_job(const struct sg_region *r, uint32_t job) {
  return r->job[job].lane_policy != SCHEDGPU_LANE_NONE;
}
/** The device of a lane job; it has one. */
static inline uint32_t sg_lane_device(const struct sg_region *r, uint32_t job) {
  uint32_t mask = sg_read_once(&r->job[job].device_mask);
  return mask != 0 ? (uint32_t)__builtin_ctz(mask) % SCHEDGPU_MAX_DEVICES : 0;
}
static inline uint32_t sg_lanes_end(const struct sg_region *r) {
  return sg_bound(sg_read_once(&r->h.lane_high), SG_LANES);
}
/** The lane of a job that holds; SG_NONE for any other job. */
static inline uint32_t sg_job_lane(const struct sg_region *r, uint32_t job) {
  uint32_t lane = sg_read_once(&r->job[job].lane);
  bool member = sg_job_active(r, job) && sg_is_lane_job(r, job) && r->job[job].held_mask != 0;
  return member && lane >= 1 && lane <= SG_LANES ? lane - 1 : SG_NONE;
}
/** Bytes that a member uses only during its turn. */
static inline uint64_t sg_ephemeral(const struct sg_region *r, uint32_t job) {
  uint32_t d = sg_lane_device(r, job);
  uint64_t budget = r->job[job].budget_bytes[d], kept = r->job[job].reserved_bytes[d];
  return budget > kept ? budget - kept : 0;
}
/** True if the job shares the memory of its lane: its processes have their persistent memory and
 * that, never ephemeral memory of their own. */
static inline bool sg_shares_lane(const struct sg_region *r, uint32_t job) {
  return sg_is_lane_job(r, job) && r->job[job].shares_lane != 0;
}
/** What the processes of the job may have by themselves, its budget if it shares no lane. */
static inline uint64_t sg_own_budget(const struct sg_region *r, uint32_t job, uint32_t device) {
  return sg_shares_lane(r, job) ? r->job[job].persistent_bytes : r->job[job].budget_bytes[device];
}

#endif
