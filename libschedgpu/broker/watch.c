/*
 * watch.c - wakes clients whose waits are over. Changes by the agent are seen at once, changes by
 * other processes (a prolog) within one tick (tick.c).
 */
#include "broker.h"

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

static void wake_if_over(const schedgpu_broker *b, uint32_t slot) {
  const struct watched *w = &b->watched[slot];
  const struct sg_waiter *record = &b->r->waiter[slot];
  if (w->client && (atomic_load(&record->state) != SG_WAITING || record->ticket != w->ticket))
    sg_wake_client(w->client);
}

void sg_leave(schedgpu_broker *b, const struct sg_wakes *wakes) {
  for (uint32_t i = 0; i < wakes->count; i++)
    if (wakes->waiter[i] < SG_SLOTS)
      wake_if_over(b, wakes->waiter[i]);
  sg_turns_to_pages(b, wakes);
  sg_unlock_and_wake(&b->admin->h, wakes);
}

void sg_watch_all(const schedgpu_broker *b) {
  for (uint32_t i = 0; b->waits > 0 && i < SG_SLOTS; i++)
    wake_if_over(b, i);
}
