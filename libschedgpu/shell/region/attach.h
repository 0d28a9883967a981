/* attach.h - turns an open region into an active client record; shared by client.c and admin.c. */
#ifndef SG_ATTACH_H
#define SG_ATTACH_H

#include "../../core/repair/integrity.h"
#include "../shell.h"

/** The job that a process asks to join. */
struct sg_job_key {
  uint32_t kind;
  uint64_t id;
  uint32_t uid; /**< user id of the process; 0 may join any job */
};

/** The process of a record. Broker clients are other processes than the agent. */
struct sg_process {
  uint32_t uid;
  int32_t pid;
  uint64_t pid_namespace;
};

/**
 * The job at the time when the client was activated; later its record may belong to another job.
 */
struct sg_joined {
  uint32_t job; /**< index */
  uint64_t begun_ns;
  uint32_t mode;
  uint32_t device_mask;
};

/**
 * Takes a slot in [first, end) and activates it for the job of `key`, which is looked up under the
 * same lock. Reaps dead clients first, as their memory may be needed. `key` NULL: root side,
 * without a job; `joined` may then be NULL.
 */
int sg_attach_slot(struct sg_handle *h, uint32_t first, uint32_t end, const struct sg_job_key *key,
                   int64_t timeout_ns, struct sg_joined *joined);

/**
 * Call with the lock: activates the record of the slot that `h` has taken, for the job of `key`
 * (NULL: none). Another handle may hold the lock.
 */
int sg_activate(struct sg_handle *h, const struct sg_job_key *key, const struct sg_process *person,
                struct sg_joined *joined, struct sg_wakes *wakes);

/**
 * Call with the lock: true if the record names a job that does not exist. A job that ends removes
 * its name from the records of its processes, so the job's record, or that name, is damaged.
 */
static inline bool sg_record_without_job(const struct sg_region *r, uint32_t slot) {
  uint32_t j = sg_read_once(&r->client[slot].job);
  return j != SG_NONE && !sg_job_active(r, j);
}
/** Call with the lock: true if the record may differ from what this process left. */
static inline bool sg_record_needs_check(const struct sg_handle *h, uint64_t repairs) {
  const struct sg_client *c = &h->r->client[h->slot];
  return c->state != SG_ACTIVE || c->agen != h->gen ||
         atomic_load_explicit(&c->gen, memory_order_relaxed) != h->gen ||
         atomic_load_explicit(&h->r->h.repairs, memory_order_relaxed) != repairs ||
         sg_record_without_job(h->r, h->slot);
}
/**
 * Call with the lock, in a repaired region: restores the record from `backup` if it belongs to
 * another process, or differs.
 */
void sg_backup_restore(struct sg_region *r, const struct sg_backup *backup, uint64_t live_dev,
                       uint64_t live_ino, struct sg_wakes *wakes);
/**
 * Then: repairs the region, and restores the own record from `backup` if it is wrong. ECORRUPT:
 * only the root side can repair this.
 */
int sg_restore_own_record(struct sg_handle *h, struct sg_backup *backup, uint64_t *repairs,
                          struct sg_wakes *wakes);

#endif
