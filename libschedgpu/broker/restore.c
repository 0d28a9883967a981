/*
 * restore.c - restores damaged records of broker clients. The agent has noted what the region gave
 * to each client, and the client page says how much of that is in use. A client that writes the
 * region itself restores its own record in the same way (shell/region/attach.c).
 */
#include "broker.h"

static bool is_damaged(const schedgpu_broker *b, const struct broker_client *s) {
  return sg_broker_client_lost_record(b, s) || !sg_client_possible(b->r, s->slot);
}

static void restore(schedgpu_broker *b, struct broker_client *s, struct sg_wakes *wakes) {
  struct sg_backup backup;
  sg_backup_of(s, &backup);
  sg_backup_restore(b->r, &backup, s->last.live_dev, s->last.live_ino, wakes);
  sg_sync_from_page(b, s, wakes);
  sg_sync_to_page(b, s);
}

/**
 * Repairs the region and restores all records, because an earlier repair by another process could
 * not know their content.
 */
static int restore_all(schedgpu_broker *b) {
  struct sg_wakes wakes;
  int rc = sg_admin_enter_and_check(b->admin, &wakes);
  if (rc != SCHEDGPU_OK)
    return rc == SCHEDGPU_ECORRUPT ? rc : SCHEDGPU_ELOCK;
  for (struct broker_client *s = b->clients; s; s = s->next)
    if (sg_broker_client_has_slot(b, s) || sg_broker_client_lost_record(b, s))
      restore(b, s, &wakes);
  b->repairs = atomic_load(&b->r->h.repairs);
  sg_leave(b, &wakes);
  return SCHEDGPU_OK;
}

static bool was_repaired(const schedgpu_broker *b) {
  return atomic_load(&b->r->h.repairs) != b->repairs;
}

int sg_restore_record(schedgpu_broker *b, const struct broker_client *s) {
  return was_repaired(b) || is_damaged(b, s) ? restore_all(b) : SCHEDGPU_OK;
}

int sg_restore_records(schedgpu_broker *b) {
  bool doubtful = was_repaired(b);
  for (const struct broker_client *s = b->clients; s && !doubtful; s = s->next)
    doubtful = is_damaged(b, s);
  return doubtful ? restore_all(b) : SCHEDGPU_OK;
}
