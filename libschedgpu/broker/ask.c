/*
 * ask.c - requests of a broker client: it asks for memory or a context, takes what it waited for,
 * or frees. Every function here is one transition of the region.
 */
#include "broker.h"
#include "../core/lanes/lanes.h"
#include <string.h>

/**
 * Takes the region's lock. ELOCK after a short time: the client repeats the request, and other
 * clients are served meanwhile. ENOJOB: the client lost its slot.
 */
static int enter(schedgpu_broker *b, const struct broker_client *s, struct sg_wakes *wakes) {
  wakes->count = 0;
  int rc = sg_admin_enter(b->admin);
  if (rc != SCHEDGPU_OK)
    return rc == SCHEDGPU_ECORRUPT ? rc : SCHEDGPU_ELOCK;
  if (sg_broker_client_has_slot(b, s))
    return SCHEDGPU_OK;
  sg_leave(b, wakes);
  return SCHEDGPU_ENOJOB;
}

/** Notes a grant that this answer carries; it is not idle before the client has taken it. */
static void note_granted(struct broker_client *s, bool context, uint32_t device, uint64_t bytes,
                         uint32_t sequence) {
  if (s->pending_sequence != sequence) {
    memset(s->pending, 0, sizeof s->pending);
    s->pending_contexts = 0;
  }
  s->pending_sequence = sequence;
  if (context)
    s->pending_contexts |= 1u << device;
  else
    s->pending[device] = sg_round_up(bytes) / SG_UNIT_BYTES;
  atomic_store(&s->page->taken,
               ~sequence); /* differs from `sequence`, whatever the page said before */
}

static bool any_client_dead(const schedgpu_broker *b) {
  return sg_dead_scan_due(b->admin->h.r, sg_now_ns(), 0) && sg_dead_scan(&b->admin->h);
}

/** Asks again after reaping dead clients and taking back leases that are not in use. */
static int ask_again(schedgpu_broker *b, struct sg_request *q, uint32_t *waiter,
                     struct sg_wakes *wakes) {
  struct schedgpu_reaped reaped;
  if (any_client_dead(b))
    sg_reap_locked(&b->admin->h, wakes, &reaped);
  sg_announce_waiters(b, true); /* first, so that a client that frees memory from now on says so */
  sg_sync_from_pages(b, wakes);
  sg_serve(b->r, sg_now_ns(), wakes);
  return sg_ask(b->r, q, sg_now_ns(), waiter, wakes);
}

/** Removes the request of a wait that the process gave up while no agent heard it. */
static bool drop_forgotten(schedgpu_broker *b, const struct broker_client *s,
                           struct sg_wakes *wakes) {
  if (s->page->wait.ticket != 0)
    return false;
  sg_unwatch(b, s);
  sg_client_leave_queue(b->r, s->slot, sg_now_ns(), wakes);
  return true;
}

/** The client is woken when it has the turn, or the wait is over. */
static void wait_for_turn(const schedgpu_broker *b, struct broker_client *s,
                          struct sg_wire_queued *queued) {
  s->waits_for_turn = true;
  if (queued)
    sg_describe_turn(b, s, queued);
}

static bool may_be_enough(int rc) {
  return rc == SCHEDGPU_EWOULDBLOCK || rc == SCHEDGPU_EBUDGET || rc == SCHEDGPU_EFULL ||
         rc == SCHEDGPU_ETOOBIG;
}

int sg_serve_ask(schedgpu_broker *b, struct broker_client *s, const struct sg_wire_ask *ask,
                 uint32_t sequence, struct sg_wire_queued *queued) {
  struct sg_wakes wakes;
  uint32_t waiter = SG_NONE;
  queued->ticket = 0;
  if (ask->subject > SG_WIRE_GATE || ask->device >= SCHEDGPU_MAX_DEVICES)
    return SCHEDGPU_EINVAL;
  int rc = enter(b, s, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  struct sg_request q = {.client = s->slot,
                         .device = ask->device,
                         .bytes = ask->bytes,
                         .context = ask->subject == SG_WIRE_CONTEXT,
                         .gate = ask->subject == SG_WIRE_GATE,
                         .deadline_ns = ask->deadline_ns};
  sg_sync_from_page(b, s, &wakes);
  sg_turns_contest(b, s, &wakes);
  q.may_wait = ask->may_wait != 0 && q.gate && sg_lane_of(b->r, s->slot) != SG_NONE;
  rc = sg_ask(b->r, &q, sg_now_ns(), &waiter, &wakes);
  if (rc == SCHEDGPU_EBUSY && drop_forgotten(b, s, &wakes))
    rc = sg_ask(b->r, &q, sg_now_ns(), &waiter, &wakes);
  q.may_wait = ask->may_wait != 0;
  if (may_be_enough(rc))
    rc = ask_again(b, &q, &waiter, &wakes);
  if (rc == SCHEDGPU_OK && !q.gate)
    note_granted(s, q.context, q.device, q.bytes, sequence);
  sg_sync_to_page(b, s);
  if (waiter != SG_NONE) {
    sg_describe_wait(b, s, queued);
    sg_watch(b, s, queued->ticket);
  }
  if (rc == SCHEDGPU_ETURN)
    wait_for_turn(b, s, queued);
  sg_leave(b, &wakes);
  return rc;
}

/** True if the request was queued and its job still exists: damage removed it. */
static bool was_dropped(const schedgpu_broker *b, const struct broker_client *s, uint64_t ticket) {
  const struct watched *w = &b->watched[s->slot];
  return w->client == s && w->ticket == ticket &&
         sg_client_job(b->r, &b->r->client[s->slot]) != SG_NONE;
}

int sg_serve_settle(schedgpu_broker *b, struct broker_client *s, uint64_t ticket,
                    uint32_t sequence) {
  struct sg_wakes wakes;
  int rc = enter(b, s, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  const struct sg_waiter w = b->r->waiter[s->slot];
  bool gate = w.kind == SG_PEAK && w.bytes == 0;
  sg_sync_from_page(b, s, &wakes);
  sg_turns_contest(b, s, &wakes);
  rc = sg_settle(b->r, s->slot, ticket, sg_now_ns(), &wakes);
  if (rc == SCHEDGPU_OK && !gate)
    note_granted(s, w.kind == SG_CONTEXT, sg_waiter_device(&w), w.bytes, sequence);
  if (rc == SCHEDGPU_ENOJOB && was_dropped(b, s, ticket))
    rc = SCHEDGPU_ECORRUPT;
  if (rc == SCHEDGPU_OK || rc == SCHEDGPU_EWOULDBLOCK || rc == SCHEDGPU_ECORRUPT)
    sg_unwatch(b, s);
  if (rc == SCHEDGPU_ETURN) {
    sg_unwatch(b, s);
    wait_for_turn(b, s, NULL);
  }
  sg_sync_to_page(b, s);
  sg_leave(b, &wakes);
  return rc;
}

int sg_serve_sync(schedgpu_broker *b, struct broker_client *s) {
  struct sg_wakes wakes;
  int rc = enter(b, s, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  sg_sync_from_page(b, s, &wakes);
  sg_serve(b->r, sg_now_ns(), &wakes);
  sg_leave(b, &wakes);
  return SCHEDGPU_OK;
}

int sg_serve_end_turn(schedgpu_broker *b, struct broker_client *s) {
  struct sg_wakes wakes;
  int rc = enter(b, s, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  sg_sync_from_job(b, s, &wakes);
  rc = sg_turn_hand_over(b->r, s->slot, sg_now_ns(), &wakes);
  sg_sync_to_page(b, s);
  sg_leave(b, &wakes);
  return rc;
}

int sg_serve_leave_line(schedgpu_broker *b, struct broker_client *s) {
  struct sg_wakes wakes;
  int rc = enter(b, s, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  sg_sync_from_page(b, s, &wakes);
  rc = sg_turn_settle(b->r, s->slot, sg_now_ns());
  s->waits_for_turn = false;
  sg_serve(b->r, sg_now_ns(), &wakes);
  sg_sync_to_page(b, s);
  sg_leave(b, &wakes);
  return rc;
}
