/*
 * admin_poll.c - reads that a process repeats to watch a node. They are cheap: none of them takes
 * the lock.
 */
#include "admin_handle.h"
#include <string.h>

/**
 * True if the lock's owner is dead. It may have died when its own record was gone already, or not
 * there yet.
 */
static bool lock_is_orphaned(const struct sg_handle *h) {
  uint32_t word = atomic_load(&h->r->h.lock);
  return word != 0 && sg_owner_dead(h, word);
}

int schedgpu_admin_dead(schedgpu_admin *a) {
  uint16_t slot[SG_SLOTS];
  uint32_t dead = sg_find_dead(&a->h, slot, SG_SLOTS);
  return dead > 0 ? (int)dead : lock_is_orphaned(&a->h);
}

int schedgpu_admin_dead_of_root(schedgpu_admin *a) {
  uint16_t slot[SG_SLOTS];
  uint32_t dead = sg_find_dead_of_root(&a->h, slot, SG_SLOTS);
  return dead > 0 ? (int)dead : lock_is_orphaned(&a->h);
}

uint64_t schedgpu_admin_changes(schedgpu_admin *a) {
  return atomic_load_explicit(&a->h.r->h.seq, memory_order_acquire);
}

void schedgpu_admin_devices(schedgpu_admin *a, struct schedgpu_setup *node) {
  *node = (struct schedgpu_setup){0};
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    const struct sg_device *device = &a->h.r->device[d];
    if (!sg_device_present(a->h.r, d))
      continue;
    struct schedgpu_device_spec *spec = &node->device[node->device_count++];
    spec->index = d;
    spec->total_bytes = device->total_bytes;
    spec->reserved_bytes = device->total_bytes - sg_usable(device);
    spec->context_bytes = device->context_bytes;
    memcpy(spec->uuid, device->uuid, sizeof spec->uuid);
    spec->uuid[sizeof spec->uuid - 1] = '\0';
  }
}
