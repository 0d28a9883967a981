/* attach.h - from an open region to an active client record; shared by client.c and admin.c. */
#ifndef SG_ATTACH_H
#define SG_ATTACH_H

#include "../../core/integrity.h"
#include "../shell.h"

/** The job that a process says it belongs to. */
struct sg_job_key {
  uint32_t kind;
  uint64_t id;
  uint32_t uid; /**< of the process; 0 may join any job */
};

/** The process that a record is of; the agent's clients are others than itself. */
struct sg_process {
  uint32_t uid;
  int32_t pid;
  uint64_t pid_namespace;
};

/** What the job was when the client was activated: later its record may be another job's. */
struct sg_joined {
  uint32_t job; /**< index */
  uint64_t begun_ns;
  uint32_t mode;
  uint32_t device_mask;
};

/**
 * Takes a slot in [first, end) and activates it for the job of `key`, which is looked up under the
 * same lock; removes the dead then, as what they held may be the newcomer's. `key` NULL: root side,
 * without a job; `joined` may then be NULL.
 */
int sg_attach_slot(struct sg_handle *h, uint32_t first, uint32_t end, const struct sg_job_key *key,
                   int64_t timeout_ns, struct sg_joined *joined);

/**
 * Under the lock: activates the record of the slot that `h` has taken, for the job of `key` (NULL:
 * none). The handle that holds the lock may be another one.
 */
int sg_activate(struct sg_handle *h, const struct sg_job_key *key, const struct sg_process *person,
                struct sg_joined *joined, struct sg_wakes *wakes);

/** Under the lock: whether the record names a job that is none. One that ends takes its name out of
 * the records of its processes, so the job's record, or that name, is damaged. */
static inline bool sg_record_without_job(const struct sg_region *r, uint32_t slot) {
  uint32_t j = sg_read_once(&r->client[slot].job);
  return j != SG_NONE && !sg_job_active(r, j);
}
/** Under the lock: whether the record is another one than this process left, or may be. */
static inline bool sg_record_doubtful(const struct sg_handle *h, uint64_t repairs) {
  const struct sg_client *c = &h->r->client[h->slot];
  return c->state != SG_ACTIVE || c->agen != h->gen ||
         atomic_load_explicit(&c->gen, memory_order_relaxed) != h->gen ||
         atomic_load_explicit(&h->r->h.repairs, memory_order_relaxed) != repairs ||
         sg_record_without_job(h->r, h->slot);
}
/**
 * Under the lock, in a region that was mended: makes the record what its process has by `claim`, if
 * it is another one, or says something else.
 */
void sg_claim_restore(struct sg_region *r, const struct sg_claim *claim, uint64_t live_dev,
                      uint64_t live_ino, struct sg_wakes *wakes);
/**
 * Then: mends, and writes the record anew from `claim` if it is not as it should be. ECORRUPT: that
 * needs the root side.
 */
int sg_restore_own_record(struct sg_handle *h, struct sg_claim *claim, uint64_t *repairs,
                          struct sg_wakes *wakes);

#endif
