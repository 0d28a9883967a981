/* slots.c - whose slot it is, and what the region has of a broker client: its slot, or only its
 * liveness file. */
#include "broker.h"

bool sg_broker_client_has_slot(const schedgpu_broker *b, const struct broker_client *s) {
  const struct sg_client *c = &b->r->client[s->slot];
  return c->state == SG_ACTIVE && c->agen == s->gen && atomic_load(&c->gen) == s->gen;
}

bool sg_broker_client_lost_record(const schedgpu_broker *b, const struct broker_client *s) {
  return !sg_broker_client_has_slot(b, s) &&
         sg_broker_client_lives(&b->admin->h, s->slot, s->last.live_dev, s->last.live_ino);
}

bool sg_broker_client_lost_slot(const schedgpu_broker *b, const struct broker_client *s) {
  return !sg_broker_client_has_slot(b, s) && !sg_broker_client_lost_record(b, s);
}

struct broker_client *sg_broker_client_in_slot(const schedgpu_broker *b, uint32_t slot) {
  for (struct broker_client *s = b->clients; s; s = s->next)
    if (s->slot == slot)
      return s;
  return NULL;
}

void sg_wake_client(struct broker_client *s) {
  atomic_store(&s->page->wait_state, SG_WAIT_OVER);
  sg_futex_wake(&s->page->wait_state, INT32_MAX);
}
