/* client_state.c - attaches and detaches this process. */
#include "client_lock.h"
#include "identity.h"
#include "notice.h"
#include "operations.h"
#include <string.h>

static int open_and_attach(struct sg_self *self, int64_t timeout_ns, struct sg_job_key *key,
                           struct sg_joined *joined, struct sg_client **record) {
  const char *run_dir = sg_identity_run_dir();
  if (*run_dir != '/') /* it is opened again later, when the program may have changed its folder */
    return SCHEDGPU_EINVAL;
  const struct sg_operations *its = &sg_direct;
  int rc = its->open(self, run_dir, SCHEDGPU_OK);
  if (rc != SCHEDGPU_OK) {
    its = &sg_by_agent;
    rc = its->open(self, run_dir, rc);
  }
  if (rc == SCHEDGPU_OK)
    rc = sg_identity_key(key);
  if (rc == SCHEDGPU_OK)
    rc = its->attach(self, run_dir, key, timeout_ns, joined, record);
  if (rc == SCHEDGPU_OK)
    atomic_store(&self->operations, its); /* before the record, by which other threads find it */
  return rc;
}

static int attach_locked(struct sg_self *self, int64_t timeout_ns) {
  if (atomic_load(&self->record))
    return SCHEDGPU_OK;
  struct sg_job_key key;
  struct sg_joined joined;
  struct sg_client *record;
  int rc = open_and_attach(self, timeout_ns, &key, &joined, &record);
  if (rc != SCHEDGPU_OK)
    return rc;
  self->job = joined.job;
  self->whole = joined.mode != SCHEDGPU_MODE_ONDEMAND;
  memset(self->context_depth, 0, sizeof self->context_depth);
  self->backup = (struct sg_backup){.kind = key.kind, .id = key.id, .begun_ns = joined.begun_ns};
  self->repairs = atomic_load(&self->h.r->h.repairs);
  sg_ordinals_fill(&self->ordinals, self->h.r, sg_identity_devices(), joined.device_mask);
  atomic_store(&self->record, record);
  return SCHEDGPU_OK;
}

int sg_self_attach(struct sg_self *self, struct sg_lock_timeout *timeout) {
  int rc = SCHEDGPU_OK, cancel_state = sg_forbid_cancel();
  while (!atomic_load(&self->record)) {
    pthread_mutex_lock(&self->mutex);
    rc = attach_locked(self, sg_lock_timeout_left(timeout));
    int32_t holder = self->h.lock_holder;
    pthread_mutex_unlock(&self->mutex);
    if (rc != SCHEDGPU_ELOCK || !sg_lock_timeout_continues(timeout, holder))
      break;
  }
  sg_allow_cancel(cancel_state);
  return rc;
}

int schedgpu_attach(void) {
  struct sg_self *self = sg_self();
  if (!self)
    return SCHEDGPU_ESYSTEM;
  struct sg_lock_timeout timeout = SG_NO_LOCK_TIMEOUT;
  if (sg_notice_in_observer()) /* the observer may be called because of the lock that is needed here
                                */
    timeout = (struct sg_lock_timeout){.give_up_ns = 0, .reported = true};
  return sg_self_attach(self, &timeout);
}

int schedgpu_detach(void) {
  struct sg_self *self = sg_self();
  return self ? sg_operations_of(self)->detach(self) : SCHEDGPU_ESYSTEM;
}
