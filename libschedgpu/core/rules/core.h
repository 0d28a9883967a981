/*
 * core.h - the transitions of the region: a pure state machine. It makes no system call, reads no
 * clock and allocates nothing: the time comes in as `now_ns`, and the waiters to wake go out in
 * `struct sg_wakes`. Except where a comment says so, the caller holds the lock. The shell, the
 * forecast and the tests run this code.
 */
#ifndef SG_CORE_H
#define SG_CORE_H

#include "account.h"
#include "rules.h"
#include "../layout/seals.h"

/** A request for device memory, for a context, or for the budget of a job in mode `gate`. */
struct sg_request {
  uint32_t client; /**< slot */
  uint32_t device;
  uint64_t bytes;
  bool context;         /**< a context of the device's context_bytes; `bytes` is ignored */
  bool gate;            /**< the job's whole budget, or the turn of its lane; `bytes` is ignored */
  bool may_wait;        /**< false: SCHEDGPU_EWOULDBLOCK instead of a place in the queue */
  uint64_t deadline_ns; /**< for display */
};

/* --- set-up (setup.c) --- */
/** Fills a zeroed region and marks it ready. `now_ns` goes into created_ns. */
int sg_region_init(struct sg_region *r, const struct schedgpu_setup *setup, uint64_t now_ns);
/** Adds new devices and updates the numbers of the existing ones, as far as that is safe. */
int sg_region_update(struct sg_region *r, const struct schedgpu_setup *setup);
/** 0 if `r` (of `size` bytes) may be used; EVERSION or ECORRUPT if not. */
int sg_region_verify(const struct sg_region *r, uint64_t size);
uint32_t sg_layout_stamp(void);

/* --- finding a job's record (job_keys.c) --- */
/** Index of the active job, by the keys of the header; SG_NONE if there is none. */
uint32_t sg_job_find(const struct sg_region *r, uint32_t kind, uint64_t id);
/** True if a key of the header names this job, whatever its record says. */
bool sg_job_named(const struct sg_region *r, uint32_t kind, uint64_t id);
/** Like sg_job_find(), but from the records alone: for use before a recount, while the keys may be
 * wrong. */
uint32_t sg_job_search(const struct sg_region *r, uint32_t kind, uint64_t id);
/** The key that the header should have for this record: 0 if the record has no active job. */
uint64_t sg_job_key(const struct sg_region *r, uint32_t job);
/** True if `key` can be the key of a job. */
bool sg_key_valid(uint64_t key);
/** Index of the first record that is free, SG_NONE if none is. */
uint32_t sg_job_place(const struct sg_region *r);

/* --- jobs (jobs.c) --- */
int sg_job_begin(struct sg_region *r, const struct schedgpu_job_spec *spec, uint32_t owner_slot,
                 uint64_t now_ns, struct sg_wakes *wakes);
int sg_job_end(struct sg_region *r, uint32_t job, uint64_t now_ns, struct sg_wakes *wakes);
/**
 * Ends a job in a private copy of the region: subtracts the job from the sums. In the shared
 * region, sg_job_end() recounts everything instead: that takes ten times as long, and needs no sum
 * to be right.
 */
int sg_job_end_in_copy(struct sg_region *r, uint32_t job, uint64_t now_ns, struct sg_wakes *wakes);
void sg_job_describe(const struct sg_job *job, struct schedgpu_job_spec *spec);

/* --- clients (clients.c) --- */
/** True if the owner of an owned job has not been removed yet. The owner may be dead. */
bool sg_owner_attached(const struct sg_region *r, const struct sg_job *job);
/** Activates slot `slot`, whose gen the caller has bumped, for job index `job` (or SG_NONE). */
int sg_client_attach(struct sg_region *r, uint32_t slot, uint32_t job, uint32_t uid, int32_t pid,
                     uint64_t pid_namespace);
/** Releases all that the client of `slot`, live or dead, held; returns the bytes. */
uint64_t sg_client_remove(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                          struct sg_wakes *wakes);
/**
 * Ends the admission of a job without processes, as it needs no context; its next process admits it
 * again. The programs of a job in mode gate do not attach: their contexts stay reserved beside the
 * budget.
 */
void sg_job_end_admission(struct sg_region *r, uint32_t job);

/** Takes the client's requests out of the queue, before several clients are removed together. */
void sg_client_leave_queue(struct sg_region *r, uint32_t slot, uint64_t now_ns,
                           struct sg_wakes *wakes);

/* --- requests (requests.c) --- */
/**
 * Makes a request. SCHEDGPU_OK: reserved. SCHEDGPU_EWOULDBLOCK with *waiter == the client's slot:
 * queued, the caller ends the wait with sg_settle(); with *waiter == SG_NONE: does not fit and may
 * not wait. SCHEDGPU_EBUSY: the client has a request already that is not settled. SCHEDGPU_ETURN:
 * it waits for the turn of its lane; the caller ends that wait with sg_turn_settle(), and asks
 * again. Other codes are errors.
 */
int sg_ask(struct sg_region *r, const struct sg_request *request, uint64_t now_ns, uint32_t *waiter,
           struct sg_wakes *wakes);
/** True if the client has a request that is not settled. Other threads of the process wait for
 * their turn in the process itself (shell/client/client_thread.c). */
bool sg_client_has_request(const struct sg_region *r, uint32_t slot);
/**
 * Ends a wait: takes what was granted (SCHEDGPU_OK), or leaves the queue (SCHEDGPU_EWOULDBLOCK).
 * ENOJOB if the job ended meanwhile. `ticket` is the waiter's, as it was when queued.
 */
int sg_settle(struct sg_region *r, uint32_t slot, uint64_t ticket, uint64_t now_ns,
              struct sg_wakes *wakes);
/** Frees memory (ondemand) under the lock; mode peak uses sg_lease_give() and sg_serve(). */
int sg_give_back(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t bytes,
                 uint64_t now_ns, struct sg_wakes *wakes);
int sg_context_leave(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t now_ns,
                     struct sg_wakes *wakes);

/* --- setting unreserved memory (unreserved_set.c) --- */
int sg_set_overrun(struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes,
                   uint64_t now_ns, struct sg_wakes *wakes);
int sg_set_foreign(struct sg_region *r, uint32_t device, uint64_t bytes, uint64_t now_ns,
                   struct sg_wakes *wakes);

#endif
