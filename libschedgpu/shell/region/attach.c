/* attach.c - see attach.h */
#include "attach.h"
#include "../../core/rules/shares.h"
#include "check.h"
#include <unistd.h>

static int find_job(const struct sg_region *r, const struct sg_job_key *key,
                    struct sg_joined *joined) {
  uint32_t j = sg_job_find(r, key->kind, key->id);
  if (j == SG_NONE)
    return SCHEDGPU_ENOJOB;
  if (key->uid != 0 && key->uid != r->job[j].uid)
    return SCHEDGPU_EUSER;
  *joined = (struct sg_joined){j, r->job[j].begun_ns, r->job[j].mode, r->job[j].device_mask};
  return SCHEDGPU_OK;
}

/** Repairs the region and looks for the job again, because only its record may be damaged. */
static int check_and_find(struct sg_handle *h, const struct sg_job_key *key,
                          struct sg_joined *joined, struct sg_wakes *wakes) {
  struct sg_report report;
  int rc = sg_check_region(h, false, &report, wakes);
  return rc == SCHEDGPU_OK && key ? find_job(h->r, key, joined) : rc;
}

int sg_activate(struct sg_handle *h, const struct sg_job_key *key, const struct sg_process *person,
                struct sg_joined *joined, struct sg_wakes *wakes) {
  /* The record may still belong to a dead process whose byte was free. */
  sg_orphans_leave(h->r, h->slot, sg_now_ns(), wakes);
  sg_client_remove(h->r, h->slot, sg_now_ns(), wakes);
  int rc = key ? find_job(h->r, key, joined) : SCHEDGPU_OK;
  if (rc == SCHEDGPU_ENOJOB ||
      !sg_sound_for(h->r, key && rc == SCHEDGPU_OK ? joined->job : SG_NONE))
    rc = check_and_find(h, key, joined, wakes);
  if (rc != SCHEDGPU_OK)
    return rc;
  if (!sg_may_attach(h->r, key ? h->r->job[joined->job].uid : person->uid))
    return SCHEDGPU_EFULL;
  rc = sg_client_attach(h->r, h->slot, key ? joined->job : SG_NONE, person->uid, person->pid,
                        person->pid_namespace);
  if (rc == SCHEDGPU_OK)
    SG_PUT(h->r->client[h->slot].agen_seal, sg_gen_seal(h->slot, h->gen));
  h->attached = rc == SCHEDGPU_OK;
  return rc;
}

#define SCAN_EVERY_NS UINT64_C(1000000000)

/**
 * True if a scan found dead clients. A scan costs a system call for each client, so one attach per
 * second does it for all. A process that needs memory scans anyway before it waits.
 */
static bool found_dead(const struct sg_handle *h) {
  return sg_dead_scan_due(h->r, sg_now_ns(), SCAN_EVERY_NS) && sg_dead_scan(h);
}

static int attach_once(struct sg_handle *h, uint32_t first, uint32_t end,
                       const struct sg_job_key *key, int64_t timeout_ns, struct sg_joined *joined,
                       bool *again) {
  int rc = sg_slot_take(h, first, end);
  if (rc != SCHEDGPU_OK)
    return rc;
  bool must_reap = key && found_dead(h);
  rc = sg_lock(h, timeout_ns);
  if (rc != SCHEDGPU_OK) {
    *again = !sg_slot_current(h); /* the liveness file was replaced meanwhile */
    sg_slot_drop(h);
    return rc;
  }
  struct sg_wakes wakes;
  sg_wakes_clear(&wakes);
  struct sg_process self = {(uint32_t)getuid(), (int32_t)getpid(), h->pid_namespace};
  rc = sg_activate(h, key, &self, joined, &wakes);
  struct schedgpu_reaped reaped;
  if (rc == SCHEDGPU_EFULL && sg_reap_locked(h, &wakes, &reaped) == SCHEDGPU_OK)
    rc = sg_activate(h, key, &self, joined, &wakes); /* dead processes had counted, too */
  if (rc == SCHEDGPU_OK && must_reap)   /* only now, as an owned job now has a live client */
    sg_reap_locked(h, &wakes, &reaped); /* as far as it can be repaired */
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

/** Corrects numbers that changed without this process: another repair could not know the
 * right ones. */
static void correct(struct sg_client *c, const struct sg_backup *backup) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t word = atomic_load(&c->lease[d]), wanted = sg_in_use(backup->lease[d]);
    while (sg_in_use(word) != wanted) {
      uint64_t leased = sg_leased(word) > wanted ? sg_leased(word) : wanted;
      if (atomic_compare_exchange_weak(&c->lease[d], &word, sg_lease_word(leased, wanted)))
        break;
    }
    c->contexts[d] = backup->contexts[d];
  }
}

static bool differs(const struct sg_client *c, const struct sg_backup *backup) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if (sg_in_use(atomic_load(&c->lease[d])) != sg_in_use(backup->lease[d]) ||
        c->contexts[d] != backup->contexts[d])
      return true;
  return false;
}

void sg_backup_restore(struct sg_region *r, const struct sg_backup *backup, uint64_t live_dev,
                       uint64_t live_ino, struct sg_wakes *wakes) {
  struct sg_client *c = &r->client[backup->slot];
  if (!sg_backup_matches(r, backup)) {
    sg_backup_write(r, backup, sg_now_ns(), wakes);
    c->live_dev = live_dev;
    c->live_ino = live_ino;
    atomic_fetch_add(&r->h.repairs, 1);
  } else if (sg_client_job(r, c) != SG_NONE && differs(c, backup)) {
    correct(c, backup);
    sg_recount(r);
  }
}

/**
 * True if the record of this process's job was wiped together with its key. Only this process then
 * knows that there was a job. If the index itself is damaged, the job is found by its key.
 */
static bool job_wiped(const struct sg_region *r, const struct sg_backup *backup, uint32_t slot) {
  uint32_t j = sg_read_once(&r->client[slot].job);
  return backup->kind != 0 && j < SCHEDGPU_MAX_JOBS && r->job[j].state == SG_FREE &&
         !sg_job_ended(r, j) && sg_job_find(r, backup->kind, backup->id) == SG_NONE;
}

int sg_restore_own_record(struct sg_handle *h, struct sg_backup *backup, uint64_t *repairs,
                          struct sg_wakes *wakes) {
  uint64_t now = atomic_load(&h->r->h.repairs);
  struct sg_report report;
  bool damaged = now == *repairs || sg_record_without_job(h->r, h->slot);
  if (job_wiped(h->r, backup, h->slot) && !sg_is_owner(h))
    return SCHEDGPU_ECORRUPT; /* a repair here would treat the job as ended */
  int rc = damaged ? sg_check_region(h, false, &report, wakes) : SCHEDGPU_OK;
  if (rc != SCHEDGPU_OK)
    return rc;
  backup->slot = h->slot;
  backup->gen = h->gen;
  backup->uid = (uint32_t)getuid();
  backup->pid = (int32_t)getpid();
  backup->pid_namespace = h->pid_namespace;
  sg_backup_restore(h->r, backup, h->live_dev, h->live_ino, wakes);
  *repairs = atomic_load(&h->r->h.repairs);
  return SCHEDGPU_OK;
}
