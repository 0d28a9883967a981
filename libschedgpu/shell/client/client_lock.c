/*
 * client_lock.c - takes mutex and lock, and reports the holder of the lock. A live process never
 * loses the lock, so this may take as long as it is stopped.
 */
#include "client_lock.h"
#include "operations.h"
#include "notice.h"

#define LOCK_TIMEOUT_NS INT64_C(3000000000)

int64_t sg_lock_timeout_left(const struct sg_lock_timeout *p) {
  if (!p->reported)
    return LOCK_TIMEOUT_NS;
  uint64_t now_ns = sg_now_ns();
  uint64_t left_ns = p->give_up_ns > now_ns ? p->give_up_ns - now_ns : 0;
  return left_ns < (uint64_t)LOCK_TIMEOUT_NS ? (int64_t)left_ns : LOCK_TIMEOUT_NS;
}

bool sg_lock_timeout_continues(struct sg_lock_timeout *p, int32_t holder) {
  if (!p->reported)
    sg_notice_lock(holder, holder > 0 ? sg_proc_state(holder) : '?');
  p->reported = true;
  return sg_now_ns() < p->give_up_ns;
}

int sg_self_do(struct sg_self *self, struct sg_lock_timeout *timeout, sg_transition transition,
               void *argument) {
  int rc, cancel_state = sg_forbid_cancel();
  for (;;) {
    pthread_mutex_lock(&self->mutex);
    const struct sg_operations *its = sg_operations_of(self);
    int64_t left_ns = sg_lock_timeout_left(timeout);
    rc = atomic_load(&self->record) ? its->run(self, left_ns, transition, argument)
                                    : SCHEDGPU_ENOJOB;
    int32_t holder = self->h.lock_holder;
    pthread_mutex_unlock(&self->mutex);
    if (rc != SCHEDGPU_ELOCK)
      break;
    if (!sg_lock_timeout_continues(timeout, holder)) {
      rc = its->no_lock;
      break;
    }
  }
  sg_allow_cancel(cancel_state);
  return rc;
}

int sg_self_reap_locked(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  struct schedgpu_reaped reaped;
  (void)argument;
  return sg_reap_locked(&self->h, wakes, &reaped);
}

bool sg_self_reap(struct sg_self *self, bool job_at_least, struct sg_lock_timeout *timeout) {
  int cancel_state = sg_forbid_cancel();
  pthread_mutex_lock(&self->mutex);
  bool found = atomic_load(&self->record) && sg_operations_of(self)->find_dead(self, job_at_least);
  pthread_mutex_unlock(&self->mutex);
  if (found)
    found = sg_self_do(self, timeout, sg_self_reap_locked, NULL) == SCHEDGPU_OK;
  sg_allow_cancel(cancel_state);
  return found;
}

static int check_job(struct sg_self *self, void *unused, struct sg_wakes *wakes) {
  (void)unused, (void)wakes;
  return sg_operations_of(self)->has_job(self) ? SCHEDGPU_OK : SCHEDGPU_ENOJOB;
}

bool sg_self_has_job(struct sg_self *self, struct sg_lock_timeout *timeout) {
  return sg_self_do(self, timeout, check_job, NULL) == SCHEDGPU_OK;
}
