/*
 * watch.c - wakes clients whose waits are over. Changes by the agent are seen at once, changes by
 * other processes (a prolog) within one tick.
 */
#include "broker.h"

#define TICK_NS UINT64_C(100000000)
#define SLOW_TICK_NS UINT64_C(1000000000)

void sg_watch(schedgpu_broker *b, struct broker_client *s, uint64_t ticket) {
  struct watched *w = &b->watched[s->slot];
  b->waits += w->client == NULL;
  *w = (struct watched){s, ticket};
}

void sg_unwatch(schedgpu_broker *b, const struct broker_client *s) {
  struct watched *w = &b->watched[s->slot];
  if (w->client != s)
    return;
  w->client = NULL;
  b->waits--;
}

static void wake(struct broker_client *s) {
  atomic_store(&s->page->wait_state, SG_WAIT_OVER);
  sg_futex_wake(&s->page->wait_state, INT32_MAX);
}

static void wake_if_over(schedgpu_broker *b, uint32_t slot) {
  const struct watched *w = &b->watched[slot];
  const struct sg_waiter *record = &b->r->waiter[slot];
  if (w->client && (atomic_load(&record->state) != SG_WAITING || record->ticket != w->ticket))
    wake(w->client);
}

void sg_leave(schedgpu_broker *b, const struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < wakes->count; i++)
    if (wakes->waiter[i] < SG_SLOTS)
      wake_if_over(b, wakes->waiter[i]);
  sg_unlock_and_wake(&b->admin->h, wakes);
}

static bool any_waiter(const struct sg_region *r) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (atomic_load(&r->device[d].waiting[SG_QUEUE_MEMORY]) != 0 ||
        atomic_load(&r->device[d].waiting[SG_QUEUE_CONTEXT]) != 0)
      return true;
  return false;
}

/**
 * Frees clients that have neither a slot nor a connection. The process may still live, and connect
 * again.
 */
static void forget_lost(schedgpu_broker *b) {
  for (struct broker_client *s = b->clients, *next; s; s = next) {
    next = s->next;
    if (!s->connection && sg_broker_client_lost_slot(b, s))
      sg_broker_client_forget(b, s);
  }
}

/** Reaps dead clients and serves waiters, because a waiting client does not scan by itself. */
static void serve_waiters(schedgpu_broker *b) {
  struct sg_wakes wakes;
  struct schedgpu_reaped reaped;
  wakes.count = 0;
  if (sg_admin_enter(b->admin) != SCHEDGPU_OK)
    return;
  sg_announce_waiters(b, any_waiter(b->r));
  sg_sync_from_pages(b, &wakes);
  sg_reap_locked(&b->admin->h, &wakes, &reaped);
  sg_leave(b, &wakes);
}

/**
 * Writes the checkpoint at most once per tick, so that a user who begins jobs without a pause does
 * not delay the others.
 */
static void save(schedgpu_broker *b) {
  if (b->unsaved)
    sg_checkpoint_save(&b->admin->h);
  b->unsaved = false;
}

void sg_watch_tick(schedgpu_broker *b, uint64_t now_ns) {
  uint64_t seq = atomic_load(&b->r->h.seq);
  if (seq != b->seen_seq)
    for (uint32_t i = 0; b->waits > 0 && i < SG_SLOTS; i++)
      wake_if_over(b, i);
  b->seen_seq = seq;
  bool waits = any_waiter(b->r);
  if (now_ns - b->seen_ns < (waits || b->announced ? TICK_NS : SLOW_TICK_NS))
    return;
  b->seen_ns = now_ns;
  b->gone = !sg_region_exists(&b->admin->h);
  forget_lost(b);
  sg_users_tick(b);
  sg_publish_use(b);
  if (b->gone)
    return;
  sg_listen_again_if_removed(b);
  sg_restore_records(b);
  serve_waiters(b);
  save(b);
}
