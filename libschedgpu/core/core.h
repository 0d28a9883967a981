/*
 * core.h - the transitions of the region: a pure state machine. No system call, no clock, no
 * allocation: time comes in as `now_ns`, who must be woken goes out in `struct sg_wakes`. Whoever
 * calls holds the lock (except where said). The shell, the simulator and the tests run this code.
 */
#ifndef SG_CORE_H
#define SG_CORE_H

#include "region.h"
#include <stddef.h>

/** Waiters whose state was changed by somebody else: the shell wakes them after the transition. */
struct sg_wakes {
  uint32_t count;
  uint16_t waiter[SG_SLOTS];
};

/** A request for device memory, for a context, or for the budget of a job in mode `gate`. */
struct sg_request {
  uint32_t client; /**< slot */
  uint32_t device;
  uint64_t bytes;
  bool context;         /**< a context of the device's context_bytes; `bytes` is ignored */
  bool gate;            /**< the job's whole budget; `bytes` is ignored */
  bool may_wait;        /**< false: SCHEDGPU_EWOULDBLOCK instead of a place in the queue */
  uint64_t deadline_ns; /**< for display */
};

/* --- set-up (setup.c) --- */
/** Fills a zeroed region and marks it ready. `now_ns` goes into created_ns. */
int sg_region_init(struct sg_region *r, const struct schedgpu_setup *setup, uint64_t now_ns);
/** Adds devices that are new and updates the numbers of those that are there, as far as safe. */
int sg_region_update(struct sg_region *r, const struct schedgpu_setup *setup);
/** 0 if `r` (of `size` bytes) may be used; EVERSION or ECORRUPT if not. */
int sg_region_verify(const struct sg_region *r, uint64_t size);
uint32_t sg_layout_stamp(void);

/* --- which job is where (job_keys.c) --- */
/** Index of the active job, by the keys of the header; SG_NONE if there is none. */
uint32_t sg_job_find(const struct sg_region *r, uint32_t kind, uint64_t id);
/** Whether a key of the header is this job's, whatever its record says. */
bool sg_job_named(const struct sg_region *r, uint32_t kind, uint64_t id);
/** The same as sg_job_find() by the records alone, while the keys may be wrong: before a recount.
 */
uint32_t sg_job_search(const struct sg_region *r, uint32_t kind, uint64_t id);
/** What the header's key of this record should be: 0 if it is no active job's. */
uint64_t sg_job_key(const struct sg_region *r, uint32_t job);
/** Whether it can be that of a job. */
bool sg_key_right(uint64_t key);
/** Index of the first record that is free, SG_NONE if none is. */
uint32_t sg_job_place(const struct sg_region *r);
/* --- jobs (jobs.c) --- */
int sg_job_begin(struct sg_region *r, const struct schedgpu_job_spec *spec, uint32_t owner_slot,
                 uint64_t now_ns, struct sg_wakes *wakes);
int sg_job_end(struct sg_region *r, uint32_t job, uint64_t now_ns, struct sg_wakes *wakes);
/**
 * The same in a copy that is nobody else's: what the job adds to the sums is taken out of them.
 * Where others write, too, all is counted anew: it takes ten times as long, and needs no sum to be
 * right.
 */
int sg_job_end_in_copy(struct sg_region *r, uint32_t job, uint64_t now_ns, struct sg_wakes *wakes);
void sg_job_describe(const struct sg_job *job, struct schedgpu_job_spec *spec);

/* --- clients (clients.c) --- */
/** Whether who began an owned job has not been removed yet; he may be dead. */
bool sg_owner_attached(const struct sg_region *r, const struct sg_job *job);
/** Activates slot `slot`, whose gen the caller has bumped, for job index `job` (or SG_NONE). */
int sg_client_attach(struct sg_region *r, uint32_t slot, uint32_t job, uint32_t uid, int32_t pid,
                     uint64_t pid_namespace);
/** Gives back what the client of `slot` held; returns the bytes. For the living and the dead. */
uint64_t sg_client_remove(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                          struct sg_wakes *wakes);
/**
 * A job without processes needs no context: it is admitted anew when one comes. A gate's programs
 * are not seen: their contexts stay reserved beside its budget.
 */
void sg_job_left(struct sg_region *r, uint32_t job);

/** Takes the client's requests out of the queue, before it is removed together with others. */
void sg_client_leave_queue(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                           struct sg_wakes *wakes);

/* --- requests (requests.c) --- */
/**
 * Asks. SCHEDGPU_OK: reserved. SCHEDGPU_EWOULDBLOCK with *waiter == the client's slot: queued, to
 * be settled by sg_settle(); with *waiter == SG_NONE: does not fit and may not wait.
 * SCHEDGPU_EBUSY: the client has a request already that is not settled. Else an error.
 */
int sg_ask(struct sg_region *r, const struct sg_request *request, uint64_t now_ns, uint32_t *waiter,
           struct sg_wakes *wakes);
/** Whether the client has a request that is not settled. Other threads of the process wait for
 * their turn in the process itself (shell/client_turn.c). */
bool sg_client_asks(const struct sg_region *r, uint32_t slot);
/**
 * Ends a wait: takes what was granted (SCHEDGPU_OK), or leaves the queue (SCHEDGPU_EWOULDBLOCK).
 * ENOJOB if the job ended meanwhile. `ticket` is the waiter's, as it was when queued.
 */
int sg_settle(struct sg_region *r, uint32_t slot, uint64_t ticket, uint64_t now_ns,
              struct sg_wakes *wakes);
/** Gives back memory (ondemand) under the lock; peak uses sg_lease_give() and sg_serve(). */
int sg_give_back(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t bytes,
                 uint64_t now_ns, struct sg_wakes *wakes);
int sg_context_leave(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t now_ns,
                     struct sg_wakes *wakes);

/* --- leases (leases.c); the first two need no lock --- */
/** Takes `units` out of the client's own lease; false if it is too small. */
bool sg_lease_take(struct sg_client *c, uint32_t device, uint64_t units);
/** Returns `units` to the own lease; `*idle` = nothing is in use any more. False: underflow. */
bool sg_lease_give(_Atomic uint64_t *lease, uint64_t units, bool *idle);
static inline uint64_t sg_leased(uint64_t word) {
  return word >> 32;
}
static inline uint64_t sg_in_use(uint64_t word) {
  return word & UINT32_MAX;
}
/** Peak, budget held: `units` for the client out of its job's budget. OK or EBUDGET. */
int sg_lease_extend(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t units);
/** Raises the own lease under the lock: `leased` more units, `in_use` of them taken at once. */
void sg_lease_grow(struct sg_client *c, uint32_t device, uint64_t leased, uint64_t in_use);
/** Units leased on `device` to the clients of `job`. */
uint64_t sg_job_leased(const struct sg_region *r, uint32_t job, uint32_t device);
/** Bytes in use on `device` by the clients of `job`. */
uint64_t sg_job_in_use(const struct sg_region *r, uint32_t job, uint32_t device);
/** Gives back held budgets of `device` that nobody uses any more (grace over); on which devices. */
uint32_t sg_reclaim_idle(struct sg_region *r, uint32_t device, uint64_t now_ns);

/* --- serving (serve.c) --- */
/** Serves all queues as the policy says: what changed on one device may matter on another. */
void sg_serve(struct sg_region *r, uint64_t now_ns, struct sg_wakes *wakes);
/** Place of a waiter in its queue by sequence, 1 = oldest. */
uint32_t sg_place(const struct sg_region *r, uint32_t waiter);
int sg_policy_set(struct sg_region *r, uint32_t policy, uint64_t now_ns, struct sg_wakes *wakes);

/* --- what fits (fits.c) --- */
/** Whether there is memory for the waiter's request, safe or not: what does not fit for want of it
 * is found by this at little cost. */
bool sg_has_room(const struct sg_region *r, const struct sg_waiter *waiter);
/** Whether what a request for memory of an admitted job needs is free, safe or not. */
bool sg_memory_is_free(const struct sg_region *r, const struct sg_waiter *waiter);
/** Whether the waiter's request could be granted now. */
bool sg_fits(const struct sg_region *r, const struct sg_waiter *waiter);

/* --- admission and contexts (admission.c) --- */
/** Adds up what each job needs: to be called before the next three after any change. */
void sg_note_needs(struct sg_region *r);
/** What somebody asks for, before it stands in the queue, is needed too. */
void sg_note_need(struct sg_region *r, const struct sg_waiter *draft);
/** Whether the contexts of the job's processes fit on each of its devices, beside all contexts and
 * the largest need. */
bool sg_admission_fits(const struct sg_region *r, uint32_t job);
/** True if a context of the job on the device is among those that its admission reserved. */
bool sg_context_covered(const struct sg_region *r, uint32_t job, uint32_t device);
/** Whether the context that an admitted job asks for fits, beside those it has. */
bool sg_context_fits(const struct sg_region *r, const struct sg_waiter *w);

/* --- outside memory: in use, but reserved by nobody (unreserved.c, outside.c) --- */
/** What is set of it: in whole units, at most the device's total. */
uint64_t sg_outside_bounded(const struct sg_region *r, uint32_t device, uint64_t bytes);
/** Of the job; at most the device's total, whatever the field holds. */
uint64_t sg_overrun(const struct sg_region *r, uint32_t job, uint32_t device);
/** Of programs of no job; as well. */
uint64_t sg_foreign(const struct sg_region *r, uint32_t device);
/** `used` without what nobody reserved: only that much was granted. */
uint64_t sg_granted_bytes(const struct sg_device *d);
/** What cannot be measured on these devices is forgotten: who measures says it again. */
void sg_forget_overruns(struct sg_region *r, uint32_t job);
void sg_forget_foreign(struct sg_region *r, uint32_t device);
int sg_set_overrun(struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes,
                   uint64_t now_ns, struct sg_wakes *wakes);
int sg_set_foreign(struct sg_region *r, uint32_t device, uint64_t bytes, uint64_t now_ns,
                   struct sg_wakes *wakes);

/* --- safety (deadlock.c, banker.c; both use reduction.c) --- */
/** Whether this is a request for memory of a process that others may wait for: it holds some. */
bool sg_holds_and_waits(const struct sg_region *r, const struct sg_waiter *w);
/** Whether waiting for this request could ever end, if every blocked client stays blocked. */
bool sg_wait_can_end(const struct sg_region *r, uint32_t waiter);
/** Whether, with so many more bytes of contexts on each device, all who hold memory and wait could
 * still be served. `granted` is the request that would be done with, or NULL. */
bool sg_contexts_leave_a_way_out(const struct sg_region *r, const struct sg_waiter *granted,
                                 const uint64_t bytes[SCHEDGPU_MAX_DEVICES]);
/** The banker's condition: true if after this grant every job with a claim could still finish. */
bool sg_grant_is_safe(const struct sg_region *r, const struct sg_waiter *waiter);

/* --- the caches (account.c) --- */
/** Bytes that the admission of the job reserves on the device for its processes' contexts. */
uint64_t sg_admission_bytes(const struct sg_region *r, uint32_t job, uint32_t device);
/** What the job's contexts cost on a device: an admitted job has its processes' reserved. */
uint64_t sg_context_cost(const struct sg_region *r, uint32_t job, uint32_t device);
/** All that a job has of a device by the books, memory or budget and contexts: what stands in the
 * way of others. Also read without the lock, to tell people. */
uint64_t sg_held_by(const struct sg_region *r, uint32_t job, uint32_t device);
/** Contexts of the job, granted ones included. */
void sg_account_context(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                        uint64_t minus);
/** Memory of an ondemand job, granted included. */
void sg_account_memory(struct sg_region *r, uint32_t job, uint32_t device, uint64_t plus,
                       uint64_t minus, uint64_t now_ns);
/** Outside memory of the device. */
void sg_account_outside(struct sg_region *r, uint32_t device, uint64_t plus, uint64_t minus);
void sg_account_admission(struct sg_region *r, uint32_t job, bool admitted);
/** Reserves the job's budget on all its devices; the caller knows that it fits. */
void sg_account_hold(struct sg_region *r, uint32_t job, uint64_t now_ns);
/** Gives the job's budget back; on which devices. */
uint32_t sg_account_unhold(struct sg_region *r, uint32_t job, uint64_t now_ns);
/** Since when it holds memory follows what it holds; for those who change that elsewhere. */
void sg_account_held(struct sg_region *r, uint32_t job, uint64_t now_ns);
void sg_account_all_held(struct sg_region *r, uint64_t now_ns);
/** A request that waited waits no more: its record says so already, and since when it did. */
void sg_account_wait(struct sg_region *r, uint32_t job, const struct sg_waiter *w, uint64_t now_ns);
/** Counts a waiter, of the highest ticket, just before its state says that it waits. */
void sg_account_queued(struct sg_region *r, uint32_t waiter);
/** The waiter waits no more; its record still says what for. */
void sg_account_unqueued(struct sg_region *r, uint32_t waiter);
/** All that an active job adds to the sums of the devices, of whose requests none is queued. */
void sg_account_ended(struct sg_region *r, uint32_t job);
void sg_lower_client_mark(struct sg_region *r);
void sg_lower_job_mark(struct sg_region *r);

/* --- integrity (integrity.c) --- */
/** Renews the checksum over the sealed fields, after the root side wrote them. */
void sg_seal_header(struct sg_region *r);
void sg_seal_device(struct sg_region *r, uint32_t device);
void sg_seal_job(struct sg_region *r, uint32_t job);
/**
 * Before sealed fields are changed in place: killed in between, the record says that it was being
 * changed, not that it is damaged.
 */
void sg_unseal_header(struct sg_region *r);
void sg_unseal_device(struct sg_region *r, uint32_t device);
void sg_unseal_job(struct sg_region *r, uint32_t job);
bool sg_header_sealed(const struct sg_header *h);
bool sg_device_sealed(const struct sg_device *d);
bool sg_job_sealed(const struct sg_job *j);
/** Goes on with a checksum over `size` bytes. */
uint64_t sg_mix(uint64_t sum, const void *bytes, size_t size);
/** Checksum of a slot's generation. */
static inline uint32_t sg_gen_seal(uint32_t slot, uint32_t gen) {
  return (gen ^ (slot * 0x9e3779b9u)) * 0x85ebca6bu ^ 0x5eed5eedu;
}

/** Whether the record's generations are what its process wrote. */
static inline bool sg_client_signed(const struct sg_region *r, uint32_t slot) {
  const struct sg_client *c = &r->client[slot];
  return c->gen_seal == sg_gen_seal(slot, atomic_load(&c->gen)) &&
         c->agen_seal == sg_gen_seal(slot, c->agen);
}

/* --- after a crash, and in tests (recount.c) --- */
/** Recomputes every cache from what is authoritative. */
void sg_recount(struct sg_region *r);
/** Every invariant; 0, or ECORRUPT and which one in `text`. */
int sg_check(const struct sg_region *r, char *text, uint64_t size);

/* --- small helpers used by several files --- */
/** For each device `d` in `mask`, lowest first. */
#define SG_EACH_DEVICE(d, mask)                                                                    \
  for (uint32_t d##_rest = (mask) & ((1u << SCHEDGPU_MAX_DEVICES) - 1), d;                         \
       d##_rest != 0 && ((d = (uint32_t)__builtin_ctz(d##_rest)), true); d##_rest &= d##_rest - 1)

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
/** Which liveness file says whether the process in this slot lives: see shell/liveness.c. */
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
/** True for the modes that reserve whole budgets: peak and gate. */
static inline bool sg_job_whole(const struct sg_region *r, uint32_t job) {
  return r->job[job].mode != SCHEDGPU_MODE_ONDEMAND;
}
/** An ondemand job that declared a budget on each of its devices, under the rule `avoid`. */
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

/** What the job may come to hold on the device beside contexts: whole budgets and claims, else 0.
 */
static inline uint64_t sg_committed(const struct sg_region *r, uint32_t job, uint32_t device) {
  bool counts =
      (sg_job_whole(r, job) || sg_has_claim(r, job)) && (r->job[job].device_mask & 1u << device);
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
/** Always in range, whatever the field holds. */
static inline uint32_t sg_waiter_device(const struct sg_waiter *w) {
  return sg_read_once(&w->device) % SCHEDGPU_MAX_DEVICES;
}
static inline uint32_t sg_waiter_client(const struct sg_waiter *w) {
  return sg_read_once(&w->client) % SG_SLOTS;
}
/** How many wait, and which is the i-th oldest of them. */
static inline uint32_t sg_queue_end(const struct sg_region *r) {
  return sg_bound(sg_read_once(&r->h.queue_length), SG_SLOTS);
}
static inline uint32_t sg_queue_at(const struct sg_region *r, uint32_t i) {
  return *(const volatile uint16_t *)&r->h.queue[i] % SG_SLOTS;
}
/** The queue in which a waiter stands now: its job's admission moves it. */
static inline uint32_t sg_queue_of(const struct sg_region *r, const struct sg_waiter *w) {
  uint32_t job = sg_waiter_job(r, w);
  bool admitted = job != SG_NONE && r->job[job].admitted;
  return w->kind == SG_CONTEXT || !admitted ? SG_QUEUE_CONTEXT : SG_QUEUE_MEMORY;
}
static inline void sg_add_wake(struct sg_wakes *wakes, uint32_t waiter) {
  if (wakes->count < SG_SLOTS)
    wakes->waiter[wakes->count++] = (uint16_t)waiter;
}

#endif
