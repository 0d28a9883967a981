/* attach.c - see attach.h */
#include "attach.h"
#include <unistd.h>

static int find_job(const struct sg_region *r, const struct sg_job_key *key,
                    struct sg_joined *joined) {
  uint32_t j = sg_job_find(r, key->kind, key->id);
  if (j == SG_NONE)
    return SCHEDGPU_ENOJOB;
  if (key->uid != 0 && key->uid != r->job[j].uid)
    return SCHEDGPU_EUSER;
  *joined = (struct sg_joined){j, r->job[j].mode, r->job[j].device_mask};
  return SCHEDGPU_OK;
}

static int activate(struct sg_handle *h, const struct sg_job_key *key, struct sg_joined *joined,
                    struct sg_wakes *wakes) {
  /* The record may still be that of a dead process whose byte was free. */
  sg_client_remove(h->r, h->slot, sg_now_ns(), wakes);
  int rc = key ? find_job(h->r, key, joined) : SCHEDGPU_OK;
  if (rc != SCHEDGPU_OK)
    return rc;
  return sg_client_attach(h->r, h->slot, key ? joined->job : SG_NONE, (uint32_t)getuid(),
                          (int32_t)getpid(), h->pid_namespace);
}

static int attach_once(struct sg_handle *h, uint32_t first, uint32_t end,
                       const struct sg_job_key *key, int64_t timeout_ns, struct sg_joined *joined,
                       bool *again) {
  int rc = sg_slot_take(h, first, end);
  if (rc != SCHEDGPU_OK)
    return rc;
  uint16_t dead[SG_SLOTS];
  bool must_reap = key && sg_find_dead(h, dead, SG_SLOTS) > 0;
  rc = sg_lock(h, timeout_ns);
  if (rc != SCHEDGPU_OK) {
    *again = !sg_slot_current(h); /* the liveness file was replaced in between */
    sg_slot_drop(h);
    return rc;
  }
  struct sg_wakes wakes;
  wakes.count = 0; /* not the 2 KiB behind it */
  rc = activate(h, key, joined, &wakes);
  struct schedgpu_reaped reaped;
  if (rc == SCHEDGPU_OK && must_reap) /* afterwards: now an owned job has a living client */
    sg_reap_locked(h, &wakes, &reaped);
  sg_unlock_and_wake(h, &wakes);
  if (rc != SCHEDGPU_OK)
    sg_slot_drop(h);
  return rc;
}

int sg_attach_slot(struct sg_handle *h, uint32_t first, uint32_t end, const struct sg_job_key *key,
                   int64_t timeout_ns, struct sg_joined *joined) {
  if (!h->writable)
    return SCHEDGPU_EPERM;
  bool again = false;
  int rc = attach_once(h, first, end, key, timeout_ns, joined, &again);
  return again ? attach_once(h, first, end, key, timeout_ns, joined, &again) : rc;
}
