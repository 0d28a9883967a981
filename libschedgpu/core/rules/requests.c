/* requests.c - a client asks, waits, takes a grant or leaves the queue, and frees memory. */
#include "growth.h"
#include "core.h"
#include "../history/history.h"
#include "../lanes/lanes.h"
#include "need.h"

static bool sum_exceeds(uint64_t a, uint64_t b, uint64_t limit) {
  return a > limit || b > limit - a;
}

/**
 * True if the bytes and those that count against the job's budget exceed it: in use, or (ondemand)
 * held and queued. The sums of a job keep a request whose record was lost until the next recount,
 * so nothing is refused by them alone.
 */
static bool is_beyond(const struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes,
                      uint64_t budget) {
  const struct sg_job *j = &r->job[job];
  if (sg_reserves_whole_budget(r, job))
    return sum_exceeds(sg_job_in_use(r, job, device), bytes, budget);
  return sum_exceeds(j->held_bytes[device] + j->queued_bytes[device], bytes, budget) &&
         sum_exceeds(sg_counted_by_records(r, job, device), bytes, budget);
}

/** The job's contexts on the device, at least those that its admission reserves. */
static uint64_t contexts_at_least(const struct sg_region *r, uint32_t job, uint32_t device) {
  uint64_t contexts = r->job[job].context_used_bytes[device];
  uint64_t reserved = sg_admission_bytes(r, job, device);
  return contexts > reserved ? contexts : reserved;
}

static int check_memory(const struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes) {
  uint64_t budget = sg_own_budget(r, job, device), usable = sg_usable(&r->device[device]);
  bool bounded = budget > 0 && !sg_budget_grows(r, job);
  if (bounded && is_beyond(r, job, device, bytes, budget))
    return SCHEDGPU_EBUDGET;
  return sum_exceeds(contexts_at_least(r, job, device), bytes, usable) ? SCHEDGPU_ETOOBIG
                                                                       : SCHEDGPU_OK;
}

/** True if the job alone fits on empty devices: its declared contexts and its budget or claim. */
static int check_admission(const struct sg_region *r, uint32_t job) {
  SG_EACH_DEVICE (d, r->job[job].device_mask) {
    if (sum_exceeds(sg_admission_bytes(r, job, d), sg_committed(r, job, d),
                    sg_usable(&r->device[d])))
      return SCHEDGPU_ETOOBIG;
  }
  return SCHEDGPU_OK;
}

static int check_context(const struct sg_region *r, uint32_t job, uint32_t device, uint64_t bytes) {
  uint64_t contexts = r->job[job].context_used_bytes[device],
           usable = sg_usable(&r->device[device]);
  if (sum_exceeds(contexts, bytes, usable) ||
      sum_exceeds(contexts + bytes, sg_committed(r, job, device), usable))
    return SCHEDGPU_ETOOBIG;
  return SCHEDGPU_OK;
}

/** Refuses at once what can never be granted: the wait for it would never end. */
static int check_possible(const struct sg_region *r, uint32_t job, const struct sg_waiter *w) {
  int rc = check_admission(r, job);
  if (rc != SCHEDGPU_OK)
    return rc;
  return w->kind == SG_CONTEXT ? check_context(r, job, w->device, w->bytes)
                               : check_memory(r, job, w->device, w->bytes);
}

bool sg_client_has_request(const struct sg_region *r, uint32_t slot) {
  return slot < SG_SLOTS && r->waiter[slot].state != SG_WAITER_FREE;
}

static void fill(struct sg_region *r, struct sg_waiter *w, const struct sg_request *q,
                 const struct sg_waiter *draft) {
  SG_PUT(w->client, q->client);
  SG_PUT(w->job, draft->job);
  SG_PUT(w->device, q->device);
  SG_PUT(w->device_mask, draft->device_mask);
  SG_PUT(w->kind, draft->kind);
  SG_PUT(w->priority, r->job[draft->job].priority);
  SG_PUT(w->overtaken, 0);
  SG_PUT(w->bytes, draft->bytes);
  SG_PUT(w->since_ns, 0); /* not waiting yet: the request may be granted at once */
  SG_PUT(w->deadline_ns, q->deadline_ns);
  SG_PUT(w->ticket, r->h.ticket + 1);
  SG_PUT(r->h.ticket, w->ticket);
}

/** From the held budget; a member of a lane gets the turn first if it needs that. */
static int take_of_budget(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t units,
                          bool may_wait, uint64_t now_ns, struct sg_wakes *wakes) {
  uint32_t job = sg_client_job(r, &r->client[slot]);
  bool lane = job != SG_NONE && sg_is_lane_job(r, job), begins = lane && units == 0;
  int rc = begins ? SCHEDGPU_EBUDGET : sg_lease_extend(r, slot, device, units);
  bool has_all = lane && !begins && (sg_shares_lane(r, job) || sg_turn_is_busy(r, slot));
  if (rc != SCHEDGPU_EBUDGET || !lane || has_all)
    return rc;
  if (sum_exceeds(sg_job_in_use(r, job, device), units * SG_UNIT_BYTES,
                  r->job[job].budget_bytes[device]))
    return SCHEDGPU_EBUDGET; /* its siblings used it up since the grant */
  rc = sg_turn_ask(r, slot, may_wait, now_ns, wakes);
  return rc == SCHEDGPU_OK && !begins ? sg_lease_extend(r, slot, device, units) : rc;
}

/** Moves what was granted from the waiter's record (or the job's budget) to its client. */
static int take(struct sg_region *r, const struct sg_waiter *w, bool may_wait, uint64_t now_ns,
                struct sg_wakes *wakes) {
  uint32_t slot = sg_waiter_client(w), device = sg_waiter_device(w);
  struct sg_client *c = &r->client[slot];
  uint64_t units = w->bytes / SG_UNIT_BYTES;
  switch (w->kind) {
  case SG_PEAK:
    if (sg_is_beyond_budget(r, w)) { /* reserved for this request since the grant */
      sg_lease_grow(c, device, units, units);
      return SCHEDGPU_OK;
    }
    return take_of_budget(r, slot, device, units, may_wait, now_ns, wakes);
  case SG_ONDEMAND: /* counted for the job since the grant */
    sg_lease_grow(c, device, units, units);
    return SCHEDGPU_OK;
  default: /* a context is also counted since the grant */
    SG_PUT(c->contexts[device], c->contexts[device] + w->bytes);
    return SCHEDGPU_OK;
  }
}

static void free_record(struct sg_waiter *w) {
  atomic_store(&w->state, SG_WAITER_FREE);
  sg_crash_point();
}

static int settle_granted(struct sg_region *r, struct sg_waiter *w, uint64_t now_ns,
                          struct sg_wakes *wakes) {
  int rc = take(r, w, true, now_ns, wakes);
  free_record(w);
  sg_serve(r, now_ns, wakes); /* the budget may be idle now */
  return rc;
}

int sg_settle(struct sg_region *r, uint32_t slot, uint64_t ticket, uint64_t now_ns,
              struct sg_wakes *wakes) {
  if (slot >= SG_SLOTS)
    return SCHEDGPU_EINVAL;
  struct sg_waiter *w = &r->waiter[slot];
  bool mine = w->ticket == ticket && w->state != SG_WAITER_FREE;
  uint32_t job = sg_client_job(r, &r->client[slot]);
  if (!mine || job == SG_NONE || sg_waiter_job(r, w) != job)
    return SCHEDGPU_ENOJOB;
  if (!sg_device_present(r, sg_waiter_device(w)))
    return SCHEDGPU_ECORRUPT;
  if (w->state == SG_GRANTED)
    return settle_granted(r, w, now_ns, wakes);
  uint32_t place = sg_account_unqueued(r, slot);
  free_record(w);
  sg_account_wait(r, job, w, place, now_ns);
  sg_serve(r, now_ns, wakes); /* this waiter may have blocked the next one */
  return SCHEDGPU_EWOULDBLOCK;
}

static bool no_waiters(const struct sg_region *r, uint32_t mask, uint32_t queue) {
  SG_EACH_DEVICE (d, mask) {
    if (r->device[d].waiting[queue] != 0)
      return false;
  }
  return true;
}

static void admit_at_once(struct sg_region *r, const struct sg_waiter *w) {
  const struct sg_job *job = &r->job[w->job];
  if (!job->admitted && no_waiters(r, job->device_mask, SG_QUEUE_CONTEXT) && sg_fits(r, w))
    sg_account_admission(r, w->job, true);
}

/** True if it is for a context of a job that is in a lane: others may wait for its turn, so it
 * never waits. */
static bool is_context_of_member(const struct sg_region *r, const struct sg_waiter *w) {
  return w->kind == SG_CONTEXT && r->job[w->job].admitted && sg_job_lane(r, w->job) != SG_NONE;
}

static bool can_take(const struct sg_region *r, const struct sg_waiter *w) {
  if (!r->job[w->job].admitted)
    return false;
  if (sg_is_covered(r, NULL, w))
    return true; /* reserved for this request: no queue */
  bool passes =
      is_context_of_member(r, w) || no_waiters(r, sg_waiter_mask(r, w), sg_queue_of(r, w));
  return passes && sg_fits(r, w);
}

/** Grants without a waiter's record, if no other request waits and this one fits. */
static bool take_at_once(struct sg_region *r, const struct sg_waiter *w, bool may_wait,
                         uint64_t now_ns, int *rc, struct sg_wakes *wakes) {
  if (!r->job[w->job].admitted || w->kind == SG_CONTEXT) {
    sg_note_needs(r);
    sg_note_need(r, w);
  }
  admit_at_once(r, w);
  if (!can_take(r, w) || !sg_reserve(r, w, now_ns))
    return false; /* also if another process of the job was faster */
  *rc = take(r, w, may_wait, now_ns, wakes);
  return true;
}

/** The answer to a request that does not fit now: OK if it may wait. */
static int check_wait(const struct sg_region *r, uint32_t waiter, bool may_wait) {
  if (!may_wait)
    return SCHEDGPU_EWOULDBLOCK;
  return sg_wait_can_end(r, waiter) ? SCHEDGPU_OK : SCHEDGPU_EDEADLOCK;
}

/** A refused request gives its ticket back, which nobody has seen: tickets count requests that wait
 * or are served, as the cycles of RBDM do. */
static int refuse(struct sg_region *r, uint32_t slot, int why, uint64_t now_ns,
                  struct sg_wakes *wakes) {
  uint64_t ticket = r->waiter[slot].ticket;
  sg_settle(r, slot, ticket, now_ns, wakes);
  if (r->h.ticket == ticket)
    SG_PUT(r->h.ticket, ticket - 1);
  return why;
}

/** Takes back the unused leases of a process that waits: it must not use them without the lock
 * either. */
static void take_back_leases(struct sg_region *r, uint32_t slot) {
  SG_EACH_DEVICE (d, UINT32_MAX) {
    sg_lease_take_back(&r->client[slot].lease[d]);
  }
}

static int enqueue(struct sg_region *r, const struct sg_request *q, const struct sg_waiter *draft,
                   uint64_t now_ns, uint32_t *waiter, struct sg_wakes *wakes) {
  bool holds = sg_holds_and_waits(r, draft);
  if (holds)
    sg_serve(r, now_ns, wakes); /* releases idle budgets first */
  uint32_t i = q->client;
  struct sg_waiter *w = &r->waiter[i];
  fill(r, w, q, draft);
  take_back_leases(r, q->client);
  /* Counts it before it is visible: a process that frees without the lock reads the count
   * afterwards. */
  sg_account_queued(r, i);
  atomic_store(&w->state, SG_WAITING);
  sg_crash_point();
  /* An unsafe wait is refused before any waiter is served. Otherwise a context could be granted as
   * if this process would release its memory. */
  if (holds && !sg_wait_can_end(r, i))
    return refuse(r, i, q->may_wait ? SCHEDGPU_EDEADLOCK : SCHEDGPU_EWOULDBLOCK, now_ns, wakes);
  /* Serves all queues: others may have been blocked while this process was running. */
  sg_serve(r, now_ns, wakes);
  if (w->state == SG_GRANTED)
    return settle_granted(r, w, now_ns, wakes);
  int refused = check_wait(r, i, q->may_wait);
  if (refused != SCHEDGPU_OK)
    return refuse(r, i, refused, now_ns, wakes);
  SG_PUT(w->since_ns, now_ns != 0 ? now_ns : 1);
  *waiter = i;
  return SCHEDGPU_EWOULDBLOCK;
}

static struct sg_waiter draft_of(const struct sg_region *r, const struct sg_request *q,
                                 uint32_t job) {
  uint64_t bytes = q->context ? r->device[q->device].context_bytes : q->bytes;
  uint32_t memory = sg_reserves_whole_budget(r, job) ? SG_PEAK : SG_ONDEMAND;
  struct sg_waiter draft = {.client = q->client,
                            .job = job,
                            .device = q->device,
                            .kind = q->context ? SG_CONTEXT : memory,
                            .bytes = q->gate ? 0 : sg_round_up(bytes)};
  draft.device_mask = draft.kind == SG_PEAK ? r->job[job].device_mask : 1u << q->device;
  return draft;
}

/** Checks the request against the client's record; stores the client's job in `*job`. */
static int check_request(const struct sg_region *r, const struct sg_request *q, uint32_t *job) {
  if (q->client >= SG_SLOTS || r->client[q->client].state != SG_ACTIVE)
    return SCHEDGPU_EINVAL;
  *job = sg_client_job(r, &r->client[q->client]);
  if (*job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  if (!sg_device_present(r, q->device) || !(r->job[*job].device_mask & 1u << q->device))
    return SCHEDGPU_EDEVICE;
  bool may_ask = r->job[*job].mode == SCHEDGPU_MODE_GATE || sg_is_lane_job(r, *job);
  return q->gate && !may_ask ? SCHEDGPU_EINVAL : SCHEDGPU_OK;
}

int sg_ask(struct sg_region *r, const struct sg_request *q, uint64_t now_ns, uint32_t *waiter,
           struct sg_wakes *wakes) {
  uint32_t job;
  *waiter = SG_NONE;
  int rc = check_request(r, q, &job);
  if (rc != SCHEDGPU_OK)
    return rc;
  struct sg_waiter draft = draft_of(r, q, job);
  if (draft.bytes == 0 && !q->gate)
    return SCHEDGPU_OK;
  if (draft.bytes / SG_UNIT_BYTES > UINT32_MAX)
    return SCHEDGPU_ETOOBIG;
  rc = check_possible(r, job, &draft);
  if (rc != SCHEDGPU_OK)
    return rc;
  bool covered = sg_is_covered(r, NULL, &draft);
  if (!covered && sg_client_has_request(r, q->client))
    return SCHEDGPU_EBUSY;
  if (draft.kind == SG_PEAK && r->job[job].admitted && r->job[job].held_mask != 0) {
    uint64_t units = draft.bytes / SG_UNIT_BYTES;
    rc = take_of_budget(r, q->client, q->device, units, q->may_wait, now_ns, wakes);
    if (sg_is_lane_job(r, job))
      sg_serve(r, now_ns, wakes); /* a turn that was returned may have freed memory */
    if (rc != SCHEDGPU_EBUDGET || !sg_budget_grows(r, job))
      return rc;
  }
  if (take_at_once(r, &draft, q->may_wait, now_ns, &rc, wakes)) {
    /* a request that does not fit any more may stop blocking the queue */
    sg_serve(r, now_ns, wakes);
    return rc;
  }
  if (is_context_of_member(r, &draft))
    return q->may_wait ? SCHEDGPU_EDEADLOCK : SCHEDGPU_EWOULDBLOCK;
  return enqueue(r, q, &draft, now_ns, waiter, wakes);
}

int sg_give_back(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t bytes,
                 uint64_t now_ns, struct sg_wakes *wakes) {
  if (slot >= SG_SLOTS || !sg_device_present(r, device))
    return SCHEDGPU_EINVAL;
  struct sg_client *c = &r->client[slot];
  uint32_t job = sg_client_job(r, c);
  if (job == SG_NONE)
    return SCHEDGPU_ENOJOB;
  if (sg_reserves_whole_budget(r, job))
    return SCHEDGPU_EINVAL; /* mode peak uses sg_lease_give() */
  uint64_t units = sg_round_up(bytes) / SG_UNIT_BYTES;
  uint64_t word = atomic_load(&c->lease[device]);
  if (units > sg_in_use(word) || units > sg_leased(word))
    return SCHEDGPU_EUNDERFLOW;
  atomic_fetch_sub(&c->lease[device], sg_lease_word(units, units));
  sg_crash_point();
  sg_account_memory(r, job, device, 0, units * SG_UNIT_BYTES, now_ns);
  sg_serve(r, now_ns, wakes);
  return SCHEDGPU_OK;
}

int sg_context_leave(struct sg_region *r, uint32_t slot, uint32_t device, uint64_t now_ns,
                     struct sg_wakes *wakes) {
  if (slot >= SG_SLOTS || !sg_device_present(r, device))
    return SCHEDGPU_EINVAL;
  struct sg_client *c = &r->client[slot];
  uint64_t bytes = c->contexts[device];
  uint32_t job = sg_client_job(r, c);
  if (bytes == 0)
    return SCHEDGPU_EUNDERFLOW;
  sg_note_peaks_of(r, slot);
  SG_PUT(c->contexts[device], 0);
  if (job != SG_NONE)
    sg_account_context(r, job, device, 0, bytes);
  sg_serve(r, now_ns, wakes);
  return SCHEDGPU_OK;
}
