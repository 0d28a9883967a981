/* tick.c - what the broker does from time to time: it sees changes by other processes, and deaths.
 */
#include "broker.h"

#define TICK_NS UINT64_C(100000000)
#define SLOW_TICK_NS UINT64_C(1000000000)

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

void sg_tick(schedgpu_broker *b, uint64_t now_ns) {
  uint64_t seq = atomic_load(&b->r->h.seq);
  if (seq != b->seen_seq)
    sg_watch_all(b);
  b->seen_seq = seq;
  b->turns_wait = b->turns_wait || sg_any_turn_waits(b);
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
